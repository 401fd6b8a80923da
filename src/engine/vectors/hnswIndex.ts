import type { HierarchicalNSW } from 'hnswlib-node';
import { LandmarkError, messageOf } from '../../util/errors';
import { clamp, nearest, requireDimensions, requireEntry } from './exactIndex';
import type { Neighbour, VectorIndex } from './vectorIndex';

/** The part of `hnswlib-node` that is used. */
export interface HnswLibrary {
  readonly HierarchicalNSW: typeof HierarchicalNSW;
}

/** Links per element and layer, and the width of the search while building: the usual values of the HNSW paper. */
const LINKS = 16;
const BUILD_WIDTH = 200;
/** The least width of a search. */
const SEARCH_WIDTH = 100;
/** Enough to find a vector that is in the graph. */
const TWIN_WIDTH = 24;
/** Two distances of equal vectors differ by rounding; whether they are equal is then decided number by number. */
const TWIN_DISTANCE = 1e-5;
const SEED = 100;
const FIRST_CAPACITY = 256;
/** Marked elements still cost time in every search. */
const MARKED_SHARE = 0.2;

/** Loads the native library; rejects with `runtime-unavailable` where it cannot run. */
export async function loadHnswLibrary(): Promise<HnswLibrary> {
  try {
    // Of a CommonJS module a native import sees the default export only.
    const loaded: HnswLibrary | { readonly default: HnswLibrary } = await import('hnswlib-node');
    return 'default' in loaded ? loaded.default : loaded;
  } catch (error) {
    const sentence = `The nearest-neighbour library cannot be loaded here (${messageOf(error)}).`;
    throw new LandmarkError('runtime-unavailable', sentence, { cause: error });
  }
}

/** How labels hang on the elements of a graph file, which knows elements only. */
export type LabelTable = readonly (readonly [label: number, element: number])[];

/**
 * Approximate neighbours by a navigable small-world graph. The only file that knows `hnswlib-node`.
 *
 * Labels are not the library's: its elements are numbered as they come and never used again. Replacing a vector marks
 * the old element and adds a new one, because the library's own update loses neighbours over time. Equal vectors share
 * one element: the link lists of many equal ones hold nothing but each other, and all else becomes unreachable.
 */
export class HnswIndex implements VectorIndex {
  private graph: HierarchicalNSW;
  private readonly elementOf = new Map<number, number>();
  /** Labels by element; none for an element that is marked as deleted. */
  private labelsOf: number[][] = [];
  private marked = 0;

  constructor(
    private readonly library: HnswLibrary,
    readonly dimensions: number,
    capacity = FIRST_CAPACITY,
  ) {
    this.graph = this.emptyGraph(capacity);
  }

  /**
   * Reads a graph file that `save` wrote. Only for a file whose checksum has been compared: the library trusts its
   * file. The path has to be ASCII.
   */
  static async load(library: HnswLibrary, path: string, dimensions: number, table: LabelTable): Promise<HnswIndex> {
    const index = new HnswIndex(library, dimensions, 1);
    // A graph object that was in use and fails to load is freed twice by the library: always take a new one.
    const graph = new library.HierarchicalNSW('ip', dimensions);
    await graph.readIndex(path);
    index.graph = graph;
    index.labelsOf = Array.from({ length: graph.getCurrentCount() }, () => []);
    for (const [label, element] of table) {
      const labels = index.labelsOf[element];
      if (!labels) throw new LandmarkError('store-damaged', 'A graph file does not fit its table of labels.');
      labels.push(label);
      index.elementOf.set(label, element);
    }
    index.marked = index.labelsOf.filter(labels => labels.length === 0).length;
    return index;
  }

  get size(): number {
    return this.elementOf.size;
  }

  /** Whether so many elements are marked as deleted that building the graph anew pays. */
  get wasteful(): boolean {
    return this.marked > this.labelsOf.length * MARKED_SHARE;
  }

  has(label: number): boolean {
    return this.elementOf.has(label);
  }

  add(label: number, vector: Float32Array): void {
    requireEntry(label, vector, this.dimensions);
    const numbers = Array.from(vector);
    let twin = this.twinOf(numbers);
    const present = this.elementOf.get(label);
    if (present !== undefined) {
      if (present === twin) return;
      // May build the graph anew, which numbers the elements anew.
      this.remove(label);
      twin = this.twinOf(numbers);
    }
    this.attach(label, twin ?? this.addElement(numbers));
  }

  remove(label: number): void {
    this.detach(label);
    if (this.wasteful) this.rebuild();
  }

  /** Like `remove`, but leaves building anew to the caller (see `wasteful`), who may do it in portions. */
  detach(label: number): void {
    const element = this.elementOf.get(label);
    if (element === undefined) return;
    this.elementOf.delete(label);
    const labels = this.labelsOf[element]!;
    labels.splice(labels.indexOf(label), 1);
    if (labels.length > 0) return;
    this.graph.markDelete(element);
    this.marked++;
  }

  /** The vector under the label as it was added. */
  vector(label: number): Float32Array | undefined {
    const element = this.elementOf.get(label);
    return element === undefined ? undefined : Float32Array.from(this.graph.getPoint(element));
  }

  labels(): IterableIterator<number> {
    return this.elementOf.keys();
  }

  reserve(count: number): void {
    if (count > this.graph.getMaxElements()) this.graph.resizeIndex(count);
  }

  search(query: Float32Array, k: number): Neighbour[] {
    requireDimensions(query, this.dimensions);
    const live = this.labelsOf.length - this.marked;
    const wanted = Math.min(Math.floor(k), live);
    if (!(wanted > 0)) return [];
    const numbers = Array.from(query);
    for (let width = Math.max(SEARCH_WIDTH, wanted * 2); ; width *= 8) {
      const found = this.searchElements(numbers, wanted, width);
      if (found.length >= wanted)
        return nearest(
          found.flatMap(hit => this.expand(hit)),
          k,
        );
      if (width > this.labelsOf.length) break;
    }
    // Elements that no link leads to: rare, and better slow than missing.
    return nearest(
      this.scan(query).flatMap(hit => this.expand(hit)),
      k,
    );
  }

  /**
   * Writes the graph file. Nothing may be added or removed until the promise resolves; searches may go on. The
   * library does not notice a full disk: look at the file afterwards (`graphFile.ts`).
   */
  async save(path: string): Promise<LabelTable> {
    await this.graph.writeIndex(path);
    return [...this.elementOf];
  }

  /** Frees the native memory now, not when the garbage collector sees fit (it does not know of it). */
  release(): void {
    this.graph.initIndex(1);
    this.labelsOf = [];
    this.elementOf.clear();
    this.marked = 0;
  }

  private rebuild(): void {
    const old = this.graph;
    const labelsOf = this.labelsOf;
    this.graph = this.emptyGraph(Math.max(FIRST_CAPACITY, labelsOf.length - this.marked));
    this.labelsOf = [];
    this.marked = 0;
    labelsOf.forEach((labels, element) => {
      if (labels.length === 0) return;
      const moved = this.addElement(old.getPoint(element));
      for (const label of labels) this.attach(label, moved);
    });
    old.initIndex(1);
  }

  private emptyGraph(capacity: number): HierarchicalNSW {
    const graph = new this.library.HierarchicalNSW('ip', this.dimensions);
    graph.initIndex(Math.max(1, capacity), LINKS, BUILD_WIDTH, SEED, false);
    return graph;
  }

  private addElement(numbers: number[]): number {
    const element = this.labelsOf.length;
    const capacity = this.graph.getMaxElements();
    // Full is an exception in the library, and growing moves all vectors: twice the room each time.
    if (element >= capacity) this.graph.resizeIndex(capacity * 2);
    this.graph.addPoint(numbers, element);
    this.labelsOf.push([]);
    return element;
  }

  private attach(label: number, element: number): void {
    this.labelsOf[element]!.push(label);
    this.elementOf.set(label, element);
  }

  /** A live element with exactly this vector. */
  private twinOf(numbers: number[]): number | undefined {
    if (this.labelsOf.length === this.marked) return undefined;
    this.graph.setEf(TWIN_WIDTH);
    const { neighbors, distances } = this.graph.searchKnn(numbers, 1);
    const [element, distance] = [neighbors[0], distances[0]];
    if (element === undefined || distance === undefined) return undefined;
    const length = numbers.reduce((sum, value) => sum + value * value, 0);
    if (Math.abs(distance - (1 - length)) > TWIN_DISTANCE) return undefined;
    const point = this.graph.getPoint(element);
    return point.every((value, at) => value === numbers[at]) ? element : undefined;
  }

  private searchElements(numbers: number[], count: number, width: number): Neighbour[] {
    this.graph.setEf(width);
    const { neighbors, distances } = this.graph.searchKnn(numbers, count);
    return neighbors.map((label, at) => ({ label, similarity: clamp(1 - distances[at]!) }));
  }

  private scan(query: Float32Array): Neighbour[] {
    const found: Neighbour[] = [];
    for (let element = 0; element < this.labelsOf.length; element++) {
      if (this.labelsOf[element]!.length === 0) continue;
      const point = this.graph.getPoint(element);
      found.push({ label: element, similarity: clamp(point.reduce((sum, value, at) => sum + value * query[at]!, 0)) });
    }
    return found;
  }

  private expand(hit: Neighbour): Neighbour[] {
    return this.labelsOf[hit.label]!.map(label => ({ label, similarity: hit.similarity }));
  }
}
