import { ISSUE_REFERENCES, isAboutNoCode, isTrailer } from './commitNoise';

const MAX_QUESTION = 300;
const MAX_SENTENCE = 220;
/** A shorter subject is joined by the first sentence of the body. */
const SHORT_SUBJECT_WORDS = 10;
const LEAST_WORDS = 5;
const LEAST_SENTENCE_WORDS = 6;
const LEAST_CONTENT_WORDS = 3;
/** Prefixes may stand one after the other. */
const MOST_PREFIXES = 4;

const CONVENTIONAL = new RegExp(
  `^(?<type>${[
    'fix(es|ed)?|feat(ure)?|chore|refactor|perf|docs?|style|tests?|build|ci|internal|revert|release|deps?|types?',
    'security|hotfix|bug|bugfix|improvement|enhancement|minor|nit|lint|misc|cleanup|wip|i18n',
  ].join('|')})(\\s*\\((?<scope>[^)]*)\\))?!?:\\s+`,
  'i',
);
const TYPES_WITHOUT_QUESTION = new Set(
  'doc docs style test tests build ci release dep deps revert lint nit wip i18n typo types type misc cleanup chore'.split(
    ' ',
  ),
);
const SCOPE_WITHOUT_QUESTION = /\b(deps?|ci|tests?|docs?|types?|lint|build|release|dev)\b/;
/** `gh-12`, `[tag]`, `ABC-12:`, `MINOR:`, `* :`, `(word)` in front of a subject. */
const ISSUE_PREFIX = new RegExp(
  [
    '^\\s*(\\[?\\(?(fix(e[sd])?|close[sd]?|resolve[sd]?|see|ref(s)?|gh|issue|pr|bug)?:?\\s*(gh-|#)\\d+\\)?\\]?\\s*(--|:|-|\\.)?\\s*',
    '\\[[^\\]]{1,24}\\]\\s*:?\\s*',
    '[A-Z][A-Z0-9]{1,9}-\\d+\\s*[:;,.-]*\\s*',
    '(MINOR|HOTFIX|BUGFIX|TRIVIAL)\\s*[:;]\\s*',
    '\\*\\s*:\\s+',
    '\\(\\w+\\)\\s+(?=[A-Z]))',
  ].join('|'),
  'i',
);
/** `cache/filecache: …`, `config.h: …`; a component of one plain word stays. */
const PATH_PREFIX = /^(?:[\w.*{},\- ]{0,40}\/[\w./*{},\- ]*|[\w-]+\.(?:\w{1,4}))(?:\s*[,&]\s*[\w./-]+)*:\s+(?=\S)/;
const EDGES = /^[\s\-–—:;,]+|[\s\-–—:;,]+$/g;

/** Words without content of their own in commit subjects. */
const PLAIN_WORDS = new Set(
  [
    'a an the of to in on for and or with when if is are be by from as at it its this that not no do does only also now',
    'use using fix fixes fixed add adds added make makes should instead into can we more some all bug issue error support',
    'allow remove removed removes update change changes changed improve improved correctly properly handle handling',
    'refactor move moved small better code file files',
  ]
    .join(' ')
    .split(' '),
);

/**
 * The question that a commit message makes: its subject without prefixes, references and marks, with the first sentence
 * of the body where the subject is short.
 * @returns undefined where the message is about documents, tests, versions or style, or says too little.
 */
export function questionOf(message: string): string | undefined {
  const text = message.replace(/^\n+|\n+$/g, '');
  const end = text.indexOf('\n');
  const subject = end < 0 ? text : text.slice(0, end);
  if (isAboutNoCode(subject)) return undefined;
  let question = cleanSubject(subject);
  if (question === undefined || question === '' || question.length > MAX_QUESTION) return undefined;
  if (wordsOf(question).length < SHORT_SUBJECT_WORDS) {
    const sentence = firstSentence(end < 0 ? '' : text.slice(end + 1));
    const fits = question.length + sentence.length + 2 <= MAX_QUESTION;
    if (sentence !== '' && fits && !question.toLowerCase().includes(sentence.toLowerCase()))
      question = `${question.replace(/\.+$/, '')}. ${sentence}`;
  }
  question = question.replace(/[ .]+$/, '');
  const words = wordsOf(question).map(word => word.toLowerCase());
  const content = words.filter(word => word.length > 2 && !PLAIN_WORDS.has(word));
  if (words.length < LEAST_WORDS || new Set(content).size < LEAST_CONTENT_WORDS) return undefined;
  if (isAboutNoCode(question) || question.endsWith('…')) return undefined;
  return question;
}

function wordsOf(text: string): string[] {
  return text.match(/[A-Za-z][A-Za-z0-9_']*/g) ?? [];
}

function cleanSubject(subject: string): string | undefined {
  let text = subject.trim();
  if (/^(?:(fixup|squash|amend)!|merge\b|revert\b)/i.test(text)) return undefined;
  for (let prefix = 0; prefix < MOST_PREFIXES; prefix++) {
    const conventional = CONVENTIONAL.exec(text);
    if (conventional !== null) {
      const { type = '', scope = '' } = conventional.groups ?? {};
      if (TYPES_WITHOUT_QUESTION.has(type.toLowerCase()) || SCOPE_WITHOUT_QUESTION.test(scope.toLowerCase()))
        return undefined;
      text = text.slice(conventional[0].length);
      continue;
    }
    const issue = ISSUE_PREFIX.exec(text)?.[0].length ?? 0;
    if (issue > 0 && text.length > issue + 5) {
      text = text.slice(issue);
      continue;
    }
    const path = PATH_PREFIX.exec(text)?.[0].length ?? 0;
    if (path === 0 || text.length - path <= 12) break;
    text = text.slice(path);
  }
  return withoutReferences(text);
}

/** Takes out URLs, backticks, issue numbers, commit ids and picture names. */
function withoutReferences(given: string): string {
  let text = given.replace(/https?:\/\/\S+/g, ' ').replace(/`+/g, '');
  for (const reference of ISSUE_REFERENCES) text = text.replace(reference, ' ');
  text = text.replace(/\b[0-9a-f]{8,40}\b/g, ' ').replace(/:[a-z_]+:(?=\s|$)/g, ' ');
  if (/\s[([]\s*[)\]]/.test(text)) text = text.replace(/[([]\s*[)\]]/g, ' ');
  return text.replace(/\s+/g, ' ').replace(EDGES, '');
}

/** The first sentence of the body where that is plain prose, else an empty string. */
function firstSentence(body: string): string {
  for (const paragraph of body.replace(/\r/g, '').split(/\n\s*\n/)) {
    const lines = paragraph
      .split('\n')
      .map(line => line.trim())
      .filter(Boolean);
    const [first] = lines;
    if (first === undefined || isTrailer(first)) continue;
    return sentenceOf(first, lines.join(' '));
  }
  return '';
}

function sentenceOf(firstLine: string, paragraph: string): string {
  if (/^([*\-+#>|<`~]|\d+[.)]|\[|!\[|http|---|\/\/|@)/.test(firstLine)) return '';
  if (CONVENTIONAL.test(firstLine) || /^(this )?reverts?\b/i.test(firstLine)) return '';
  if (paragraph.slice(0, 260).includes('http') || /(#|GH-)\d/.test(paragraph.slice(0, 120))) return '';
  const ended = /^(.+?(?<!e\.g)(?<!i\.e)(?<!etc)(?<!\bvs)[.!?])(\s+[A-Z`"'(]|\s*$)/.exec(paragraph);
  const sentence = withoutReferences(ended?.[1] ?? paragraph);
  if (sentence.length > MAX_SENTENCE || wordsOf(sentence).length < LEAST_SENTENCE_WORDS) return '';
  if (!/^[A-Za-z"'(]/.test(sentence) || sentence.endsWith(':')) return '';
  if (isAboutNoCode(sentence) || isTrailer(sentence)) return '';
  const personal = /[{};]\s*$|\b(I|my|me|PR|commit|patch|pull request|follow-?up|previous(ly)?|@\w+)\b/;
  return personal.test(sentence) ? '' : sentence;
}
