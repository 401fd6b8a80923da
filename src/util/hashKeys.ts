/** Of a sha256. */
export const KEY_BYTES = 32;
/** Keys of a block; a block is allocated at once, so that growing copies no keys. */
const BLOCK_KEYS = 1024;
const FIRST_SLOTS = 64;
/** At most this share of the slots is taken: beyond it looking for an absent key takes long. */
const FULLEST = 5 / 8;

interface Block {
  readonly bytes: Uint8Array;
  /** 1 = the number stands for a key. */
  readonly taken: Uint8Array;
}

/**
 * A set of hashes of 32 bytes in about as much memory as they are long (at most 46 bytes each),
 * which numbers them: from 0, and numbers of deleted keys are given out again. Open addressing with linear probing and
 * deletion that closes the gap (Knuth, The Art of Computer Programming 3, section 6.4). Keys have to be spread evenly, as
 * those of sha256 are: their first bytes say where they stand.
 */
export class HashKeys {
  private readonly blocks: Block[] = [];
  /** The number of the key that stands there plus one; 0 = free. As many as a power of two. */
  private slots = new Int32Array(FIRST_SLOTS);
  private readonly free: number[] = [];
  private count = 0;

  /** @param keys that are in it from the beginning. */
  constructor(keys: Iterable<Uint8Array> = []) {
    for (const key of keys) this.add(key);
  }

  get size(): number {
    return this.count;
  }

  /** Bytes of the arrays. */
  get byteLength(): number {
    return this.slots.byteLength + this.blocks.length * BLOCK_KEYS * (KEY_BYTES + 1);
  }

  has(key: Uint8Array): boolean {
    return this.numberOf(key) >= 0;
  }

  /** The number of a key; -1 when it is not there. */
  numberOf(key: Uint8Array): number {
    return (this.slots[this.slotOf(key)] as number) - 1;
  }

  /** Adds a copy of a key. @returns its number, also when it was there. */
  add(key: Uint8Array): number {
    const slot = this.slotOf(key);
    const present = this.slots[slot] as number;
    if (present !== 0) return present - 1;
    const number = this.free.pop() ?? this.count;
    const { bytes, taken } = this.blockOf(number);
    bytes.set(key, (number % BLOCK_KEYS) * KEY_BYTES);
    taken[number % BLOCK_KEYS] = 1;
    this.slots[slot] = number + 1;
    this.count++;
    if (this.count > this.slots.length * FULLEST) this.grow();
    return number;
  }

  /** @returns the number the key had; -1 when it was not there. */
  delete(key: Uint8Array): number {
    const slot = this.slotOf(key);
    const number = (this.slots[slot] as number) - 1;
    if (number < 0) return -1;
    this.closeGap(slot);
    this.blockOf(number).taken[number % BLOCK_KEYS] = 0;
    this.free.push(number);
    this.count--;
    return number;
  }

  /** The key of a number that stands for one: a view, which changes when the number is given out again. */
  keyOf(number: number): Uint8Array {
    const start = (number % BLOCK_KEYS) * KEY_BYTES;
    return this.blockOf(number).bytes.subarray(start, start + KEY_BYTES);
  }

  /** Ascending. Keys may be added and deleted meanwhile. */
  *numbers(): Generator<number> {
    for (const [block, { taken }] of this.blocks.entries()) {
      for (let at = 0; at < BLOCK_KEYS; at++) if (taken[at] === 1) yield block * BLOCK_KEYS + at;
    }
  }

  /** By their numbers, as views, see `keyOf`. */
  *keys(): Generator<Uint8Array> {
    for (const number of this.numbers()) yield this.keyOf(number);
  }

  clear(): void {
    this.blocks.length = 0;
    this.slots = new Int32Array(FIRST_SLOTS);
    this.free.length = 0;
    this.count = 0;
  }

  /** Where the key stands, or the free slot where it belongs. */
  private slotOf(key: Uint8Array): number {
    if (key.length !== KEY_BYTES) throw new RangeError(`expected a key of ${KEY_BYTES} bytes, got ${key.length}`);
    const last = this.slots.length - 1;
    let slot = firstBytes(key, 0) & last;
    for (;;) {
      const number = (this.slots[slot] as number) - 1;
      if (number < 0 || this.equals(number, key)) return slot;
      slot = (slot + 1) & last;
    }
  }

  private equals(number: number, key: Uint8Array): boolean {
    const { bytes } = this.blockOf(number);
    const start = (number % BLOCK_KEYS) * KEY_BYTES;
    for (let at = 0; at < KEY_BYTES; at++) if (bytes[start + at] !== key[at]) return false;
    return true;
  }

  /** Moves the keys behind a slot forward that would not be found any more if it were free. */
  private closeGap(slot: number): void {
    const last = this.slots.length - 1;
    let gap = slot;
    for (let at = (slot + 1) & last; this.slots[at] !== 0; at = (at + 1) & last) {
      const moved = this.slots[at] as number;
      const home = this.homeOf(moved - 1);
      if (((at - home) & last) < ((at - gap) & last)) continue;
      this.slots[gap] = moved;
      gap = at;
    }
    this.slots[gap] = 0;
  }

  private grow(): void {
    this.slots = new Int32Array(this.slots.length * 2);
    const last = this.slots.length - 1;
    for (const number of this.numbers()) {
      let slot = this.homeOf(number);
      while (this.slots[slot] !== 0) slot = (slot + 1) & last;
      this.slots[slot] = number + 1;
    }
  }

  private homeOf(number: number): number {
    return firstBytes(this.blockOf(number).bytes, (number % BLOCK_KEYS) * KEY_BYTES) & (this.slots.length - 1);
  }

  /** A number that was never given out is the next one. */
  private blockOf(number: number): Block {
    const at = Math.floor(number / BLOCK_KEYS);
    const block = this.blocks[at];
    if (block !== undefined) return block;
    const added = { bytes: new Uint8Array(BLOCK_KEYS * KEY_BYTES), taken: new Uint8Array(BLOCK_KEYS) };
    this.blocks.push(added);
    return added;
  }
}

function firstBytes(bytes: Uint8Array, at: number): number {
  const byte = (offset: number): number => bytes[at + offset] as number;
  return byte(0) | (byte(1) << 8) | (byte(2) << 16) | (byte(3) << 24);
}
