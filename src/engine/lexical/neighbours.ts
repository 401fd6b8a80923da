import type { Occurrences } from './occurrences';

/** Fewer terms in a row are no sign that a text was pasted. */
const FEWEST = 3;
/** So many in a row are a pasted text, however long the query around them is. */
const ENOUGH = 8;

/** How far a text in which `longest` terms of a query stand in a row is what was pasted, in [0, 1]. */
export function pastedShare(longest: number, queryLength: number): number {
  return longest < FEWEST ? 0 : Math.min(1, longest / Math.min(queryLength, ENOUGH));
}

/** Counts how often the terms of a query are neighbours. One counter serves all documents of a query. */
export class NeighbourCounter {
  /** Number of the pair of two slots, plus one; 0 = the query does not have the pair. `[width × width]`. */
  private readonly pairs: Uint16Array;
  private readonly width: number;
  private readonly found: Uint32Array;
  /** The slots of the whole query where every term is somewhere, else empty. */
  private readonly whole: readonly number[];

  /**
   * @param sequence the query's terms in order.
   * @param slots by term the query slot, 0 = no term of the query.
   */
  constructor(sequence: readonly number[], slots: Uint8Array) {
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
    this.whole = inSlots.length > 1 && !inSlots.includes(0) ? inSlots : [];
  }

  /** False when no document can have anything. */
  get hasWork(): boolean {
    return this.found.length > 0 || this.whole.length > 0;
  }

  /**
   * Σ ln(1 + occurrences) over the query's distinct pairs, the occurrences of the whole query, and the terms of the
   * longest chain of pairs; all inside lines.
   * @param occurrences the query's terms in the content.
   */
  count(occurrences: Occurrences): readonly [pairs: number, exact: number, longest: number] {
    const { pairs, width, found } = this;
    const { slots, starts, ends, lineEnds } = occurrences;
    const head = this.whole[0] ?? 0;
    found.fill(0);
    let exact = 0;
    let longest = 0;
    let chain = 1;
    let before = 0;
    let expected = -1;
    let line = -1;
    for (let next = 0; next < occurrences.count; next++) {
      const slot = slots[next] as number;
      if (starts[next] !== expected || lineEnds[next] !== line) before = 0;
      const pair = before > 0 ? (pairs[before * width + slot] ?? 0) : 0;
      chain = pair > 0 ? chain + 1 : 1;
      if (pair > 0) {
        found[pair - 1] = (found[pair - 1] ?? 0) + 1;
        if (chain > longest) longest = chain;
      }
      if (slot === head && this.wholeStandsAt(occurrences, next)) exact++;
      before = slot;
      expected = ends[next] as number;
      line = lineEnds[next] as number;
    }
    let sum = 0;
    for (const occurrence of found) sum += Math.log1p(occurrence);
    return [sum, exact, longest];
  }

  /** The query's terms one by one from an occurrence on, before the line's end. */
  private wholeStandsAt({ slots, starts, ends, lineEnds, count }: Occurrences, first: number): boolean {
    const { whole } = this;
    const last = first + whole.length - 1;
    if (last >= count || lineEnds[last] !== lineEnds[first]) return false;
    for (let at = first + 1; at <= last; at++) {
      if (starts[at] !== ends[at - 1] || slots[at] !== whole[at - first]) return false;
    }
    return true;
  }
}
