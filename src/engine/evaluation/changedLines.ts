/** First and last line, 1-based. */
export type LineSpan = readonly [first: number, last: number];

/** The head of one hunk of `git diff -U0`: lines taken from the old side, lines put on the new one. */
export interface HunkHead {
  readonly oldLine: number;
  readonly oldCount: number;
  readonly newLine: number;
  readonly newCount: number;
}

const HEAD = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/gm;
/** Spans a file may have. */
const MAX_SPANS = 20;
/** Lines nearer to each other than this are one span. */
const APART = 3;

/** The hunk heads of a diff without context lines. */
export function parseHunkHeads(diff: string): HunkHead[] {
  return [...diff.matchAll(HEAD)].map(([, oldLine, oldCount, newLine, newCount]) => ({
    oldLine: Number(oldLine),
    oldCount: Number(oldCount ?? 1),
    newLine: Number(newLine),
    newCount: Number(newCount ?? 1),
  }));
}

/**
 * The lines of the snapshot's file that a commit changed or inserted after, as spans.
 * @param since from the snapshot to the commit's parent.
 * @param change from the parent to the commit.
 * @param content the snapshot's file.
 */
export function changedLines(since: readonly HunkHead[], change: readonly HunkHead[], content: Buffer): LineSpan[] {
  const lineCount = countLines(content);
  const lines = new Set<number>();
  for (const { oldLine, oldCount } of change) {
    const first = Math.max(oldLine, 1);
    for (let line = first; line < first + Math.max(oldCount, 1); line++)
      lines.add(Math.min(Math.max(1, lineBefore(line, since)), lineCount));
  }
  const spans: [number, number][] = [];
  for (const line of [...lines].sort((a, b) => a - b)) {
    const last = spans.at(-1);
    if (last !== undefined && line - last[1] < APART) last[1] = line;
    else spans.push([line, line]);
  }
  return spans.slice(0, MAX_SPANS);
}

/** The number on the old side of a line of the new side, or of the nearest line before it that the old side has too. */
export function lineBefore(line: number, changes: readonly HunkHead[]): number {
  let shift = 0;
  for (const { oldLine, oldCount, newLine, newCount } of changes) {
    // Where nothing was put in, the head names the line before the gap.
    if (line < newLine + (newCount === 0 ? 1 : 0)) break;
    if (line < newLine + newCount) return oldCount > 0 ? oldLine - 1 : oldLine;
    shift = oldLine + Math.max(oldCount, 1) - newLine - Math.max(newCount, 1);
  }
  return line + shift;
}

function countLines(content: Buffer): number {
  let count = 0;
  for (let at = content.indexOf(10); at >= 0; at = content.indexOf(10, at + 1)) count++;
  return content.at(-1) === 10 ? count : count + 1;
}
