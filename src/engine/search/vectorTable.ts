import { poolWindows, type WindowMean } from '../model/landmarkPooling';
import { dequantizeMean, dotInt8 } from '../vectors/quantization';
import { l2Normalize } from '../vectors/vectorMath';
import type { ContentRow, WindowRecord } from '../store/records';

/** Vectors of one content, as far as its windows are embedded. */
export interface ContentVectors {
  /** L2-normalised mean over the landmarks known so far; undefined while there is none. */
  readonly file: Float32Array | undefined;
  /** Landmarks as int8, row-major `[landmarks × landmarkDimensions]`, with their scales; scale 0 = not embedded yet. */
  readonly landmarks: Int8Array;
  readonly scales: Float32Array;
  readonly knownWindows: number;
  readonly windows: number;
}

/** Looks a window up by its key (32 bytes); undefined when it is not embedded. */
export type WindowLookup = (key: Uint8Array) => WindowRecord | undefined;

/** Vectors of all contents of a folder in memory: 128 bytes a landmark and one float vector a content. */
export class VectorTable {
  private readonly contents = new Map<string, ContentVectors>();
  private readonly paths = new Map<string, Float32Array>();
  /** Landmarks held, over all contents. */
  landmarkCount = 0;
  windowCount = 0;
  knownWindowCount = 0;

  constructor(
    readonly dimensions: number,
    readonly landmarkDimensions: number,
  ) {}

  get size(): number {
    return this.contents.size;
  }

  get(hash: string): ContentVectors | undefined {
    return this.contents.get(hash);
  }

  entries(): IterableIterator<[string, ContentVectors]> {
    return this.contents.entries();
  }

  pathVector(path: string): Float32Array | undefined {
    return this.paths.get(path);
  }

  setPath(path: string, record: WindowRecord): void {
    this.paths.set(path, l2Normalize(dequantizeMean(record)));
  }

  deletePath(path: string): void {
    this.paths.delete(path);
  }

  /** Reads a content's windows from the store. @returns the ordinals of those that are not embedded. */
  load(hash: string, row: ContentRow, lookup: WindowLookup): number[] {
    this.delete(hash);
    const windows = row.landmarkCounts.length;
    const total = row.landmarkCounts.reduce((sum, count) => sum + count, 0);
    const landmarks = new Int8Array(total * this.landmarkDimensions);
    const scales = new Float32Array(total);
    const means: WindowMean[] = [];
    const missing: number[] = [];
    let at = 0;
    for (let ordinal = 0; ordinal < windows; ordinal++) {
      const count = row.landmarkCounts[ordinal] ?? 0;
      const record = lookup(row.windowKeys.subarray(32 * ordinal, 32 * ordinal + 32));
      if (record?.scales.length === count) {
        landmarks.set(record.landmarks, at * this.landmarkDimensions);
        scales.set(record.scales, at);
        means.push({ mean: dequantizeMean(record), landmarks: count });
      } else missing.push(ordinal);
      at += count;
    }
    const knownWindows = windows - missing.length;
    const file = knownWindows > 0 ? poolWindows(means, this.dimensions) : undefined;
    this.contents.set(hash, { file, landmarks, scales, knownWindows, windows });
    this.tally(total, windows, knownWindows, 1);
    return missing;
  }

  delete(hash: string): void {
    const vectors = this.contents.get(hash);
    if (vectors === undefined) return;
    this.contents.delete(hash);
    this.tally(vectors.scales.length, vectors.windows, vectors.knownWindows, -1);
  }

  /** Cosine of each landmark of a content with a query of `landmarkDimensions`, L2-normalised; NaN where not embedded. */
  landmarkSimilarities(hash: string, query: Float32Array): Float32Array {
    const vectors = this.contents.get(hash);
    if (vectors === undefined) return new Float32Array();
    const similarities = new Float32Array(vectors.scales.length);
    for (let at = 0; at < similarities.length; at++) {
      const scale = vectors.scales[at] ?? 0;
      similarities[at] = scale === 0 ? NaN : scale * dotInt8(vectors.landmarks, at * this.landmarkDimensions, query);
    }
    return similarities;
  }

  private tally(landmarks: number, windows: number, known: number, sign: 1 | -1): void {
    this.landmarkCount += sign * landmarks;
    this.windowCount += sign * windows;
    this.knownWindowCount += sign * known;
  }
}
