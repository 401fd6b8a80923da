import type { Scores } from './fusion';

/**
 * Documents with a score above zero, best first, ties by number. Takes one look at each score and keeps the best in a heap: a
 * full sort of ten thousand takes longer than finding them.
 * @param factorOf by document, in [0, 1]: multiplies the score. Asked for those alone that would be kept without it.
 */
export function bestDocs(scores: Scores, count: number, factorOf?: (doc: number) => number): number[] {
  const heap = new WorstFirst(Math.max(0, Math.min(count, scores.length)));
  for (let doc = 0; doc < scores.length; doc++) {
    const score = scores[doc] as number;
    if (!(score > heap.least)) continue;
    const final = factorOf === undefined ? score : score * factorOf(doc);
    if (final > heap.least) heap.add(doc, final);
  }
  return heap.bestFirst();
}

/** The best of the documents that came in the order of their numbers; the worst of these is at the root. */
class WorstFirst {
  /** Of two with the same score the earlier is the better one: nobody gets in later with what the worst has. */
  least = 0;
  private held = 0;
  private readonly docs: Uint32Array;
  private readonly scores: Float64Array;

  constructor(private readonly room: number) {
    this.docs = new Uint32Array(room);
    this.scores = new Float64Array(room);
    if (room === 0) this.least = Infinity;
  }

  /** @param score above `least`. */
  add(doc: number, score: number): void {
    if (this.held < this.room) this.rise(this.held++, doc, score);
    else this.sink(doc, score);
    if (this.held === this.room) this.least = this.scores[0] as number;
  }

  bestFirst(): number[] {
    const { docs, scores } = this;
    const places = Array.from({ length: this.held }, (_, at) => at);
    places.sort((a, b) => (scores[b] as number) - (scores[a] as number) || (docs[a] as number) - (docs[b] as number));
    return places.map(at => docs[at] as number);
  }

  private rise(start: number, doc: number, score: number): void {
    const { docs, scores } = this;
    let at = start;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!this.isWorse(doc, score, parent)) break;
      docs[at] = docs[parent] as number;
      scores[at] = scores[parent] as number;
      at = parent;
    }
    docs[at] = doc;
    scores[at] = score;
  }

  private sink(doc: number, score: number): void {
    const { docs, scores, held } = this;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= held) break;
      if (child + 1 < held && this.isWorse(docs[child + 1] as number, scores[child + 1] as number, child)) child++;
      if (this.isWorse(doc, score, child)) break;
      docs[at] = docs[child] as number;
      scores[at] = scores[child] as number;
      at = child;
    }
    docs[at] = doc;
    scores[at] = score;
  }

  private isWorse(doc: number, score: number, than: number): boolean {
    const other = this.scores[than] as number;
    return score < other || (score === other && doc > (this.docs[than] as number));
  }
}
