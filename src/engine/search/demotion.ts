import type { FileClass } from '../files/fileClass';
import ranking from './ranking.json';

/** Words of a query that ask for a kind of file, which is then not demoted. */
const ASKED_BY: Readonly<Record<Exclude<FileClass, 'source'>, ReadonlySet<string>>> = {
  test: new Set(['test', 'testing', 'tested', 'spec', 'fixture', 'mock', 'benchmark', 'bench', 'e2e']),
  docs: new Set([
    'doc',
    'documentation',
    'documented',
    'readme',
    'guide',
    'changelog',
    'manual',
    'license',
    'contributing',
    'tutorial',
  ]),
  configuration: new Set([
    'config',
    'configuration',
    'configure',
    'setting',
    'yaml',
    'yml',
    'toml',
    'json',
    'xml',
    'ini',
    'workflow',
    'dockerfile',
    'makefile',
    'ci',
  ]),
  example: new Set(['example', 'sample', 'demo', 'playground', 'tutorial']),
  generated: new Set(['generated', 'protobuf', 'codegen']),
  vendored: new Set(['vendor', 'vendored', 'thirdparty', 'dependency']),
};

/** Queries that begin by naming the kind of file they want: `tests for the parser`, `an example of streaming`. */
const SOUGHT: readonly (readonly [FileClass, RegExp])[] = [
  ['test', /^\s*(?:(?:the|all|any)\s+)?(?:(?:unit|integration|e2e)\s+)?(?:tests?|specs?)\s+(?:for|of|that|which)\b/i],
  ['docs', /^\s*(?:(?:the|all|any)\s+)?(?:docs?|documentation|readme|guide|manual)\s+(?:for|of|on|to|about)\b/i],
  ['example', /^\s*(?:(?:the|all|an?|any)\s+)?(?:examples?|samples?|demos?)\s+(?:for|of|that|which|how)\b/i],
];

/** Factor on the fused score by the kind of file, for a query and its terms. */
export function demotionFor(query: string, tokens: readonly string[]): (fileClass: FileClass) => number {
  const factors: Record<FileClass, number> = { ...ranking.demotion };
  for (const [fileClass, words] of Object.entries(ASKED_BY) as [keyof typeof ASKED_BY, ReadonlySet<string>][]) {
    if (tokens.some(token => words.has(token))) factors[fileClass] = 1;
  }
  const sought = SOUGHT.find(([, pattern]) => pattern.test(query))?.[0];
  if (sought !== undefined) factors.source = ranking.notSought;
  return fileClass => factors[fileClass];
}
