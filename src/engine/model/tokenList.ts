/** Growing typed arrays of token ids and their lines: a number array of both takes four times the memory. */
export class TokenList {
  #ids = new Int32Array(1024);
  #lines = new Uint32Array(1024);
  #length = 0;

  append(ids: readonly number[], line: number): void {
    const length = this.#length + ids.length;
    if (length > this.#ids.length) this.#grow(length);
    for (const id of ids) {
      this.#ids[this.#length] = id;
      this.#lines[this.#length++] = line;
    }
  }

  finish(lineCount: number): { ids: Int32Array; lines: Uint32Array; lineCount: number } {
    return { ids: this.#ids.slice(0, this.#length), lines: this.#lines.slice(0, this.#length), lineCount };
  }

  #grow(least: number): void {
    const capacity = Math.max(least, this.#ids.length * 2);
    const ids = new Int32Array(capacity);
    ids.set(this.#ids.subarray(0, this.#length));
    const lines = new Uint32Array(capacity);
    lines.set(this.#lines.subarray(0, this.#length));
    this.#ids = ids;
    this.#lines = lines;
  }
}
