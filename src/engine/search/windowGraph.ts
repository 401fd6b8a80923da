import { isCancelled, messageOf } from '../../util/errors';
import type { Logger } from '../../util/logger';
import { leading } from '../model/landmarkPooling';
import type { LoadedModel, ModelManifest } from '../model/modelManifest';
import type { Catalog } from '../store/catalog';
import type { WindowStore } from '../store/windowStore';
import { KeyedGraph } from '../vectors/keyedGraph';
import { meanOfLandmarks } from '../vectors/quantization';
import { type ContentWindows, windowKeysOf } from './contentTable';
import type { Corpus } from './corpus';
import { WindowHolders } from './windowHolders';

export interface WindowGraphParts {
  /** Of the workspace's data. */
  readonly directory: string;
  readonly catalog: Catalog;
  readonly windowStore: WindowStore;
  readonly model: LoadedModel;
  readonly logger: Logger;
}

/** Name of the graph among the caches of a workspace. */
export const WINDOW_GRAPH = 'windows';
/**
 * Numbers of a window's vector that the graph goes by: half of those that are stored, which halves its memory. What it finds is
 * compared in full afterwards, and twice as many windows are asked for (`REACH`): with both the same files are found.
 */
const GRAPH_DIMENSIONS = 64;

/** Of the vectors in the graph of windows. */
export function graphDimensions({ landmarkDimensions }: Pick<ModelManifest, 'landmarkDimensions'>): number {
  return Math.min(GRAPH_DIMENSIONS, landmarkDimensions);
}

/**
 * The graph (HNSW) over the vectors of a folder's windows, and which contents hold which window. Files need none: of them a
 * question is compared with every one anyway, which misses none.
 */
export class WindowGraph {
  private readonly closing = new AbortController();
  private readonly holders = new WindowHolders();

  private constructor(
    private readonly parts: WindowGraphParts,
    corpus: Corpus,
    readonly graph: KeyedGraph,
  ) {
    for (const hash of corpus.hashes()) {
      const [content, windows] = [corpus.contentNumber(hash), corpus.windowsOf(hash)];
      if (content !== undefined && windows !== undefined) this.hold(content, windows);
    }
  }

  /** Reads the graph's file. What the corpus holds already is known to hold its windows. */
  static async load(parts: WindowGraphParts, corpus: Corpus): Promise<WindowGraph> {
    const { directory, catalog, model, logger } = parts;
    const options = { dimensions: graphDimensions(model.manifest), fingerprint: model.fingerprint, logger };
    return new WindowGraph(parts, corpus, await KeyedGraph.load(directory, WINDOW_GRAPH, catalog.graphs, options));
  }

  hold(content: number, windows: ContentWindows): void {
    for (const key of windowKeysOf(windows)) this.holders.add(key, content);
  }

  holds(window: Uint8Array): boolean {
    return this.holders.has(window);
  }

  /** Numbers of the contents that hold a window. */
  contentsOf(window: Uint8Array): readonly number[] {
    return this.holders.contentsOf(window);
  }

  /** Adds what is stored and not in the graph yet, in the background: until then the other arms find it. */
  fill(): void {
    this.add(filtered(this.holders.keys(), key => !this.graph.has(key) && this.isStored(key)));
  }

  /** Adds windows that are stored. */
  add(windows: Iterable<Uint8Array>): void {
    this.later(this.graph.update(windows, [], this.vectorOf, this.closing.signal));
  }

  /** Forgets a content that no file has any more. The corpus must not have given its number to another yet. */
  release(content: number, windows: ContentWindows): void {
    const gone = windowKeysOf(windows).filter(key => this.holders.delete(key, content));
    this.later(this.graph.update([], gone, () => undefined));
  }

  /** Makes the graph hold exactly what is indexed, and writes it. @throws LandmarkError `disk-full`, `cancelled`; Node's own errors. */
  async finish(signal?: AbortSignal): Promise<void> {
    const windows = filtered(this.holders.keys(), key => this.graph.has(key) || this.isStored(key));
    await this.graph.sync(windows, this.vectorOf, signal);
    await this.graph.save(this.parts.directory);
  }

  async close(): Promise<void> {
    this.closing.abort();
    await this.graph.close();
  }

  /** The graph follows in its own time; a failure shows in the next `finish`, which makes good for it. */
  private later(change: Promise<unknown>): void {
    change.catch((error: unknown) => {
      if (!isCancelled(error)) this.parts.logger.warn(`The graph could not be updated: ${messageOf(error)}`);
    });
  }

  private isStored(key: Uint8Array): boolean {
    return this.parts.windowStore.has(key);
  }

  private readonly vectorOf = (key: Uint8Array): Float32Array | undefined => {
    const record = this.parts.windowStore.get(key);
    if (record === undefined) return undefined;
    return leading(meanOfLandmarks(record), this.graph.dimensions);
  };
}

function* filtered(keys: Iterable<Uint8Array>, passes: (key: Uint8Array) => boolean): Generator<Uint8Array> {
  for (const key of keys) if (passes(key)) yield key;
}
