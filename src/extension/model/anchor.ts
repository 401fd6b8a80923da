import type { Place } from '../../engine/types';

/** The lines of a document as it is now, 0-based access. */
export interface LiveLines {
  readonly count: number;
  lineAt(index: number): string;
}

/** Where a place is now: 1-based, inclusive. */
export interface AnchoredPlace {
  readonly line: number;
  readonly startLine: number;
  readonly endLine: number;
  /** False when the line's text is nowhere in the document: then the numbers are a guess. */
  readonly found: boolean;
}

/**
 * Finds a place of the index again in a document that may have changed since, also without having been saved.
 * @param saved the lines that were indexed, where known: with them an edit elsewhere in the file shifts the place exactly,
 *   even when its line occurs many times.
 */
export function anchorPlace(
  place: Pick<Place, 'line' | 'lineText' | 'startLine' | 'endLine'>,
  live: LiveLines,
  saved?: readonly string[],
): AnchoredPlace {
  const expected = clamp(saved === undefined ? place.line : shiftedLine(place.line, saved, live), 1, live.count);
  const line = nearestLine(place.lineText, expected, live);
  const at = line ?? expected;
  const shift = at - place.line;
  return {
    line: at,
    startLine: clamp(place.startLine + shift, 1, live.count),
    endLine: clamp(place.endLine + shift, 1, live.count),
    found: line !== undefined,
  };
}

/** Lines before the first difference stay, lines after the last one move by the difference in length. */
function shiftedLine(line: number, saved: readonly string[], live: LiveLines): number {
  const shorter = Math.min(saved.length, live.count);
  let same = 0;
  while (same < shorter && saved[same] === live.lineAt(same)) same++;
  if (line <= same) return line;
  let sameAtEnd = 0;
  while (
    sameAtEnd < shorter - same &&
    saved[saved.length - 1 - sameAtEnd] === live.lineAt(live.count - 1 - sameAtEnd)
  ) {
    sameAtEnd++;
  }
  return line > saved.length - sameAtEnd ? line + live.count - saved.length : line;
}

/** The line with this text that is nearest to the expected one; a change of indentation alone does not hide it. */
function nearestLine(text: string, expected: number, live: LiveLines): number | undefined {
  const wanted = text.trim();
  if (wanted === '') return expected;
  let loose: number | undefined;
  for (let distance = 0; distance < live.count; distance++) {
    for (const line of distance === 0 ? [expected] : [expected - distance, expected + distance]) {
      if (line < 1 || line > live.count) continue;
      const candidate = live.lineAt(line - 1);
      if (candidate === text) return line;
      if (loose === undefined && candidate.trim() === wanted) loose = line;
    }
  }
  return loose;
}

function clamp(value: number, least: number, greatest: number): number {
  return Math.max(least, Math.min(greatest, value));
}
