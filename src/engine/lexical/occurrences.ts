import { type LineTerms, LONG } from './lineTerms';

/** Where the terms of a query stand in one content, in order. One object serves all contents of a query. */
export class Occurrences {
  /** How many there are, and how many lines: the arrays hold older ones behind. */
  count = 0;
  lineCount = 0;
  /** Index among the content's terms. */
  positions = new Uint32Array(1 << 10);
  /** Slot of the term, from 1 on. */
  slots = new Uint8Array(1 << 10);
  /** For each line the number of terms up to and including it. */
  lineEnds = new Uint32Array(1 << 10);

  /** @param slotOf by term the query slot, 0 = no term of the query. */
  find({ units, lineCount, termCount }: LineTerms, slotOf: Uint8Array): void {
    this.makeRoom(termCount, lineCount);
    const { positions, slots, lineEnds } = this;
    let found = 0;
    let position = 0;
    let at = 0;
    // Reading in place: a call for every term would take several times as long.
    for (let line = 0; line < lineCount; line++) {
      let left = units[at++] as number;
      if (left === LONG) {
        left = (units[at] as number) + (units[at + 1] as number) * 0x10000;
        at += 2;
      }
      for (const end = position + left; position < end; position++) {
        let term = units[at++] as number;
        if (term === LONG) {
          term = (units[at] as number) + (units[at + 1] as number) * 0x10000;
          at += 2;
        }
        const slot = slotOf[term] as number;
        if (slot === 0) continue;
        positions[found] = position;
        slots[found++] = slot;
      }
      lineEnds[line] = position;
    }
    this.count = found;
    this.lineCount = lineCount;
  }

  private makeRoom(terms: number, lines: number): void {
    if (terms > this.positions.length) {
      this.positions = new Uint32Array(terms * 2);
      this.slots = new Uint8Array(terms * 2);
    }
    if (lines > this.lineEnds.length) this.lineEnds = new Uint32Array(lines * 2);
  }
}
