import type { BodyContent } from './bodyIndex';
import { UNKNOWN_TERM } from './queryTerms';

/** Counts how often the terms of a query are neighbours. One counter serves all documents of a query. */
export class NeighbourCounter {
  /** Number of the pair of two slots, plus one; 0 = the query does not have the pair. `[width × width]`. */
  private readonly pairs: Uint16Array;
  private readonly width: number;
  private readonly found: Uint32Array;
  /** The whole query where every term is known, else empty. */
  private readonly whole: readonly number[];

  /**
   * @param sequence the query's terms in order.
   * @param slots by term the query slot, 0 = no term of the query; must stay as it is while counting.
   */
  constructor(
    sequence: readonly number[],
    private readonly slots: Uint8Array,
  ) {
    const inSlots = sequence.map(term => slots[term] ?? 0);
    this.width = Math.max(0, ...inSlots) + 1;
    this.pairs = new Uint16Array(this.width * this.width);
    let count = 0;
    for (const [at, second] of inSlots.entries()) {
      const first = inSlots[at - 1] ?? 0;
      const key = first * this.width + second;
      // A word twice in a row is stammering, not a phrase.
      if (first > 0 && second > 0 && first !== second && this.pairs[key] === 0) this.pairs[key] = ++count;
    }
    this.found = new Uint32Array(count);
    this.whole = sequence.length > 1 && !sequence.includes(UNKNOWN_TERM) ? sequence : [];
  }

  /** False when no document can have anything. */
  get hasWork(): boolean {
    return this.found.length > 0 || this.whole.length > 0;
  }

  /** Σ ln(1 + occurrences) over the query's distinct pairs, and the occurrences of the whole query; both inside lines. */
  count(content: BodyContent): readonly [pairs: number, exact: number] {
    const { terms, lineEnds } = content;
    const { slots, pairs, width, found } = this;
    const head = this.whole[0] ?? UNKNOWN_TERM;
    found.fill(0);
    let exact = 0;
    let at = 0;
    for (const end of lineEnds) {
      let before = 0;
      for (; at < end; at++) {
        const term = terms[at] ?? 0;
        const slot = slots[term] ?? 0;
        if (slot > 0) {
          const pair = before > 0 ? (pairs[before * width + slot] ?? 0) : 0;
          if (pair > 0) found[pair - 1] = (found[pair - 1] ?? 0) + 1;
          if (term === head && this.wholeStandsAt(terms, at, end)) exact++;
        }
        before = slot;
      }
    }
    let sum = 0;
    for (const occurrences of found) sum += Math.log1p(occurrences);
    return [sum, exact];
  }

  private wholeStandsAt(terms: Uint32Array, at: number, end: number): boolean {
    const { whole } = this;
    if (at + whole.length > end) return false;
    for (let offset = 1; offset < whole.length; offset++) if (terms[at + offset] !== whole[offset]) return false;
    return true;
  }
}
