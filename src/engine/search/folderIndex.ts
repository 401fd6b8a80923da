import { isCancelled, LandmarkError, messageOf, systemCode } from '../../util/errors';
import { Pauses } from '../../util/pauses';
import { CommitHistory } from '../history/commitHistory';
import { HISTORY_META, HISTORY_STAMP_META } from '../history/storedHistory';
import type { Commit } from '../history/gitLog';
import type { IndexedFile } from '../indexing/indexer';
import type { WindowTask } from '../indexing/schedule';
import { windowKey } from '../model/windows';
import type { ContentRow, FileRow } from '../store/records';
import { storeError } from '../store/storeErrors';
import type { WindowStore } from '../store/windowStore';
import { type ContentWindows, windowKeysOf } from './contentTable';
import type { Corpus, CorpusDocument } from './corpus';
import { type KeeperOptions, SnapshotKeeper } from './snapshotKeeper';
import type { EmbeddedWindows, VectorTable } from './vectorTable';
import { WindowGraph } from './windowGraph';

const PATH_OWNER = 'path:';
/** How long loading may keep the event loop, in milliseconds. */
const TURN_MS = 20;

export interface FolderIndexParts extends KeeperOptions {
  readonly windowStore: WindowStore;
  /** Token ids of a path's words. */
  readonly pathWindow: (path: string) => Int32Array;
}

/**
 * Everything a search of one folder reads: words, vectors, the graph, commits. It is filled from a snapshot or from the
 * store, and follows what is committed there.
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
  /** Whether vectors come from a snapshot that nobody has compared with the store of windows yet. */
  private isUncompared: boolean;
  private readonly closing = new AbortController();

  private constructor(
    private readonly parts: FolderIndexParts,
    private readonly keeper: SnapshotKeeper,
    readonly windows: WindowGraph,
  ) {
    const { corpus, vectors } = keeper.contents;
    this.corpus = corpus;
    this.vectors = vectors;
    this.isUncompared = keeper.isResting;
  }

  /** Loads what the catalogue says is indexed. @throws LandmarkError `store-damaged`, `cancelled`. */
  static async load(parts: FolderIndexParts, signal?: AbortSignal): Promise<FolderIndex> {
    const keeper = await SnapshotKeeper.open(parts);
    // Another process may have written the snapshot after the vocabulary was read.
    if (keeper.isResting) parts.catalog.learnTerms();
    let graph: WindowGraph | undefined;
    try {
      graph = await WindowGraph.load(parts, keeper.contents.corpus);
      const index = new FolderIndex(parts, keeper, graph);
      await index.follow(signal);
      return index;
    } catch (error) {
      await graph?.close();
      await keeper.close();
      // It may be the snapshot, whatever is wrong with it: without it the folder can still be opened.
      if (isCancelled(error) || !keeper.isResting) throw error;
      parts.logger.warn(`The snapshot of the index is not used, the catalogue is read: ${messageOf(error)}`);
      return FolderIndex.load({ ...parts, useSnapshot: false }, signal);
    }
  }

  /** Whether a part of what is searched rests in a snapshot: it may be that which is damaged. */
  get usesSnapshot(): boolean {
    return this.keeper.isResting;
  }

  /** Brings the memory up to the catalogue. @throws LandmarkError `store-damaged`, `cancelled`. */
  async follow(signal?: AbortSignal): Promise<void> {
    const { catalog } = this.parts;
    const present = new Set<string>();
    this.lost.clear();
    const pauses = new Pauses(TURN_MS, signal);
    for (const [path, row] of catalog.files()) {
      await pauses.perhaps();
      if (row.state !== 'indexed') continue;
      present.add(path);
      if (!this.adopt(path, row)) this.lost.add(path);
    }
    for (const path of [...this.corpus.documents()].map(document => document.path)) {
      if (!present.has(path)) this.remove(path);
    }
    this.followHistory();
    this.windows.fill();
  }

  private followHistory(): void {
    const { catalog } = this.parts;
    const stamp = catalog.getMeta(HISTORY_STAMP_META);
    if (this.history !== undefined && stamp === this.historyStamp) return;
    const commits = catalog.getMeta(HISTORY_META) as readonly Commit[] | undefined;
    this.history = commits === undefined ? undefined : new CommitHistory(commits);
    this.historyStamp = stamp;
  }

  /** Once: the snapshot may know vectors that the store of windows has lost. They are read from there again, as far as it has them. */
  async compareWithStore(signal?: AbortSignal): Promise<void> {
    if (!this.isUncompared) return;
    const pauses = new Pauses(TURN_MS, signal);
    for (const hash of [...this.corpus.hashes()]) {
      await pauses.perhaps();
      if (this.storedWindows(hash) < (this.vectorsOf(hash)?.knownWindows ?? 0)) this.reload(hash);
    }
    for (const { doc, path } of [...this.corpus.documents()]) {
      await pauses.perhaps();
      if (!this.vectors.paths.has(doc) || this.isStored(windowKey(this.parts.pathWindow(path)))) continue;
      this.vectors.deletePath(doc);
      this.noteChange();
    }
    this.isUncompared = false;
  }

  /** Reads all vectors again: the store of windows has lost some. */
  reloadVectors(): void {
    for (const hash of [...this.corpus.hashes()]) this.reload(hash);
    for (const { doc, path } of this.corpus.documents()) {
      this.vectors.deletePath(doc);
      this.loadPath(path);
    }
  }

  private adopt(path: string, row: FileRow): boolean {
    const known = this.corpus.at(path);
    if (known?.hash === row.hash) {
      if (this.hasNewVectors(row.hash)) this.reload(row.hash);
      this.loadPath(path);
      return true;
    }
    const content = this.corpus.content(row.hash) ?? this.parts.catalog.getContent(row.hash);
    if (content === undefined) return false;
    // Another process may have stored it only now, with words that the vocabulary does not have yet.
    this.parts.catalog.learnTerms();
    this.put(path, row.size, row.hash, content);
    return true;
  }

  /** Whether the store has windows of a content that are not known here. */
  private hasNewVectors(hash: string): boolean {
    const vectors = this.vectorsOf(hash);
    if (vectors === undefined) return true;
    return vectors.knownWindows < vectors.windows && this.storedWindows(hash) > vectors.knownWindows;
  }

  /** How many windows of a content the store has. */
  private storedWindows(hash: string): number {
    const windows = this.corpus.windowsOf(hash);
    if (windows === undefined) return 0;
    return windowKeysOf(windows).filter(key => this.isStored(key)).length;
  }

  /** A file is indexed with this content. */
  put(path: string, size: number, hash: string, row: ContentRow): void {
    const before = this.corpus.at(path);
    if (before?.hash !== hash) this.noteChange();
    const windowsBefore = this.corpus.windowsOf(before?.hash ?? '');
    orSpoilt(() => this.corpus.put(path, size, hash, row));
    if (before !== undefined && windowsBefore !== undefined && before.hash !== hash)
      this.release(before, windowsBefore);
    const content = this.corpus.contentNumber(hash);
    if (content !== undefined && this.vectors.get(content) === undefined) {
      this.windows.hold(content, row);
      this.reload(hash);
    }
    this.loadPath(path);
  }

  remove(path: string): void {
    const document = this.corpus.at(path);
    const windows = this.corpus.windowsOf(document?.hash ?? '');
    if (document === undefined || windows === undefined) return;
    this.noteChange();
    orSpoilt(() => this.corpus.remove(path));
    this.vectors.deletePath(document.doc);
    this.release(document, windows);
  }

  /** Files that were read anew: whatever was known of them and their contents is replaced, in the graph too. */
  replace(files: readonly IndexedFile[]): void {
    // A content that is known is not looked at again: all files that have it have to go first.
    for (const { path } of files) this.remove(path);
    for (const { path, size, hash, row } of files) this.put(path, size, hash, row);
    this.windows.add(files.flatMap(({ row }) => windowKeysOf(row)));
  }

  /** New windows of these contents, or path words, are in the store. */
  onStored(keys: readonly string[], touched: ReadonlySet<string>): void {
    for (const owner of touched) {
      const path = pathOfOwner(owner);
      if (path !== undefined) this.loadPath(path);
      else this.reload(owner);
    }
    this.windows.add(keys.map(key => Buffer.from(key, 'hex')).filter(key => this.windows.holds(key)));
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

  /** Makes the graph hold exactly what is indexed, and writes it and, where it is worth it, a snapshot. @throws LandmarkError `disk-full`, `cancelled`. */
  async finish(signal?: AbortSignal): Promise<void> {
    try {
      await this.windows.finish(signal);
      await this.keeper.save(signal);
    } catch (error) {
      throw systemCode(error) === undefined ? error : storeError(this.parts.directory, error);
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
    await this.windows.close();
    await this.keeper.close();
  }

  /** What is in the snapshot counts no more: the next one who opens the folder reads the catalogue. */
  discardSnapshot(): Promise<void> {
    return this.keeper.discard();
  }

  private noteChange(): void {
    this.complete = undefined;
    this.keeper.noteChange();
  }

  private reload(hash: string): void {
    const windows = this.corpus.windowsOf(hash);
    const content = this.corpus.contentNumber(hash);
    if (windows === undefined || content === undefined) return;
    this.noteChange();
    this.vectors.load(content, windows, key => this.parts.windowStore.get(key));
  }

  private loadPath(path: string): void {
    const document = this.corpus.at(path);
    if (document === undefined || this.vectors.paths.has(document.doc) || !this.parts.model.manifest.pathVector) return;
    const record = this.parts.windowStore.get(windowKey(this.parts.pathWindow(path)));
    if (record === undefined) return;
    this.noteChange();
    this.vectors.setPath(document.doc, record);
  }

  /** Vectors of a content that some file has. */
  vectorsOf(hash: string): EmbeddedWindows | undefined {
    return this.vectors.get(this.corpus.contentNumber(hash));
  }

  /** Forgets a content that no file has any more. */
  private release({ hash, content }: CorpusDocument, windows: ContentWindows): void {
    if (this.corpus.hasContent(hash)) return;
    this.vectors.delete(content);
    this.windows.release(content, windows);
  }

  /** True when another took its place: rows cannot be read from here any more. */
  get isClosed(): boolean {
    return this.closing.signal.aborted;
  }

  private isStored(key: Uint8Array): boolean {
    return this.parts.windowStore.has(key);
  }
}

/** The owner of the embed loop that stands for the words of a path. */
export function ownerOfPath(path: string): string {
  return `${PATH_OWNER}${path}`;
}

/** The path whose words an owner of the embed loop stands for; undefined when it stands for a content. */
export function pathOfOwner(owner: string): string | undefined {
  return owner.startsWith(PATH_OWNER) ? owner.slice(PATH_OWNER.length) : undefined;
}

/** A file that cannot be taken out as it was put in leaves half of itself behind: what is in memory has to be read again. */
function orSpoilt(change: () => void): void {
  try {
    change();
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    const sentence = `What is in memory of the index does not agree with itself (${error.message}). Open the folder again.`;
    throw new LandmarkError('store-damaged', sentence, { cause: error });
  }
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}
