import type { LineTerms } from './lineTerms';
import type { Occurrences } from './occurrences';

/** Lines of half a window; a window is two neighbouring halves, so one starts every 20 lines. */
export const HALF = 20;
const K1 = 1.2;
const B = 0.5;

export function halfCount(lines: number): number {
  return Math.ceil(lines / HALF);
}

/** Number of a content's windows and the sum of their lengths in terms. A content of up to 40 lines is one window. */
export function windowTotals(lineEnds: Uint32Array): { readonly count: number; readonly length: number } {
  const halves = halfCount(lineEnds.length);
  const terms = lineEnds[lineEnds.length - 1] ?? 0;
  if (halves <= 2) return { count: 1, length: terms };
  // Every half but the first and the last lies in two windows.
  const first = lineEnds[HALF - 1] ?? 0;
  const last = terms - (lineEnds[(halves - 1) * HALF - 1] ?? 0);
  return { count: halves - 1, length: 2 * terms - first - last };
}

/**
 * The greatest BM25 among a content's windows; 0 where no term of the query is.
 * @param found the query's terms in the content, slots 1 to `weights.length`.
 * @param weights IDF by slot, from slot 1 on.
 * @param average length of all windows of the index.
 */
export function bestWindow(found: Occurrences, content: LineTerms, weights: Float64Array, average: number): number {
  const halves = halfCount(content.lineCount);
  let [before, half] = counts;
  before.fill(0, 0, weights.length);
  let best = 0;
  let next = 0;
  let start = 0;
  let startBefore = 0;
  for (let at = 0; at < halves; at++) {
    const behind = content.endOfHalf(at);
    const end = content.termsUpTo(at);
    half.fill(0, 0, weights.length);
    for (; next < found.count && (found.starts[next] ?? 0) < behind; next++) {
      const slot = (found.slots[next] ?? 1) - 1;
      half[slot] = (half[slot] ?? 0) + 1;
    }
    // The first half is a window by itself only where it is the whole content.
    if (at > 0 || halves === 1) {
      const norm = K1 * (1 - B + (average > 0 ? (B * (end - startBefore)) / average : 0));
      best = Math.max(best, windowScore(before, half, weights, norm));
    }
    startBefore = start;
    start = end;
    [before, half] = [half, before];
  }
  return best;
}

/** Work space: occurrences by slot, of two neighbouring halves. A slot is a byte. */
const counts: readonly [Uint32Array, Uint32Array] = [new Uint32Array(256), new Uint32Array(256)];

function windowScore(before: Uint32Array, half: Uint32Array, weights: Float64Array, norm: number): number {
  let score = 0;
  for (let slot = 0; slot < weights.length; slot++) {
    const count = (before[slot] ?? 0) + (half[slot] ?? 0);
    if (count > 0) score += ((weights[slot] ?? 0) * count * (K1 + 1)) / (count + norm);
  }
  return score;
}
