import { poolWindows, type WindowMean } from '../model/landmarkPooling';
import { BlobTable } from '../store/blobTable';
import { bytesOf } from '../store/byteStream';
import { preparedRest, type SnapshotSink, type SnapshotSource } from '../store/snapshot';
import { meanOfLandmarks, packedBytes, unitScales } from '../vectors/quantization';
import { dot, l2Normalize } from '../vectors/vectorMath';
import { Int4Query } from '../vectors/int4Products';
import { VectorRows } from '../vectors/vectorRows';
import type { WindowRecord } from '../store/records';
import { type ContentWindows, windowKeysOf } from './contentTable';
import { meanOfBest } from './meanOfBest';
import ranking from './ranking.json';

/** How far a content is embedded. */
export interface EmbeddedWindows {
  readonly windows: number;
  readonly knownWindows: number;
}

/** Landmarks of one content. Views that are valid until those of another content are asked for. */
export interface ContentLandmarks {
  /** Packed, see `quantizeInto`, one after the other. */
  readonly values: Uint8Array;
  /** By landmark; 0 = not embedded yet. */
  readonly scales: Float32Array;
}

/** The path that stands beside the landmarks of a document, for one query. */
export interface PathBeside {
  readonly doc: number;
  /** Cosine of the path's vector with the query; NaN where it has none. */
  readonly similarity: number;
}

/** Lengths of the vectors of a document, each added to that of its path. */
interface SumLengths {
  readonly content: number;
  /** Of the content's vectors, when these were computed. */
  readonly stamp: number;
  readonly file: number;
  landmarks: Float32Array | undefined;
}

/** Looks a window up by its key (32 bytes); undefined when it is not embedded. */
export type WindowLookup = (key: Uint8Array) => WindowRecord | undefined;

/** Bytes of a landmark besides its numbers: the scale. */
const SCALE_BYTES = 4;
/** There is no such content. */
const NONE = -1;
/** What the vector of a path, of length one, is multiplied by where it is added to a landmark's or a file's. */
const { pathBeside: PATH_BESIDE } = ranking;

/**
 * Vectors of all contents and paths of a folder: half a byte a number in memory; the landmarks, with four bytes more each, rest
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
  /** By document; the same for every query. */
  private readonly lengths: (SumLengths | undefined)[] = [];
  /** By content: another number after every change of its vectors. */
  private readonly stamps: number[] = [];
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
    this.lengths[doc] = undefined;
    this.paths.set(doc, l2Normalize(meanOfLandmarks(record)));
  }

  deletePath(doc: number): void {
    this.lengths[doc] = undefined;
    this.paths.delete(doc);
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
        values.set(record.landmarks, at * packedBytes(this.dimensions));
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
    this.stamps[content] = this.stampOf(content) + 1;
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

  /**
   * Cosine of each landmark of a content with a unit vector; NaN where not embedded.
   * @param path it is added to each landmark, as in `fileWithPath`.
   */
  landmarkSimilarities(content: number, query: Int4Query, path?: PathBeside): Float32Array {
    const packet = this.landmarks.get(content);
    if (packet === undefined) return new Float32Array();
    const similarities = new Float32Array(this.countIn(packet));
    query.scaledProducts(packet, similarities.length, similarities);
    if (path !== undefined) this.addPath(content, packet, similarities, path);
    return similarities;
  }

  /** Mean of the best of these cosines, see `meanOfBest`: how near a document is as a whole. NaN where nothing is embedded. */
  nearness(content: number, query: Int4Query, path: PathBeside): number {
    const packet = this.landmarks.get(content);
    if (packet === undefined) return NaN;
    const count = this.countIn(packet);
    if (count > this.space.length) this.space = new Float32Array(count * 2);
    query.scaledProducts(packet, count, this.space);
    this.addPath(content, packet, this.space, path);
    return meanOfBest(this.space, count);
  }

  /**
   * Cosine of a query with the sum f + c·p of a file's vector f and that of its path, p: neither knows of the other. The cosine
   * of the sum says more than the sum of the cosines: what a text and its path both say counts once.
   * @param similarity of f with the query.
   * @param pathSimilarity of p with the query; NaN where there is none, then f alone counts.
   */
  fileWithPath(content: number, similarity: number, doc: number, pathSimilarity: number): number {
    if (Number.isNaN(similarity) || Number.isNaN(pathSimilarity)) return similarity;
    return (similarity + PATH_BESIDE * pathSimilarity) / this.lengthsOf(doc, content).file;
  }

  /** The same for each landmark, in place. */
  private addPath(content: number, packet: Uint8Array, similarities: Float32Array, path: PathBeside): void {
    if (Number.isNaN(path.similarity)) return;
    const known = this.lengthsOf(path.doc, content);
    const lengths = (known.landmarks ??= this.landmarkLengths(packet, path.doc));
    const share = PATH_BESIDE * path.similarity;
    for (let at = 0; at < lengths.length; at++) {
      similarities[at] = ((similarities[at] as number) + share) / (lengths[at] as number);
    }
  }

  private lengthsOf(doc: number, content: number): SumLengths {
    const known = this.lengths[doc];
    const stamp = this.stampOf(content);
    if (known?.content === content && known.stamp === stamp) return known;
    const [file, path] = [this.files.get(content), this.paths.get(doc)];
    const product = file === undefined || path === undefined ? NaN : dot(file, path);
    return (this.lengths[doc] = { content, stamp, file: lengthOfSum(product), landmarks: undefined });
  }

  private landmarkLengths(packet: Uint8Array, doc: number): Float32Array {
    const lengths = new Float32Array(this.countIn(packet));
    const path = this.paths.get(doc) ?? new Float32Array(this.dimensions);
    new Int4Query(path).scaledProducts(packet, lengths.length, lengths);
    for (let at = 0; at < lengths.length; at++) lengths[at] = lengthOfSum(lengths[at] as number);
    return lengths;
  }

  private stampOf(content: number): number {
    return this.stamps[content] ?? 0;
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
    return packedBytes(this.dimensions) + SCALE_BYTES;
  }

  private countIn(blob: Uint8Array): number {
    return Math.floor(blob.length / this.landmarkBytes);
  }

  private viewsOf(blob: Uint8Array): ContentLandmarks {
    const count = this.countIn(blob);
    const scales = new Float32Array(blob.buffer, blob.byteOffset, count);
    return { values: blob.subarray(count * SCALE_BYTES), scales };
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

/** Of v + c·p, where both are of length one and this is their product. */
function lengthOfSum(product: number): number {
  return Math.sqrt(1 + PATH_BESIDE * (PATH_BESIDE + 2 * product));
}

function enlarged(from: Int32Array, to: Int32Array<ArrayBuffer>): Int32Array<ArrayBuffer> {
  to.set(from);
  return to;
}

function int32Of({ buffer, byteOffset, byteLength }: Uint8Array<ArrayBuffer>): Int32Array<ArrayBuffer> {
  return new Int32Array(buffer, byteOffset, byteLength / 4);
}
