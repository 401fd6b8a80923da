/** Share of the slots that may be taken. */
const FILL = 0.75;
const FIRST_TERMS = 1 << 10;
const FIRST_BYTES = 1 << 14;

/**
 * Texts and their numbers, from 0 on in the order they came. Their UTF-8 bytes lie one after the other in one array, found
 * by open addressing: some twenty bytes a text, where a string, a place in a list and an entry of a Map take a hundred.
 */
export class TermTable {
  private bytes = new Uint8Array(FIRST_BYTES);
  /** Where the bytes of each text end. */
  private ends = new Uint32Array(FIRST_TERMS);
  /** Number of a text plus one, by its hash; 0 = empty. The length is a power of two. */
  private slots = new Uint32Array(FIRST_TERMS * 2);
  private count = 0;

  get size(): number {
    return this.count;
  }

  /** The number of a text; undefined where it is not among these. */
  numberOf(text: string): number | undefined {
    return this.find(encoded(text));
  }

  /** The text of a number below `size`. */
  textOf(number: number): string {
    return Buffer.from(this.bytes.buffer, this.startOf(number), this.endOf(number) - this.startOf(number)).toString();
  }

  /** The number of a text, a new one if need be. */
  add(text: string): number {
    return this.addBytes(encoded(text));
  }

  /** The same by the UTF-8 bytes of the text, which are copied. */
  addBytes(text: Uint8Array): number {
    const known = this.find(text);
    if (known !== undefined) return known;
    const number = this.count++;
    if (this.count > this.ends.length) this.ends = enlarged(this.ends, new Uint32Array(this.ends.length * 2));
    if (this.count > this.slots.length * FILL) this.spread();
    const start = this.startOf(number);
    const end = start + text.length;
    if (end > this.bytes.length) {
      this.bytes = enlarged(this.bytes, new Uint8Array(Math.max(end, Math.ceil(this.bytes.length * 1.5))));
    }
    this.bytes.set(text, start);
    this.ends[number] = end;
    this.place(number);
    return number;
  }

  private startOf(number: number): number {
    return number === 0 ? 0 : (this.ends[number - 1] as number);
  }

  private endOf(number: number): number {
    return this.ends[number] as number;
  }

  private find(text: Uint8Array): number | undefined {
    const mask = this.slots.length - 1;
    for (let slot = hashOf(text, 0, text.length) & mask; ; slot = (slot + 1) & mask) {
      const number = (this.slots[slot] as number) - 1;
      if (number < 0) return undefined;
      if (this.holds(number, text)) return number;
    }
  }

  private holds(number: number, text: Uint8Array): boolean {
    const start = this.startOf(number);
    if (this.endOf(number) - start !== text.length) return false;
    for (let at = 0; at < text.length; at++) if (this.bytes[start + at] !== text[at]) return false;
    return true;
  }

  private place(number: number): void {
    const mask = this.slots.length - 1;
    let slot = hashOf(this.bytes, this.startOf(number), this.endOf(number)) & mask;
    while (this.slots[slot] !== 0) slot = (slot + 1) & mask;
    this.slots[slot] = number + 1;
  }

  private spread(): void {
    this.slots = new Uint32Array(this.slots.length * 2);
    // The last one gets its place when its bytes are there.
    for (let number = 0; number < this.count - 1; number++) this.place(number);
  }
}

/** FNV-1a, mixed once more so that the low bits depend on all of it. */
function hashOf(bytes: Uint8Array, start: number, end: number): number {
  let hash = 0x811c9dc5;
  for (let at = start; at < end; at++) hash = Math.imul(hash ^ (bytes[at] as number), 0x01000193);
  return (hash ^ (hash >>> 15)) >>> 0;
}

const encoder = new TextEncoder();
let scratch = new Uint8Array(256);

/** The UTF-8 bytes of a text, valid until the next call. */
function encoded(text: string): Uint8Array {
  if (text.length * 3 > scratch.length) scratch = new Uint8Array(text.length * 6);
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit > 127) return scratch.subarray(0, encoder.encodeInto(text, scratch).written);
    scratch[at] = unit;
  }
  return scratch.subarray(0, text.length);
}

function enlarged<T extends Uint32Array | Uint8Array>(from: T, to: T): T {
  to.set(from);
  return to;
}
