import { poolWindows, type WindowMean } from '../model/landmarkPooling';
import { dequantizeMean } from '../vectors/quantization';
import { l2Normalize } from '../vectors/vectorMath';
import type { Int8Query } from '../vectors/int8Products';
import { VectorRows } from '../vectors/vectorRows';
import type { WindowRecord } from '../store/records';
import type { ContentWindows } from './corpus';
import { meanOfBest } from './meanOfBest';

/** Vectors of one content, as far as its windows are embedded. */
export interface ContentVectors {
  /** Landmarks as int8, row-major `[landmarks × landmarkDimensions]`, with their scales; scale 0 = not embedded yet. */
  readonly landmarks: Int8Array;
  readonly scales: Float32Array;
  readonly knownWindows: number;
  readonly windows: number;
}

/** Looks a window up by its key (32 bytes); undefined when it is not embedded. */
export type WindowLookup = (key: Uint8Array) => WindowRecord | undefined;

/**
 * Vectors of all contents and paths of a folder in memory: 128 bytes a landmark, 384 a content and a path. Contents
 * and documents go by their numbers in the `Corpus`.
 */
export class VectorTable {
  private readonly contents: (ContentVectors | undefined)[] = [];
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

  constructor(
    readonly dimensions: number,
    readonly landmarkDimensions: number,
  ) {
    this.files = new VectorRows(dimensions);
    this.paths = new VectorRows(dimensions);
  }

  get(content: number | undefined): ContentVectors | undefined {
    return content === undefined ? undefined : this.contents[content];
  }

  setPath(doc: number, record: WindowRecord): void {
    this.paths.set(doc, l2Normalize(dequantizeMean(record)));
  }

  /** Reads a content's windows from the store. @returns the ordinals of those that are not embedded. */
  load(content: number, { windowKeys, landmarkCounts }: ContentWindows, lookup: WindowLookup): number[] {
    this.delete(content);
    const windows = landmarkCounts.length;
    const total = landmarkCounts.reduce((sum, count) => sum + count, 0);
    const landmarks = new Int8Array(total * this.landmarkDimensions);
    const scales = new Float32Array(total);
    const means: WindowMean[] = [];
    const missing: number[] = [];
    let at = 0;
    for (let ordinal = 0; ordinal < windows; ordinal++) {
      const count = landmarkCounts[ordinal] ?? 0;
      const record = lookup(windowKeys.subarray(32 * ordinal, 32 * ordinal + 32));
      if (record?.scales.length === count) {
        landmarks.set(record.landmarks, at * this.landmarkDimensions);
        scales.set(record.scales, at);
        means.push({ mean: dequantizeMean(record), landmarks: count });
      } else missing.push(ordinal);
      at += count;
    }
    const knownWindows = windows - missing.length;
    if (knownWindows > 0) this.files.set(content, poolWindows(means, this.dimensions));
    this.contents[content] = { landmarks, scales, knownWindows, windows };
    this.tally(total, windows, knownWindows, 1);
    return missing;
  }

  delete(content: number): void {
    const vectors = this.contents[content];
    if (vectors === undefined) return;
    this.contents[content] = undefined;
    this.files.delete(content);
    this.tally(vectors.scales.length, vectors.windows, vectors.knownWindows, -1);
  }

  /** Cosine of each landmark of a content with a unit vector of `landmarkDimensions`; NaN where not embedded. */
  landmarkSimilarities(content: number, query: Int8Query): Float32Array {
    const vectors = this.contents[content];
    if (vectors === undefined) return new Float32Array();
    const similarities = new Float32Array(vectors.scales.length);
    compare(vectors, query, similarities);
    return similarities;
  }

  /** Mean of the best of these cosines, see `meanOfBest`: how near a content is as a whole. NaN where nothing is embedded. */
  nearness(content: number, query: Int8Query): number {
    const vectors = this.contents[content];
    if (vectors === undefined) return NaN;
    const count = vectors.scales.length;
    if (count > this.space.length) this.space = new Float32Array(count * 2);
    compare(vectors, query, this.space);
    return meanOfBest(this.space, count);
  }

  private tally(landmarks: number, windows: number, known: number, sign: 1 | -1): void {
    this.landmarkCount += sign * landmarks;
    this.windowCount += sign * windows;
    this.knownWindowCount += sign * known;
  }
}

/** Writes the cosine of each landmark, NaN where it is not embedded. */
function compare({ landmarks, scales }: ContentVectors, query: Int8Query, into: Float32Array): void {
  query.products(landmarks, 0, scales.length, into);
  for (let at = 0; at < scales.length; at++) {
    const scale = scales[at] as number;
    into[at] = scale === 0 ? NaN : scale * (into[at] as number);
  }
}
