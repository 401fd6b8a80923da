import type { HierarchicalNSW } from 'hnswlib-node';
import { LandmarkError, messageOf } from '../../util/errors';
import { MultiMap } from '../../util/multiMap';
import { NumberTable } from '../../util/numberTable';
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

/** How labels hang on the elements of a graph file, which knows elements only: pairs of a label and its element. */
export interface LabelTable {
  readonly labels: Uint32Array;
  readonly elements: Uint32Array;
}

/**
 * Approximate neighbours by a navigable small-world graph. The only file that knows `hnswlib-node`.
 *
 * Labels are not the library's: its elements are numbered as they come and never used again. Replacing a vector marks
 * the old element and adds a new one, because the library's own update loses neighbours over time. Equal vectors share
 * one element: the link lists of many equal ones hold nothing but each other, and all else becomes unreachable.
 * There is room for every label up to the greatest: they should be small.
 */
export class HnswIndex implements VectorIndex {
  private graph: HierarchicalNSW;
  /** By label. */
  private readonly elementOf = new NumberTable();
  private live = 0;
  /** By element, the first of its labels; an element without one is marked as deleted. */
  private firstLabel = new NumberTable();
  /** By element, its labels beyond the first: few have any. */
  private furtherLabels = new MultiMap<number, number>();
  private elements = 0;
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
    index.elements = graph.getCurrentCount();
    for (const [at, element] of table.elements.entries()) {
      const label = table.labels[at];
      if (label === undefined || element >= index.elements || index.has(label)) {
        throw new LandmarkError('store-damaged', 'A graph file does not fit its table of labels.');
      }
      index.attach(label, element);
    }
    for (let element = 0; element < index.elements; element++) if (index.firstLabel.get(element) < 0) index.marked++;
    return index;
  }

  get size(): number {
    return this.live;
  }

  /** Whether so many elements are marked as deleted that building the graph anew pays. */
  get wasteful(): boolean {
    return this.marked > this.elements * MARKED_SHARE;
  }

  has(label: number): boolean {
    return this.elementOf.get(label) >= 0;
  }

  add(label: number, vector: Float32Array): void {
    requireEntry(label, vector, this.dimensions);
    const numbers = Array.from(vector);
    let twin = this.twinOf(numbers);
    const present = this.elementOf.get(label);
    if (present >= 0) {
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
    if (element < 0) return;
    this.elementOf.set(label, -1);
    this.live--;
    if (this.firstLabel.get(element) === label) {
      const [heir = -1] = this.furtherLabels.get(element);
      this.firstLabel.set(element, heir);
      this.furtherLabels.delete(element, heir);
    } else this.furtherLabels.delete(element, label);
    if (this.firstLabel.get(element) >= 0) return;
    this.graph.markDelete(element);
    this.marked++;
  }

  /** The vector under the label as it was added. */
  vector(label: number): Float32Array | undefined {
    const element = this.elementOf.get(label);
    return element < 0 ? undefined : Float32Array.from(this.graph.getPoint(element));
  }

  /** Ascending. */
  *labels(): Generator<number> {
    for (let label = 0; label < this.elementOf.limit; label++) if (this.has(label)) yield label;
  }

  reserve(count: number): void {
    if (count > this.graph.getMaxElements()) this.graph.resizeIndex(count);
  }

  search(query: Float32Array, k: number): Neighbour[] {
    requireDimensions(query, this.dimensions);
    const wanted = Math.min(Math.floor(k), this.elements - this.marked);
    if (!(wanted > 0)) return [];
    const numbers = Array.from(query);
    for (let width = Math.max(SEARCH_WIDTH, wanted * 2); ; width *= 8) {
      const found = this.searchElements(numbers, wanted, width);
      if (found.length >= wanted)
        return nearest(
          found.flatMap(hit => this.expand(hit)),
          k,
        );
      if (width > this.elements) break;
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
    const labels = Uint32Array.from(this.labels());
    return { labels, elements: labels.map(label => this.elementOf.get(label)) };
  }

  /** Frees the native memory now, not when the garbage collector sees fit (it does not know of it). */
  release(): void {
    this.graph.initIndex(1);
    this.elementOf.clear();
    this.forgetElements();
  }

  private forgetElements(): void {
    this.live = 0;
    this.firstLabel = new NumberTable();
    this.furtherLabels = new MultiMap();
    this.elements = 0;
    this.marked = 0;
  }

  private rebuild(): void {
    const { graph: old, elements, firstLabel, furtherLabels } = this;
    this.graph = this.emptyGraph(Math.max(FIRST_CAPACITY, elements - this.marked));
    this.forgetElements();
    for (let element = 0; element < elements; element++) {
      const first = firstLabel.get(element);
      if (first < 0) continue;
      const moved = this.addElement(old.getPoint(element));
      for (const label of [first, ...furtherLabels.get(element)]) this.attach(label, moved);
    }
    old.initIndex(1);
  }

  private emptyGraph(capacity: number): HierarchicalNSW {
    const graph = new this.library.HierarchicalNSW('ip', this.dimensions);
    graph.initIndex(Math.max(1, capacity), LINKS, BUILD_WIDTH, SEED, false);
    return graph;
  }

  private addElement(numbers: number[]): number {
    const element = this.elements;
    const capacity = this.graph.getMaxElements();
    // Full is an exception in the library, and growing moves all vectors: twice the room each time.
    if (element >= capacity) this.graph.resizeIndex(capacity * 2);
    this.graph.addPoint(numbers, element);
    this.elements++;
    return element;
  }

  private attach(label: number, element: number): void {
    if (this.firstLabel.get(element) < 0) this.firstLabel.set(element, label);
    else this.furtherLabels.add(element, label);
    this.elementOf.set(label, element);
    this.live++;
  }

  /** A live element with exactly this vector. */
  private twinOf(numbers: number[]): number | undefined {
    if (this.elements === this.marked) return undefined;
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
    for (let element = 0; element < this.elements; element++) {
      if (this.firstLabel.get(element) < 0) continue;
      const point = this.graph.getPoint(element);
      found.push({ label: element, similarity: clamp(point.reduce((sum, value, at) => sum + value * query[at]!, 0)) });
    }
    return found;
  }

  private expand(hit: Neighbour): Neighbour[] {
    const labels = [this.firstLabel.get(hit.label), ...this.furtherLabels.get(hit.label)];
    return labels.map(label => ({ label, similarity: hit.similarity }));
  }
}
