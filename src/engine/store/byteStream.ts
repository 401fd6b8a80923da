import { LandmarkError } from '../../util/errors';

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** As many of a number's bits can be shifted into place; those beyond, which few numbers have, take a multiplication. */
const WHOLE_BITS = 28;

/** An append-only byte buffer. Numbers are non-negative safe integers unless a method says otherwise. */
export class ByteWriter {
  private bytes: Uint8Array;
  private at = 0;

  constructor(capacity = 256) {
    this.bytes = new Uint8Array(capacity);
  }

  get length(): number {
    return this.at;
  }

  byte(value: number): void {
    this.room(1);
    this.bytes[this.at++] = value;
  }

  /** Seven bits a byte, least significant first, the eighth bit says that more follow. */
  varint(value: number): void {
    this.room(8);
    let rest = value;
    while (rest > 0x7fffffff) {
      this.bytes[this.at++] = (rest % 128) | 0x80;
      rest = Math.floor(rest / 128);
    }
    while (rest > 127) {
      this.bytes[this.at++] = (rest & 127) | 0x80;
      rest >>>= 7;
    }
    this.bytes[this.at++] = rest;
  }

  /** A signed integer; small distances from zero take one byte. */
  signed(value: number): void {
    this.varint(value >= 0 ? value * 2 : -value * 2 - 1);
  }

  float32(value: number): void {
    this.room(4);
    new DataView(this.bytes.buffer).setFloat32(this.at, value, true);
    this.at += 4;
  }

  float64(value: number): void {
    this.room(8);
    new DataView(this.bytes.buffer).setFloat64(this.at, value, true);
    this.at += 8;
  }

  raw(bytes: Uint8Array): void {
    this.room(bytes.length);
    this.bytes.set(bytes, this.at);
    this.at += bytes.length;
  }

  text(value: string): void {
    const bytes = encoder.encode(value);
    this.varint(bytes.length);
    this.raw(bytes);
  }

  /** The bytes written so far, a view that the next write may invalidate. */
  finish(): Uint8Array {
    return this.bytes.subarray(0, this.at);
  }

  private room(more: number): void {
    if (this.at + more <= this.bytes.length) return;
    const grown = new Uint8Array(Math.max(this.bytes.length * 2, this.at + more));
    grown.set(this.bytes);
    this.bytes = grown;
  }
}

/** Reads what a `ByteWriter` wrote. Reading past the end throws `store-damaged`. */
export class ByteReader {
  private at = 0;
  private readonly view: DataView;

  constructor(private readonly bytes: Uint8Array) {
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  byte(): number {
    const value = this.bytes[this.at++];
    if (value === undefined) throw endReached();
    return value;
  }

  varint(): number {
    let value = 0;
    for (let shift = 0; shift < WHOLE_BITS; shift += 7) {
      const next = this.byte();
      value |= (next & 127) << shift;
      if (next < 128) return value;
    }
    for (let scale = 2 ** WHOLE_BITS; scale <= Number.MAX_SAFE_INTEGER; scale *= 128) {
      const next = this.byte();
      value += (next & 127) * scale;
      if (next < 128) return value;
    }
    throw endReached();
  }

  signed(): number {
    const value = this.varint();
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }

  float32(): number {
    this.need(4);
    const value = this.view.getFloat32(this.at, true);
    this.at += 4;
    return value;
  }

  float64(): number {
    this.need(8);
    const value = this.view.getFloat64(this.at, true);
    this.at += 8;
    return value;
  }

  /** A copy of the next bytes. */
  raw(length: number): Uint8Array {
    this.need(length);
    // Not `slice`: that of a Buffer is a view.
    const copy = new Uint8Array(this.bytes.subarray(this.at, this.at + length));
    this.at += length;
    return copy;
  }

  /** Copies the next bytes into an array, from `start` on. */
  copyTo(target: Uint8Array, start: number, length: number): void {
    this.need(length);
    for (let offset = 0; offset < length; offset++) target[start + offset] = this.bytes[this.at + offset] as number;
    this.at += length;
  }

  /** A view of the next bytes. */
  borrowed(length: number): Uint8Array {
    this.need(length);
    this.at += length;
    return this.bytes.subarray(this.at - length, this.at);
  }

  text(): string {
    const bytes = this.borrowed(this.varint());
    try {
      return decoder.decode(bytes);
    } catch (error) {
      throw new LandmarkError('store-damaged', 'A stored text is no text: the index is damaged.', { cause: error });
    }
  }

  /** A count of things that take at least `least` bytes each: refused when the rest cannot hold them. */
  count(least = 1): number {
    const value = this.varint();
    this.need(value * least);
    return value;
  }

  /** Throws when bytes are left over. */
  end(): void {
    if (this.at !== this.bytes.length) throw endReached();
  }

  private need(length: number): void {
    if (!(this.at + length <= this.bytes.length)) throw endReached();
  }
}

function endReached(): LandmarkError {
  return new LandmarkError('store-damaged', 'A stored value has another length than it should: the index is damaged.');
}

/** The bytes of a typed array, a view. */
export function bytesOf(numbers: ArrayBufferView): Uint8Array {
  return new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength);
}
