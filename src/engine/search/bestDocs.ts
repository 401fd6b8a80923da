import type { Scores } from './fusion';

/**
 * Documents with a score above zero, best first, ties by number. Takes one look at each score and keeps the best in a heap: a
 * full sort of ten thousand takes longer than finding them.
 * @param factorOf by document, in [0, 1]: multiplies the score. Asked for those alone that would be kept without it.
 */
export function bestDocs(scores: Scores, count: number, factorOf?: (doc: number) => number): number[] {
  /** The worst of the kept documents is at the root. */
  const kept: number[] = [];
  if (count <= 0) return kept;
  const final = factorOf === undefined ? scores : new Float64Array(scores.length);
  const scoreOf = (doc: number): number => final[doc] as number;
  const isWorse = (a: number, b: number): boolean => scoreOf(a) < scoreOf(b) || (scoreOf(a) === scoreOf(b) && a > b);
  // Of two with the same score the earlier is the better one: nobody gets in later with what the worst has.
  let least = 0;
  for (let doc = 0; doc < scores.length; doc++) {
    const score = scores[doc] as number;
    if (!(score > least)) continue;
    if (factorOf !== undefined) {
      final[doc] = score * factorOf(doc);
      if (!(scoreOf(doc) > least)) continue;
    }
    if (kept.length < count) {
      kept.push(doc);
      riseFrom(kept, kept.length - 1, isWorse);
    } else {
      kept[0] = doc;
      sinkFrom(kept, isWorse);
    }
    if (kept.length === count) least = scoreOf(kept[0] ?? 0);
  }
  return kept.sort((a, b) => scoreOf(b) - scoreOf(a) || a - b);
}

type Order = (a: number, b: number) => boolean;

function riseFrom(heap: number[], start: number, isWorse: Order): void {
  const doc = heap[start] ?? 0;
  let at = start;
  while (at > 0) {
    const parent = (at - 1) >> 1;
    const above = heap[parent] ?? 0;
    if (!isWorse(doc, above)) break;
    heap[at] = above;
    at = parent;
  }
  heap[at] = doc;
}

function sinkFrom(heap: number[], isWorse: Order): void {
  const doc = heap[0] ?? 0;
  let at = 0;
  for (;;) {
    let child = 2 * at + 1;
    if (child >= heap.length) break;
    if (child + 1 < heap.length && isWorse(heap[child + 1] ?? 0, heap[child] ?? 0)) child++;
    const below = heap[child] ?? 0;
    if (!isWorse(below, doc)) break;
    heap[at] = below;
    at = child;
  }
  heap[at] = doc;
}
