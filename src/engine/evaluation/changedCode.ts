import { extensionOf } from './corpusRule';

const COMMENT = /^(\/\/|\/\*|\*|"""|'''|<!--)/;
/** Languages whose comments begin with a hash. */
const HASH_COMMENTS = new Set(['py', 'pyx', 'rb', 'php']);
const IMPORT = new RegExp(
  `^(${[
    'import\\b|from\\s+\\S+\\s+import\\b|use\\s|pub use\\s|using\\s|package\\s|extern crate\\b',
    '#\\s*include\\b|require(_once|_relative)?\\b|export \\* from|\\}\\s*from\\s',
    '(const|var|let)\\s+[\\w{},\\s]+=\\s*require\\(',
  ].join('|')})`,
);
/** Brackets and what else says nothing by itself. */
const REMNANT = /^[\p{L}\p{N}_\s,{}()\][;*/]{0,3}$/u;

/**
 * The paths where a diff without context lines changes a line that is neither blank, nor a comment, nor an import.
 * @param paths those that are asked about.
 */
export function pathsWithChangedCode(diff: string, paths: readonly string[]): ReadonlySet<string> {
  const changed = new Set<string>();
  let path: string | undefined;
  for (const line of diff.split('\n')) {
    if (line.startsWith('diff --git ')) path = paths.find(candidate => line.endsWith(` b/${candidate}`));
    else if (path !== undefined && !changed.has(path) && isCodeLine(line, extensionOf(path))) changed.add(path);
  }
  return changed;
}

function isCodeLine(line: string, extension: string): boolean {
  if (!/^[+-]/.test(line) || line.startsWith('+++') || line.startsWith('---')) return false;
  const text = line.slice(1).trim();
  if (text === '' || COMMENT.test(text)) return false;
  if (text.startsWith('#') && HASH_COMMENTS.has(extension) && !text.startsWith('#[')) return false;
  return !IMPORT.test(text) && !REMNANT.test(text);
}
