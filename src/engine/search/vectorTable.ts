import { poolWindows, type WindowMean } from '../model/landmarkPooling';
import { BlobTable } from '../store/blobTable';
import { bytesOf } from '../store/byteStream';
import { preparedRest, type SnapshotSink, type SnapshotSource } from '../store/snapshot';
import { meanOfLandmarks, unitScales } from '../vectors/quantization';
import { l2Normalize } from '../vectors/vectorMath';
import type { Int8Query } from '../vectors/int8Products';
import { VectorRows } from '../vectors/vectorRows';
import type { WindowRecord } from '../store/records';
import { type ContentWindows, windowKeysOf } from './contentTable';
import { meanOfBest } from './meanOfBest';

/** How far a content is embedded. */
export interface EmbeddedWindows {
  readonly windows: number;
  readonly knownWindows: number;
}

/** Landmarks of one content. Views that are valid until those of another content are asked for. */
export interface ContentLandmarks {
  /** int8, row-major `[landmarks × dimensions]`. */
  readonly values: Int8Array;
  /** By landmark; 0 = not embedded yet. */
  readonly scales: Float32Array;
}

/** Looks a window up by its key (32 bytes); undefined when it is not embedded. */
export type WindowLookup = (key: Uint8Array) => WindowRecord | undefined;

/** Bytes of a landmark besides its numbers: the scale. */
const SCALE_BYTES = 4;
/** There is no such content. */
const NONE = -1;

/**
 * Vectors of all contents and paths of a folder: a byte a number in memory; the landmarks, with four bytes more each, rest
 * in the snapshot where there is one. Contents and documents go by their numbers in the `Corpus`.
 */
export class VectorTable {
  /** By content: scales, then values. */
  private readonly landmarks = new BlobTable();
  /** By content. */
  private windows = new Int32Array(1 << 10).fill(NONE);
  private known = new Int32Array(1 << 10);
  /** By content: L2-normalised mean over the landmarks known so far. */
  readonly files: VectorRows;
  /** By document: vector of the words of its path. */
  readonly paths: VectorRows;
  /** Landmarks held, over all contents. */
  landmarkCount = 0;
  windowCount = 0;
  knownWindowCount = 0;
  /** Work space: an array for each of a thousand contents would take as long as comparing. */
  private space = new Float32Array(1 << 8);

  /** @param dimensions of everything that is stored: the model's `landmarkDimensions`. */
  constructor(readonly dimensions: number) {
    this.files = new VectorRows(dimensions);
    this.paths = new VectorRows(dimensions);
  }

  /** Undefined for a content that was never loaded. */
  get(content: number | undefined): EmbeddedWindows | undefined {
    const windows = this.windows[content ?? NONE] ?? NONE;
    return windows === NONE ? undefined : { windows, knownWindows: this.known[content ?? NONE] as number };
  }

  setPath(doc: number, record: WindowRecord): void {
    this.paths.set(doc, l2Normalize(meanOfLandmarks(record)));
  }

  /** Reads a content's windows from the store. @returns the ordinals of those that are not embedded. */
  load(content: number, windows: ContentWindows, lookup: WindowLookup): number[] {
    this.delete(content);
    const { landmarkCounts } = windows;
    const total = landmarkCounts.reduce((sum, count) => sum + count, 0);
    const blob = new Uint8Array(total * this.landmarkBytes);
    const { values, scales } = this.viewsOf(blob);
    const means: WindowMean[] = [];
    const missing: number[] = [];
    let at = 0;
    for (const [ordinal, key] of windowKeysOf(windows).entries()) {
      const count = landmarkCounts[ordinal] ?? 0;
      const record = lookup(key);
      if (record?.scales.length === count) {
        values.set(record.landmarks, at * this.dimensions);
        scales.set(unitScales(record), at);
        means.push({ mean: meanOfLandmarks(record), landmarks: count });
      } else missing.push(ordinal);
      at += count;
    }
    if (means.length > 0) this.files.set(content, poolWindows(means, this.dimensions));
    if (total > 0) this.landmarks.set(content, blob);
    this.note(content, landmarkCounts.length, landmarkCounts.length - missing.length);
    this.tally(content, 1);
    return missing;
  }

  delete(content: number): void {
    if (this.get(content) === undefined) return;
    this.tally(content, -1);
    this.windows[content] = NONE;
    this.landmarks.delete(content);
    this.files.delete(content);
  }

  /** @throws LandmarkError `store-damaged`. */
  landmarksOf(content: number): ContentLandmarks | undefined {
    const blob = this.landmarks.get(content);
    return blob && this.viewsOf(blob);
  }

  /** Cosine of each landmark of a content with a unit vector; NaN where not embedded. */
  landmarkSimilarities(content: number, query: Int8Query): Float32Array {
    const packet = this.landmarks.get(content);
    if (packet === undefined) return new Float32Array();
    const similarities = new Float32Array(this.countIn(packet));
    query.scaledProducts(packet, similarities.length, similarities);
    return similarities;
  }

  /** Mean of the best of these cosines, see `meanOfBest`: how near a content is as a whole. NaN where nothing is embedded. */
  nearness(content: number, query: Int8Query): number {
    const packet = this.landmarks.get(content);
    if (packet === undefined) return NaN;
    const count = this.countIn(packet);
    if (count > this.space.length) this.space = new Float32Array(count * 2);
    query.scaledProducts(packet, count, this.space);
    return meanOfBest(this.space, count);
  }

  async save(sink: SnapshotSink, name: string): Promise<void> {
    await sink.bytes(`${name}.windows`, bytesOf(this.windows));
    await sink.bytes(`${name}.known`, bytesOf(this.known));
    await sink.blobs(`${name}.landmarks`, this.landmarks);
    await this.files.save(sink, `${name}.files`);
    await this.paths.save(sink, `${name}.paths`);
  }

  /** Into a table that holds nothing yet. @throws LandmarkError `store-damaged`. */
  async restore(source: SnapshotSource, name: string): Promise<void> {
    this.windows = int32Of(await source.bytes(`${name}.windows`));
    this.known = int32Of(await source.bytes(`${name}.known`));
    await this.files.restore(source, `${name}.files`);
    await this.paths.restore(source, `${name}.paths`);
    (await this.rest(source, name))();
    for (let content = 0; content < this.windows.length; content++) {
      if (this.windows[content] !== NONE) this.tally(content, 1);
    }
  }

  /** Gets ready to read from a snapshot what is as it was when that was written. @returns does it, at once. */
  rest(source: SnapshotSource, name: string): Promise<() => void> {
    return preparedRest(source, `${name}.landmarks`, this.landmarks);
  }

  private get landmarkBytes(): number {
    return this.dimensions + SCALE_BYTES;
  }

  private countIn(blob: Uint8Array): number {
    return Math.floor(blob.length / this.landmarkBytes);
  }

  private viewsOf(blob: Uint8Array): ContentLandmarks {
    const count = this.countIn(blob);
    const scales = new Float32Array(blob.buffer, blob.byteOffset, count);
    const values = new Int8Array(blob.buffer, blob.byteOffset + count * SCALE_BYTES, count * this.dimensions);
    return { values, scales };
  }

  private note(content: number, windows: number, known: number): void {
    if (content >= this.windows.length) {
      const length = Math.max(content + 1, this.windows.length * 2);
      this.windows = enlarged(this.windows, new Int32Array(length).fill(NONE));
      this.known = enlarged(this.known, new Int32Array(length));
    }
    this.windows[content] = windows;
    this.known[content] = known;
  }

  private tally(content: number, sign: 1 | -1): void {
    this.landmarkCount += (sign * this.landmarks.lengthOf(content)) / this.landmarkBytes;
    this.windowCount += sign * (this.windows[content] as number);
    this.knownWindowCount += sign * (this.known[content] as number);
  }
}

function enlarged(from: Int32Array, to: Int32Array<ArrayBuffer>): Int32Array<ArrayBuffer> {
  to.set(from);
  return to;
}

function int32Of({ buffer, byteOffset, byteLength }: Uint8Array<ArrayBuffer>): Int32Array<ArrayBuffer> {
  return new Int32Array(buffer, byteOffset, byteLength / 4);
}
