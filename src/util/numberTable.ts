const FIRST_LENGTH = 256;

/**
 * Numbers from 0 to 2^31 - 1 under small numbers, four bytes each; -1 where there is none. There is room for every number up
 * to the greatest that one was set under.
 */
export class NumberTable {
  private values = new Int32Array(FIRST_LENGTH).fill(-1);

  /** Nothing stands at this number or above. */
  get limit(): number {
    return this.values.length;
  }

  get(at: number): number {
    return this.values[at] ?? -1;
  }

  /** @param value -1 takes away what stood there. */
  set(at: number, value: number): void {
    if (at >= this.values.length) this.grow(at + 1);
    this.values[at] = value;
  }

  clear(): void {
    this.values = new Int32Array(FIRST_LENGTH).fill(-1);
  }

  private grow(least: number): void {
    const longer = new Int32Array(Math.max(least, this.values.length * 2)).fill(-1, this.values.length);
    longer.set(this.values);
    this.values = longer;
  }
}
