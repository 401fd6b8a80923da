/** Where the terms of a query stand in one content, in order. One object serves all contents of a query. */
export class Occurrences {
  /** How many there are: the arrays hold older ones behind. */
  count = 0;
  /** Index among the content's terms. */
  positions = new Uint32Array(1 << 10);
  /** Slot of the term, from 1 on. */
  slots = new Uint8Array(1 << 10);

  /** @param slotOf by term the query slot, 0 = no term of the query. */
  find(terms: Uint32Array, slotOf: Uint8Array): void {
    this.makeRoom(terms.length);
    const { positions, slots } = this;
    let count = 0;
    for (let at = 0; at < terms.length; at++) {
      const slot = slotOf[terms[at] as number] as number;
      if (slot === 0) continue;
      positions[count] = at;
      slots[count++] = slot;
    }
    this.count = count;
  }

  private makeRoom(length: number): void {
    if (length <= this.positions.length) return;
    this.positions = new Uint32Array(length * 2);
    this.slots = new Uint8Array(length * 2);
  }
}
