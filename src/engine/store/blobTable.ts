import type { BlobIndex, Blobs, BlobSource, RestingBlobs } from './snapshot';
import { snapshotDamage } from './snapshotRecord';

const NOTHING: Uint32Array = new Uint32Array();
/** Where a blob rests follows from the lengths of those before it; so many (32) are added up at most. */
const STRIDE_BITS = 5;
/** Changed blobs are kept by page of 256: lists where most numbers have one, and next to nothing where few do. */
const PAGE_BITS = 8;
const PAGE = 1 << PAGE_BITS;

type Page = (Uint8Array | undefined)[];

/**
 * Byte strings under small numbers. Those that nothing has changed since a snapshot are read from it when they are asked
 * for, at a cost in memory of four to eight bytes each.
 */
export class BlobTable implements Blobs, RestingBlobs {
  private readonly pages: (Page | undefined)[] = [];
  private source: BlobSource | undefined;
  private lengths = NOTHING;
  private checks = NOTHING;
  /** Where the first one of each stride rests, in units of four bytes. */
  private starts = NOTHING;
  /** One bit for each resting one that counts no longer. */
  private gone = new Uint8Array();
  private top = 0;

  /** Lets blobs be read from a snapshot from now on, instead of whatever was known before. Takes the index over. */
  rest(source: BlobSource, { lengths, checks }: BlobIndex): void {
    this.pages.length = 0;
    this.source = source;
    this.lengths = lengths;
    this.checks = source.isChecked ? NOTHING : checks;
    this.gone = new Uint8Array(Math.ceil(lengths.length / 8));
    this.starts = new Uint32Array((lengths.length >>> STRIDE_BITS) + 1);
    this.top = lengths.length;
    let next = 0;
    for (let number = 0; number < lengths.length; number++) {
      if (number % (1 << STRIDE_BITS) === 0) this.starts[number >>> STRIDE_BITS] = next;
      next += words(lengths[number] as number);
    }
  }

  /** Every number that has a blob is below this; it may be larger than that takes after some were deleted. */
  get limit(): number {
    return this.top;
  }

  /** Bytes of a blob, 0 where there is none. */
  lengthOf(number: number): number {
    return this.changed(number)?.length ?? this.restingLength(number);
  }

  /**
   * A blob, to be read only and before the table is asked for another one; it begins at a multiple of four.
   * @throws LandmarkError `store-damaged`.
   */
  get(number: number): Uint8Array | undefined {
    const changed = this.changed(number);
    if (changed !== undefined) return changed;
    const length = this.restingLength(number);
    if (length === 0 || this.source === undefined) return undefined;
    const blob = this.source.read(this.restingPlace(number), length);
    if (!this.source.isChecked && checksumOf(blob) !== this.checks[number])
      throw snapshotDamage('a blob does not agree with its checksum');
    return blob;
  }

  /** Keeps the bytes as they are, so they must not change; they begin at a multiple of four and are at least one. */
  set(number: number, blob: Uint8Array): void {
    const at = number >>> PAGE_BITS;
    while (this.pages.length <= at) this.pages.push(undefined);
    (this.pages[at] ??= new Array<Uint8Array | undefined>(PAGE))[number % PAGE] = blob;
    this.top = Math.max(this.top, number + 1);
  }

  delete(number: number): void {
    const page = this.pages[number >>> PAGE_BITS];
    if (page !== undefined) page[number % PAGE] = undefined;
    if (number < this.lengths.length) (this.gone[number >>> 3] as number) |= 1 << (number & 7);
  }

  private changed(number: number): Uint8Array | undefined {
    return this.pages[number >>> PAGE_BITS]?.[number % PAGE];
  }

  private restingLength(number: number): number {
    if (
      !(number >= 0 && number < this.lengths.length) ||
      ((this.gone[number >>> 3] as number) & (1 << (number & 7))) !== 0
    )
      return 0;
    return this.lengths[number] as number;
  }

  private restingPlace(number: number): number {
    const stride = number >>> STRIDE_BITS;
    let place = this.starts[stride] as number;
    for (let before = stride << STRIDE_BITS; before < number; before++) place += words(this.lengths[before] as number);
    return place * 4;
  }
}

/** Murmur3's mixing of 32-bit words, the last one filled with zeros: finds damage, not malice. */
export function checksumOf(blob: Uint8Array): number {
  let hash = blob.length;
  const whole = blob.length >>> 2;
  const view = new Uint32Array(blob.buffer, blob.byteOffset, whole);
  const mix = (word: number): void => {
    const scrambled = Math.imul(word, 0xcc9e2d51);
    hash ^= Math.imul((scrambled << 15) | (scrambled >>> 17), 0x1b873593);
    hash = (Math.imul((hash << 13) | (hash >>> 19), 5) + 0xe6546b64) | 0;
  };
  for (let at = 0; at < whole; at++) mix(view[at] as number);
  let rest = 0;
  for (let at = blob.length - 1; at >= whole * 4; at--) rest = (rest << 8) | (blob[at] as number);
  mix(rest);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

function words(bytes: number): number {
  return (bytes + 3) >>> 2;
}
