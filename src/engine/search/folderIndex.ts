import { setImmediate } from 'node:timers/promises';
import { isCancelled, LandmarkError, messageOf, systemCode, throwIfAborted } from '../../util/errors';
import { KEY_BYTES } from '../../util/hashKeys';
import type { Logger } from '../../util/logger';
import { CommitHistory } from '../history/commitHistory';
import { HISTORY_META, HISTORY_STAMP_META } from '../history/storedHistory';
import type { Commit } from '../history/gitLog';
import type { IndexedFile } from '../indexing/indexer';
import type { WindowTask } from '../indexing/schedule';
import type { LoadedModel } from '../model/modelManifest';
import { windowKey } from '../model/windows';
import type { Catalog } from '../store/catalog';
import type { ContentRow, FileRow } from '../store/records';
import { storeError } from '../store/storeErrors';
import type { WindowStore } from '../store/windowStore';
import { KeyedGraph } from '../vectors/keyedGraph';
import { dequantizeMean } from '../vectors/quantization';
import { l2Normalize } from '../vectors/vectorMath';
import { type ContentWindows, Corpus, type CorpusDocument } from './corpus';
import { leading } from './partScorer';
import { type ContentVectors, VectorTable } from './vectorTable';
import { WindowHolders } from './windowHolders';

const PATH_OWNER = 'path:';
/** How long loading may keep the event loop, in milliseconds. */
const TURN_MS = 20;

export interface FolderIndexParts {
  readonly directory: string;
  readonly catalog: Catalog;
  readonly windowStore: WindowStore;
  readonly model: LoadedModel;
  /** Token ids of a path's words. */
  readonly pathWindow: (path: string) => Int32Array;
  readonly logger: Logger;
}

/**
 * Everything a search of one folder reads, in memory: words, vectors, graphs, commits. It is filled from the store and
 * follows what is committed there.
 */
export class FolderIndex {
  readonly corpus: Corpus;
  readonly vectors: VectorTable;
  history: CommitHistory | undefined;
  /** Indexed paths whose content the catalogue does not have: to be read again by whoever may write. */
  readonly lost = new Set<string>();
  private historyStamp: unknown;
  /** See `completeness`; undefined when something has changed since. */
  private complete: number | undefined;
  private readonly closing = new AbortController();
  /** Which contents hold a window, by their numbers in the corpus. */
  private readonly holders = new WindowHolders();

  private constructor(
    private readonly parts: FolderIndexParts,
    readonly fileGraph: KeyedGraph,
    readonly windowGraph: KeyedGraph,
  ) {
    const { dimensions, landmarkDimensions } = parts.model.manifest;
    this.corpus = new Corpus(parts.catalog.vocabulary, this.readRow);
    this.vectors = new VectorTable(dimensions, landmarkDimensions);
  }

  /** Loads what the catalogue says is indexed. @throws LandmarkError `store-damaged`, `cancelled`. */
  static async load(parts: FolderIndexParts, signal?: AbortSignal): Promise<FolderIndex> {
    const { directory, catalog, model, logger } = parts;
    const { dimensions, landmarkDimensions } = model.manifest;
    const graph = (name: string, length: number): Promise<KeyedGraph> =>
      KeyedGraph.load(directory, name, catalog.graphs, { dimensions: length, fingerprint: model.fingerprint, logger });
    const index = new FolderIndex(parts, await graph('files', dimensions), await graph('windows', landmarkDimensions));
    await index.follow(signal);
    return index;
  }

  /** Brings the memory up to the catalogue. @throws LandmarkError `store-damaged`, `cancelled`. */
  async follow(signal?: AbortSignal): Promise<void> {
    const { catalog } = this.parts;
    const present = new Set<string>();
    this.lost.clear();
    let since = performance.now();
    for (const [path, row] of catalog.files()) {
      if (performance.now() - since > TURN_MS) {
        await setImmediate();
        throwIfAborted(signal);
        since = performance.now();
      }
      if (row.state !== 'indexed') continue;
      present.add(path);
      if (!this.adopt(path, row)) this.lost.add(path);
    }
    for (const path of [...this.corpus.documents()].map(document => document.path)) {
      if (!present.has(path)) this.remove(path);
    }
    this.followHistory();
    this.fillGraphs();
  }

  private followHistory(): void {
    const { catalog } = this.parts;
    const stamp = catalog.getMeta(HISTORY_STAMP_META);
    if (this.history !== undefined && stamp === this.historyStamp) return;
    const commits = catalog.getMeta(HISTORY_META) as readonly Commit[] | undefined;
    this.history = commits === undefined ? undefined : new CommitHistory(commits);
    this.historyStamp = stamp;
  }

  /** Adds what is stored and not in the graphs yet, in the background: until then the other arms find it. */
  private fillGraphs(): void {
    const { signal } = this.closing;
    const contents = filtered(this.completeContents(), key => !this.fileGraph.has(key));
    const windows = filtered(this.holders.keys(), key => !this.windowGraph.has(key) && this.isStored(key));
    this.later(this.fileGraph.update(contents, [], this.fileVector, signal));
    this.later(this.windowGraph.update(windows, [], this.windowVector, signal));
  }

  /** Reads all vectors again: the store of windows has lost some. */
  reloadVectors(): void {
    for (const hash of [...this.corpus.hashes()]) this.reload(hash);
    for (const { doc, path } of this.corpus.documents()) {
      this.vectors.paths.delete(doc);
      this.loadPath(path);
    }
  }

  private adopt(path: string, row: FileRow): boolean {
    const known = this.corpus.at(path);
    if (known?.hash === row.hash) {
      const vectors = this.vectors.get(known.content);
      if (vectors === undefined || vectors.knownWindows < vectors.windows) this.reload(row.hash);
      this.loadPath(path);
      return true;
    }
    const content = this.corpus.content(row.hash) ?? this.parts.catalog.getContent(row.hash);
    if (content === undefined) return false;
    this.put(path, row.size, row.hash, content);
    return true;
  }

  /** A file is indexed with this content. */
  put(path: string, size: number, hash: string, row: ContentRow): void {
    this.complete = undefined;
    const before = this.corpus.at(path);
    const windowsBefore = this.corpus.windowsOf(before?.hash ?? '');
    this.corpus.put(path, size, hash, row);
    if (before !== undefined && windowsBefore !== undefined && before.hash !== hash)
      this.release(before, windowsBefore);
    const content = this.corpus.contentNumber(hash);
    if (content !== undefined && this.vectors.get(content) === undefined) {
      for (const key of windowKeysOf(row)) this.holders.add(key, content);
      this.reload(hash);
    }
    this.loadPath(path);
  }

  remove(path: string): void {
    const document = this.corpus.at(path);
    const windows = this.corpus.windowsOf(document?.hash ?? '');
    if (document === undefined || windows === undefined) return;
    this.complete = undefined;
    this.corpus.remove(path);
    this.vectors.paths.delete(document.doc);
    this.release(document, windows);
  }

  /** Files that were read anew: whatever was known of them and their contents is replaced, in the graphs too. */
  replace(files: readonly IndexedFile[]): void {
    // A content that is known is not looked at again: all files that have it have to go first.
    for (const { path } of files) this.remove(path);
    for (const { path, size, hash, row } of files) this.put(path, size, hash, row);
    const windows = files.flatMap(({ row }) => windowKeysOf(row));
    this.addToGraphs(windows, new Set(files.map(({ hash }) => hash)));
  }

  /** Contents that hold a window. */
  contentsOfWindow(key: Uint8Array): string[] {
    return this.holders.contentsOf(key).flatMap(content => this.corpus.hashOfContent(content) ?? []);
  }

  holdsWindow(key: Uint8Array): boolean {
    return this.holders.has(key);
  }

  /** New windows of these contents, or path words, are in the store. */
  onStored(keys: readonly string[], touched: ReadonlySet<string>): void {
    const contents: string[] = [];
    for (const owner of touched) {
      const path = pathOfOwner(owner);
      if (path !== undefined) {
        this.loadPath(path);
        continue;
      }
      this.reload(owner);
      contents.push(owner);
    }
    const windows = keys.map(bytesOf).filter(key => this.holders.has(key));
    this.addToGraphs(windows, contents);
  }

  private addToGraphs(windows: Iterable<Uint8Array>, contents: Iterable<string>): void {
    const complete = [...contents].filter(hash => {
      const vectors = this.vectorsOf(hash);
      return vectors !== undefined && vectors.knownWindows === vectors.windows;
    });
    const { signal } = this.closing;
    this.later(this.windowGraph.update(windows, [], this.windowVector, signal));
    this.later(this.fileGraph.update(complete.map(bytesOf), [], this.fileVector, signal));
  }

  /** What has to be embedded: for every content its missing windows, for every path its words. */
  missing(hashes: Iterable<string> = this.corpus.hashes()): WindowTask[] {
    const tasks: WindowTask[] = [];
    for (const hash of hashes) {
      const own = this.corpus.windowsOf(hash);
      const vectors = this.vectorsOf(hash);
      if (own === undefined || vectors === undefined || vectors.knownWindows === vectors.windows) continue;
      for (const [ordinal, key] of windowKeysOf(own).entries()) {
        if (!this.isStored(key)) tasks.push({ key: hex(key), owner: hash, ordinal });
      }
    }
    return tasks;
  }

  missingPaths(paths: Iterable<string>): WindowTask[] {
    if (!this.parts.model.manifest.pathVector) return [];
    const tasks: WindowTask[] = [];
    for (const path of paths) {
      const document = this.corpus.at(path);
      if (document === undefined || this.vectors.paths.has(document.doc)) continue;
      tasks.push({ key: hex(windowKey(this.parts.pathWindow(path))), owner: ownerOfPath(path), ordinal: 0 });
    }
    return tasks;
  }

  /** Makes the graphs hold exactly what is indexed, and writes them. @throws LandmarkError `disk-full`, `cancelled`. */
  async finishGraphs(signal?: AbortSignal): Promise<void> {
    const { directory } = this.parts;
    try {
      await this.fileGraph.sync(this.completeContents(), this.fileVector, signal);
      const windows = filtered(this.holders.keys(), key => this.windowGraph.has(key) || this.isStored(key));
      await this.windowGraph.sync(windows, this.windowVector, signal);
      await this.fileGraph.save(directory);
      await this.windowGraph.save(directory);
    } catch (error) {
      throw systemCode(error) === undefined ? error : storeError(directory, error);
    }
  }

  /** Embedded bytes over bytes to embed, 0 to 1; 1 when there is nothing to embed. */
  completeness(): number {
    this.complete ??= this.measureCompleteness();
    return this.complete;
  }

  private measureCompleteness(): number {
    let all = 0;
    let done = 0;
    for (const { content, size } of this.corpus.documents()) {
      const vectors = this.vectors.get(content);
      all += size;
      if (vectors !== undefined && vectors.windows > 0) done += size * (vectors.knownWindows / vectors.windows);
    }
    return all === 0 ? 1 : done / all;
  }

  async close(): Promise<void> {
    this.closing.abort();
    await this.fileGraph.close();
    await this.windowGraph.close();
  }

  private reload(hash: string): void {
    const windows = this.corpus.windowsOf(hash);
    const content = this.corpus.contentNumber(hash);
    if (windows === undefined || content === undefined) return;
    this.complete = undefined;
    this.vectors.load(content, windows, key => this.parts.windowStore.get(key));
  }

  private loadPath(path: string): void {
    const document = this.corpus.at(path);
    if (document === undefined || this.vectors.paths.has(document.doc) || !this.parts.model.manifest.pathVector) return;
    const record = this.parts.windowStore.get(windowKey(this.parts.pathWindow(path)));
    if (record !== undefined) this.vectors.setPath(document.doc, record);
  }

  /** Vectors of a content that some file has. */
  vectorsOf(hash: string): ContentVectors | undefined {
    return this.vectors.get(this.corpus.contentNumber(hash));
  }

  /** Forgets a content that no file has any more. */
  private release({ hash, content }: CorpusDocument, windows: ContentWindows): void {
    if (this.corpus.hasContent(hash)) return;
    this.vectors.delete(content);
    // The corpus has not given the content's number to another yet.
    const gone = windowKeysOf(windows).filter(key => this.holders.delete(key, content));
    this.later(this.fileGraph.update([], [bytesOf(hash)], () => undefined));
    this.later(this.windowGraph.update([], gone, () => undefined));
  }

  /** The graphs follow in their own time; a failure shows in the next `finishGraphs`, which makes good for it. */
  private later(change: Promise<unknown>): void {
    change.catch((error: unknown) => {
      if (!isCancelled(error)) this.parts.logger.warn(`A graph could not be updated: ${messageOf(error)}`);
    });
  }

  private *completeContents(): Generator<Uint8Array> {
    for (const hash of this.corpus.hashes()) {
      const vectors = this.vectorsOf(hash);
      if (vectors === undefined || vectors.windows === 0 || vectors.knownWindows < vectors.windows) continue;
      yield bytesOf(hash);
    }
  }

  /** True when another took its place: rows cannot be read from here any more. */
  get isClosed(): boolean {
    return this.closing.signal.aborted;
  }

  /** A row that is damaged shows no places of its files; opening the folder again finds that, and mends it. */
  private readonly readRow = (hash: string): ContentRow | undefined => {
    if (this.isClosed) return undefined;
    try {
      return this.parts.catalog.getContent(hash);
    } catch (error) {
      if (!(error instanceof LandmarkError) || error.reason !== 'store-damaged') throw error;
      this.parts.logger.warn(`What is known of a file cannot be read: ${error.message}`);
      return undefined;
    }
  };

  private isStored(key: Uint8Array): boolean {
    return this.parts.windowStore.has(key);
  }

  private readonly fileVector = (key: Uint8Array): Float32Array | undefined =>
    this.vectors.files.get(this.corpus.contentNumber(hex(key)) ?? -1);

  private readonly windowVector = (key: Uint8Array): Float32Array | undefined => {
    const record = this.parts.windowStore.get(key);
    if (record === undefined) return undefined;
    return leading(l2Normalize(dequantizeMean(record)), this.parts.model.manifest.landmarkDimensions);
  };
}

/** The owner of the embed loop that stands for the words of a path. */
export function ownerOfPath(path: string): string {
  return `${PATH_OWNER}${path}`;
}

/** The path whose words an owner of the embed loop stands for; undefined when it stands for a content. */
export function pathOfOwner(owner: string): string | undefined {
  return owner.startsWith(PATH_OWNER) ? owner.slice(PATH_OWNER.length) : undefined;
}

function windowKeysOf({ windowKeys, landmarkCounts }: ContentWindows): Uint8Array[] {
  return Array.from(landmarkCounts, (_, at) => windowKeys.subarray(KEY_BYTES * at, KEY_BYTES * (at + 1)));
}

function* filtered(keys: Iterable<Uint8Array>, passes: (key: Uint8Array) => boolean): Generator<Uint8Array> {
  for (const key of keys) if (passes(key)) yield key;
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}

function bytesOf(hash: string): Uint8Array {
  return Buffer.from(hash, 'hex');
}
