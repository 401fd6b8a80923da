/** What commits are about that no code answers: the words and phrases of their subjects, by topic. */
const NO_CODE: Readonly<Record<string, readonly string[]>> = {
  versions: [
    'bump(s|ed|ing)?|releases?|released|releasing|prepare (for )?\\d|(set|update) version|version (to )?v?\\d',
    'v?\\d+\\.\\d+\\.\\d+(-\\w+)?$',
    'dependabot|dependenc(y|ies) (update|upgrade)s?|upgrade (deps|dependenc\\w+)|submodule',
    'update (the )?(deps|dependenc\\w+|copyright|authors?|contributors?|readme|docblocks?|translations?|license)',
  ],
  branches: [
    'merge[sd]?( (branch|pull|from|remote|upstream|master|main|pr))|merge conflicts?|revert(s|ed|ing)?|sync with',
    'fix ?up|squash|wip|work in progress|cherry[- ]pick\\w*|backport\\w*|forward[- ]?port\\w*',
  ],
  documents: [
    'changelog|change log|changes? file|news entry|news file|release notes?|readme|^document(s|ing)?|todo|nodoc',
    'comments?|commented|docs?|docstrings?|javadocs?|jsdocs?|rustdocs?|phpdocs?|phpdoc|docblocks?|documentation',
    'documented|godoc|copyright|licen[cs]e( header)?s?|translated using|translations?|weblate|transifex',
  ],
  style: [
    'typos?|spelling|misspell\\w*|grammar|wording|whitespaces?|white space|trailing spaces?|indent(ation)?|eol',
    'reformat\\w*|formatting|code[- ]?style|coding style|style ?ci|styleci|rustfmt|clippy|gofmt|gofumpt|prettier|eslint',
    'lint(s|er|ing|ers)?(?!/)|checkstyle|spotless|spotbugs|phpstan|psalm|mypy|pylint|ruff|flake8|codespell|staticcheck',
    'golangci(-lint)?|modernize|cspell|sonar\\w*|code ?ql|coverity|phpcs|php-cs-fixer|type (hints?|annotations?)',
    'typing annotations?|unused (imports?|variables?|includes?|code|params?|parameters?|usings?)',
    'sort imports?|imports? order|import group\\w*|nits?|clean ?ups?|cleaning up|cosmetic\\w*|tidy\\w*|rename variables?',
    'minor (fix\\w*|change\\w*|tweak\\w*|clean\\w*|refactor\\w*|update\\w*)',
  ],
  tests: ['unit tests?|tests?|testing|testcases?|flaky|ci|github actions?|workflows?|appveyor|travis'],
  reviews: [
    '(address|apply|fix|incorporate|per|from|after|resolve)\\w* (\\w+ )?(review|suggestions?|feedback|cr comments?)',
    'code review|review comments?|pr comments?|copilot',
  ],
};
const ABOUT_NO_CODE = new RegExp(`\\b(${Object.values(NO_CODE).flat().join('|')})\\b`, 'i');

/** Lines that end a message: who signed, what it closes. */
const TRAILER = new RegExp(
  `^\\s*(${[
    'signed-off-by|co-?authored-by|reviewed-by|reviewers?|acked-by|tested-by|cc|change-id|reported-by|suggested-by',
    'assisted-by|generated-by|author|approved-by|thanks|fixes|closes|closed|close|fix|resolves|refs?|related|see|issue|bug',
    'pull-request|pr|link|backport\\w*|follow-?up|ticket|bug-url|differential|regression',
  ].join('|')})\\b\\s*(:|#|to\\b|issue|http)`,
  'i',
);

const REPOSITORY = '(?:[\\w.-]+/[\\w.-]+)?';
/** References to issues inside a text; each is taken out. */
export const ISSUE_REFERENCES: readonly RegExp[] = [
  new RegExp(
    '\\s*[([]\\s*(?:(?:fix(?:e[sd])?|close[sd]?|resolve[sd]?|see|refs?|issue|pr|cf\\.?|related to|backport of)?:?\\s*' +
      `${REPOSITORY}(?:#|gh-|GH-)\\d+[\\s,;&and]*)+[)\\]]`,
    'gi',
  ),
  /[([][A-Z][A-Z0-9]+-\d+[)\]]/g,
  new RegExp(
    ',?\\s*\\b(fix(e[sd])?|close[sd]?|resolve[sd]?|refs?|see|issue|issues|pr|for|from|of|in|after|since|introduced in)?:?\\s*' +
      `${REPOSITORY}#\\d+\\b`,
    'gi',
  ),
];

/** Whether a text is about versions, branches, documents, tests, style or reviews. */
export function isAboutNoCode(text: string): boolean {
  return ABOUT_NO_CODE.test(text);
}

export function isTrailer(line: string): boolean {
  return TRAILER.test(line);
}
