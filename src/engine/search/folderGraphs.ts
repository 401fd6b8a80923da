import { isCancelled, messageOf } from '../../util/errors';
import type { Logger } from '../../util/logger';
import type { LoadedModel } from '../model/modelManifest';
import type { Catalog } from '../store/catalog';
import type { WindowStore } from '../store/windowStore';
import { KeyedGraph } from '../vectors/keyedGraph';
import { dequantizeMean } from '../vectors/quantization';
import { l2Normalize } from '../vectors/vectorMath';
import { type ContentWindows, windowKeysOf } from './contentTable';
import type { Corpus } from './corpus';
import { leading } from './partScorer';
import type { VectorTable } from './vectorTable';
import { WindowHolders } from './windowHolders';

export interface FolderGraphsParts {
  /** Of the workspace's data. */
  readonly directory: string;
  readonly catalog: Catalog;
  readonly windowStore: WindowStore;
  readonly model: LoadedModel;
  readonly logger: Logger;
}

/** The graphs over the vectors of a folder's files and windows, and which contents hold which window. */
export class FolderGraphs {
  private readonly closing = new AbortController();
  private readonly holders = new WindowHolders();

  private constructor(
    private readonly parts: FolderGraphsParts,
    private readonly corpus: Corpus,
    private readonly vectors: VectorTable,
    readonly files: KeyedGraph,
    readonly windows: KeyedGraph,
  ) {
    for (const hash of corpus.hashes()) {
      const [content, windows] = [corpus.contentNumber(hash), corpus.windowsOf(hash)];
      if (content !== undefined && windows !== undefined) this.hold(content, windows);
    }
  }

  /** Reads the graphs' files. What the corpus holds already is known to hold its windows. */
  static async load(parts: FolderGraphsParts, corpus: Corpus, vectors: VectorTable): Promise<FolderGraphs> {
    const { directory, catalog, model, logger } = parts;
    const { fingerprint } = model;
    const graph = (name: string, dimensions: number): Promise<KeyedGraph> =>
      KeyedGraph.load(directory, name, catalog.graphs, { dimensions, fingerprint, logger });
    const files = await graph('files', vectors.dimensions);
    return new FolderGraphs(parts, corpus, vectors, files, await graph('windows', vectors.landmarkDimensions));
  }

  hold(content: number, windows: ContentWindows): void {
    for (const key of windowKeysOf(windows)) this.holders.add(key, content);
  }

  holds(window: Uint8Array): boolean {
    return this.holders.has(window);
  }

  /** Hashes of the contents that hold a window. */
  holdersOf(window: Uint8Array): string[] {
    return this.holders.contentsOf(window).flatMap(content => this.corpus.hashOfContent(content) ?? []);
  }

  /** Adds what is stored and not in the graphs yet, in the background: until then the other arms find it. */
  fill(): void {
    const windows = filtered(this.holders.keys(), key => !this.windows.has(key) && this.isStored(key));
    this.update(
      windows,
      filtered(this.completeContents(this.corpus.hashes()), key => !this.files.has(key)),
    );
  }

  /** Adds windows that are stored, and those of the contents that are embedded whole. */
  add(windows: Iterable<Uint8Array>, contents: Iterable<string>): void {
    this.update(windows, this.completeContents(contents));
  }

  /** Forgets a content that no file has any more. The corpus must not have given its number to another yet. */
  release(hash: string, content: number, windows: ContentWindows): void {
    const gone = windowKeysOf(windows).filter(key => this.holders.delete(key, content));
    this.later(this.files.update([], [Buffer.from(hash, 'hex')], () => undefined));
    this.later(this.windows.update([], gone, () => undefined));
  }

  /** Makes the graphs hold exactly what is indexed, and writes them. @throws LandmarkError `disk-full`, `cancelled`; Node's own errors. */
  async finish(signal?: AbortSignal): Promise<void> {
    const { directory } = this.parts;
    await this.files.sync(this.completeContents(this.corpus.hashes()), this.fileVector, signal);
    const windows = filtered(this.holders.keys(), key => this.windows.has(key) || this.isStored(key));
    await this.windows.sync(windows, this.windowVector, signal);
    await this.files.save(directory);
    await this.windows.save(directory);
  }

  async close(): Promise<void> {
    this.closing.abort();
    await this.files.close();
    await this.windows.close();
  }

  private update(windows: Iterable<Uint8Array>, contents: Iterable<Uint8Array>): void {
    const { signal } = this.closing;
    this.later(this.windows.update(windows, [], this.windowVector, signal));
    this.later(this.files.update(contents, [], this.fileVector, signal));
  }

  /** The graphs follow in their own time; a failure shows in the next `finish`, which makes good for it. */
  private later(change: Promise<unknown>): void {
    change.catch((error: unknown) => {
      if (!isCancelled(error)) this.parts.logger.warn(`A graph could not be updated: ${messageOf(error)}`);
    });
  }

  private *completeContents(hashes: Iterable<string>): Generator<Uint8Array> {
    for (const hash of hashes) {
      const vectors = this.vectors.get(this.corpus.contentNumber(hash));
      if (vectors === undefined || vectors.windows === 0 || vectors.knownWindows < vectors.windows) continue;
      yield Buffer.from(hash, 'hex');
    }
  }

  private isStored(key: Uint8Array): boolean {
    return this.parts.windowStore.has(key);
  }

  private readonly fileVector = (key: Uint8Array): Float32Array | undefined =>
    this.vectors.files.get(this.corpus.contentNumber(Buffer.from(key).toString('hex')) ?? -1);

  private readonly windowVector = (key: Uint8Array): Float32Array | undefined => {
    const record = this.parts.windowStore.get(key);
    if (record === undefined) return undefined;
    return leading(l2Normalize(dequantizeMean(record)), this.vectors.landmarkDimensions);
  };
}

function* filtered(keys: Iterable<Uint8Array>, passes: (key: Uint8Array) => boolean): Generator<Uint8Array> {
  for (const key of keys) if (passes(key)) yield key;
}
