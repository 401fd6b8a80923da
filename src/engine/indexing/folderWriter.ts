import { setMaxListeners } from 'node:events';
import { anySignal, raceAbort } from '../../util/cancellation';
import { messageOf, throwIfAborted } from '../../util/errors';
import { isBelowAny } from '../../util/paths';
import type { EngineRuntime } from '../engineRuntime';
import type { FolderOptions } from '../folderEngine';
import { quantizeWindow } from '../vectors/quantization';
import { type FolderIndex, ownerOfPath, pathOfOwner } from '../search/folderIndex';
import { CommitHistory } from '../history/commitHistory';
import { updateHistory } from '../history/storedHistory';
import type { Catalog } from '../store/catalog';
import type { WindowStore } from '../store/windowStore';
import type { LoadedModel } from '../model/modelManifest';
import type { FailedFile, FileFailure, IndexProgress, IndexReport } from '../types';
import type { ContentBuilder } from './contentBuilder';
import { EmbedLoop } from './embedLoop';
import type { Order } from './handover';
import { Housekeeping } from './housekeeping';
import { indexReport, type Run } from './indexReport';
import { type IndexedFile, Indexer, type PassResult } from './indexer';
import type { WindowTask } from './schedule';
import { WindowIds } from './windowIds';

export interface FolderWriterParts {
  readonly folder: string;
  readonly options: FolderOptions;
  readonly runtime: EngineRuntime;
  readonly catalog: Catalog;
  readonly windowStore: WindowStore;
  readonly model: LoadedModel;
  readonly builder: ContentBuilder;
  readonly index: FolderIndex;
  /** Called when something changed that a status shows. */
  readonly onChange: () => void;
}

/** How often those who follow the index are told of new vectors while there are more to come, in milliseconds. */
const PUBLISH_MS = 2000;

/** An ignore file changed: what it rules on is everything below it. */
const IGNORE_FILE = /(^|\/)\.gitignore$|^\.git\/info\/exclude$/;

/** Keeps the index of one folder up to date. There is one writer a folder among all processes. */
export class FolderWriter {
  readonly loop: EmbedLoop;
  private readonly indexer: Indexer;
  private readonly windowIds = new WindowIds();
  private readonly failures = new Map<string, FileFailure>();
  private readonly runs = new Set<Run>();
  /** Told after each stored step. */
  private readonly watchers = new Set<() => void>();
  /** Passes over files happen one after the other; embedding goes on meanwhile. */
  private gate: Promise<unknown> = Promise.resolve();
  private readonly closing = new AbortController();
  private readonly active = new Set<Promise<unknown>>();
  private publishedAt = 0;
  /** How often the store of windows had been started anew when its content was last looked at. */
  private windowLives: number;
  private readonly housekeeping: Housekeeping;
  private problems: readonly FailedFile[] = [];

  constructor(private readonly parts: FolderWriterParts) {
    const { catalog, builder, index, folder, options, runtime, model, windowStore } = parts;
    this.windowLives = windowStore.restarts;
    this.indexer = new Indexer({
      folder,
      options,
      catalog,
      builder,
      windowIds: this.windowIds,
      lost: index.lost,
      listener: {
        onIndexed: (files, anew) => this.onIndexed(files, anew),
        onRemoved: paths => this.onRemoved(paths),
      },
      logger: runtime.logger,
    });
    // One listener for every order that is being carried out.
    setMaxListeners(0, this.closing.signal);
    this.housekeeping = new Housekeeping({
      dataDir: runtime.dataDir,
      folder,
      catalog,
      windowStore,
      fingerprint: model.fingerprint,
      pathWindow: path => builder.pathWindow(path),
      logger: runtime.logger,
    });
    this.loop = new EmbedLoop({
      embedder: () => runtime.indexEmbedder(),
      windowsOf: (owner, signal) => this.windowsOf(owner, signal),
      toRecord: rows => quantizeWindow(rows, model.manifest.dimensions, model.manifest.landmarkDimensions),
      store: records =>
        windowStore.putMany([...records].map(([key, record]) => [Buffer.from(key, 'hex'), record] as const)),
      onStored: (keys, touched, tokens) => this.onStored(keys, touched, tokens),
      onFailed: (owner, detail) => this.failures.set(owner, { kind: 'model', detail }),
      logger: runtime.logger,
    });
  }

  /** Files that could not be read or embedded. */
  get failedCount(): number {
    return this.failures.size + this.problems.length + this.indexer.unreadCount;
  }

  /** @throws LandmarkError `cancelled` when aborted or closed meanwhile. */
  async carryOut(
    order: Order,
    onProgress: (progress: IndexProgress) => void,
    signal?: AbortSignal,
  ): Promise<IndexReport> {
    const linked = anySignal(signal, this.closing.signal);
    const work = this.perform(order, onProgress, linked.signal);
    this.active.add(work);
    try {
      return await work;
    } finally {
      this.active.delete(work);
      linked.dispose();
    }
  }

  /** Nothing of what was begun goes on afterwards. */
  async close(): Promise<void> {
    this.closing.abort();
    await this.loop.close();
    await Promise.allSettled(this.active);
  }

  private async perform(
    order: Order,
    onProgress: (progress: IndexProgress) => void,
    signal: AbortSignal,
  ): Promise<IndexReport> {
    const run: Run = { keys: new Set(), owners: new Set(), tokens: 0, startedAt: performance.now() };
    this.runs.add(run);
    try {
      if (order.kind === 'clear') return await this.clear(run);
      if (order.kind === 'sync') return await this.sync(run, order.rebuild, onProgress, signal);
      const isWhole = order.paths.some(path => IGNORE_FILE.test(path) || path === '');
      return isWhole ? await this.sync(run, false, onProgress, signal) : await this.update(run, order.paths, signal);
    } finally {
      this.runs.delete(run);
      this.parts.onChange();
    }
  }

  /** Looks at the whole folder and embeds what is missing. */
  private async sync(
    run: Run,
    rebuild: boolean,
    onProgress: (progress: IndexProgress) => void,
    signal: AbortSignal,
  ): Promise<IndexReport> {
    const { index } = this.parts;
    // What was found wrong must not come back should this be interrupted.
    if (rebuild) await index.discardSnapshot();
    const pass = await this.alone(async () => {
      throwIfAborted(signal);
      const result = await this.indexer.syncAll(onProgress, { anew: rebuild }, signal);
      await this.readCommits(onProgress, signal);
      return result;
    });
    this.problems = pass.problems;
    this.failures.clear();
    await this.embedMissing(pass, onProgress, signal);
    // Damage that shows while it is written; should it show again, the next sync goes on.
    if (this.windowsLost) await this.embedMissing(pass, onProgress, signal);
    onProgress({ phase: 'graphs', done: 0, total: 1 });
    await index.finish(signal);
    onProgress({ phase: 'graphs', done: 1, total: 1 });
    const report = this.report(pass, run);
    await this.alone(() => this.housekeeping.run(index.corpus, signal));
    return report;
  }

  private async embedMissing(
    pass: PassResult,
    onProgress: (progress: IndexProgress) => void,
    signal: AbortSignal,
  ): Promise<void> {
    const { index, windowStore } = this.parts;
    if (this.windowsLost) {
      this.windowLives = windowStore.restarts;
      index.reloadVectors();
    }
    await index.compareWithStore(signal);
    const tasks = [...index.missingPaths(pass.files), ...index.missing()];
    this.loop.add(this.recentFirst(tasks), task =>
      pathOfOwner(task.owner) ? 'path' : task.ordinal === 0 ? 'first' : 'rest',
    );
    this.parts.onChange();
    await this.whenEmbedded(new Set(tasks.map(task => task.owner)), onProgress, signal);
  }

  /** Looks at some paths; their windows are embedded before all others. */
  private async update(run: Run, paths: readonly string[], signal: AbortSignal): Promise<IndexReport> {
    const pass = await this.alone(() => this.indexer.syncPaths(paths, signal));
    this.problems = [...this.problems.filter(({ path }) => !isBelowAny(path, paths)), ...pass.problems];
    const { index } = this.parts;
    const hashes = pass.files.flatMap(path => index.corpus.at(path)?.hash ?? []);
    for (const hash of hashes) this.failures.delete(hash);
    const tasks = [...index.missing(new Set(hashes)), ...index.missingPaths(pass.files)];
    this.loop.add(tasks, () => 'urgent');
    this.parts.onChange();
    await this.whenEmbedded(new Set(tasks.map(task => task.owner)), () => {}, signal);
    return this.report(pass, run);
  }

  private async clear(run: Run): Promise<IndexReport> {
    await this.alone(() => this.forgetAll());
    const { index } = this.parts;
    await index.finish();
    await index.discardSnapshot();
    return this.report({ files: [], problems: [], changed: true }, run);
  }

  private async forgetAll(): Promise<void> {
    const { catalog, index } = this.parts;
    const paths = [...catalog.files()].map(([path]) => path);
    const hashes = [...catalog.contentHashes()];
    await catalog.write([
      ...paths.map(path => ({ kind: 'deleteFile', path }) as const),
      ...hashes.map(hash => ({ kind: 'deleteContent', hash }) as const),
    ]);
    this.indexer.forgetAll();
    this.onRemoved([...index.corpus.documents()].map(document => document.path));
  }

  private onIndexed(files: readonly IndexedFile[], anew: boolean): void {
    const { index } = this.parts;
    const before = files.map(({ path }) => index.corpus.at(path)?.hash);
    if (anew) index.replace(files);
    else for (const { path, size, hash, row } of files) index.put(path, size, hash, row);
    for (const [at, { hash }] of files.entries()) if (before[at] !== hash) this.forgetUnused(before[at]);
  }

  private onRemoved(paths: readonly string[]): void {
    const { index } = this.parts;
    for (const path of paths) {
      const hash = index.corpus.at(path)?.hash;
      index.remove(path);
      this.loop.drop(ownerOfPath(path));
      this.forgetUnused(hash);
    }
  }

  /** Nothing is embedded for a content that no file has any more. */
  private forgetUnused(hash: string | undefined): void {
    if (hash === undefined || this.parts.index.corpus.hasContent(hash)) return;
    this.loop.drop(hash);
    this.windowIds.delete(hash);
    this.failures.delete(hash);
  }

  /** The store of windows proved damaged and was started anew: vectors in memory are all there is of its content. */
  private get windowsLost(): boolean {
    return this.parts.windowStore.restarts !== this.windowLives;
  }

  private onStored(keys: readonly string[], touched: ReadonlySet<string>, tokens: number): void {
    this.parts.index.onStored(keys, touched);
    const contents = [...touched].filter(owner => pathOfOwner(owner) === undefined);
    for (const owner of contents) if (!this.loop.isWaiting(owner)) this.windowIds.delete(owner);
    for (const run of this.runs) {
      if (contents.length === 0) continue;
      for (const owner of contents) run.owners.add(owner);
      for (const key of keys) if (this.parts.index.windows.holds(Buffer.from(key, 'hex'))) run.keys.add(key);
      run.tokens += tokens;
    }
    for (const watcher of this.watchers) watcher();
    this.publish();
    this.parts.onChange();
  }

  /** Windows do not change the catalogue: this tells those who follow it that there is something new. */
  private publish(): void {
    const now = performance.now();
    if (this.loop.outstanding > 0 && now - this.publishedAt < PUBLISH_MS) return;
    this.publishedAt = now;
    this.parts.catalog.write([]).catch((error: unknown) => {
      this.parts.runtime.logger.warn(`Other windows do not see the latest vectors yet: ${messageOf(error)}`);
    });
  }

  private windowsOf(owner: string, signal: AbortSignal): Promise<readonly Int32Array[] | undefined> {
    const path = pathOfOwner(owner);
    if (path !== undefined) return Promise.resolve([this.parts.builder.pathWindow(path)]);
    const known = this.windowIds.get(owner);
    if (known !== undefined) return Promise.resolve(known);
    const { corpus } = this.parts.index;
    const paths = [...corpus.docsOf(owner)].flatMap(doc => corpus.document(doc)?.path ?? []);
    return this.indexer.windowsAgain(owner, paths, signal);
  }

  /** Recently changed files before others; windows of one file stay in order. */
  private recentFirst(tasks: readonly WindowTask[]): WindowTask[] {
    const { corpus } = this.parts.index;
    const changed = (owner: string): number => {
      const [doc] = corpus.docsOf(owner);
      const path = doc === undefined ? undefined : corpus.document(doc)?.path;
      return path === undefined ? 0 : Math.abs(this.indexer.row(path)?.stamp ?? 0);
    };
    const times = new Map(tasks.map(({ owner }) => [owner, changed(owner)]));
    return [...tasks].sort((a, b) => (times.get(b.owner) ?? 0) - (times.get(a.owner) ?? 0));
  }

  private async whenEmbedded(
    owners: ReadonlySet<string>,
    onProgress: (progress: IndexProgress) => void,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const total = this.loop.outstanding;
    const report = (): void => onProgress({ phase: 'embed', done: Math.max(0, total - this.loop.outstanding), total });
    report();
    const stopWatching = this.watch(report);
    try {
      await raceAbort(this.loop.whenDone(owners), signal);
    } finally {
      stopWatching();
    }
    throwIfAborted(signal);
    const failure = this.loop.failure;
    // Without a runtime, words and history still answer; the status says so.
    if (failure !== undefined && failure.reason !== 'runtime-unavailable') throw failure;
  }

  private watch(listener: () => void): () => void {
    this.watchers.add(listener);
    return () => this.watchers.delete(listener);
  }

  private async readCommits(
    onProgress: (progress: IndexProgress) => void,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    onProgress({ phase: 'history', done: 0, total: 1 });
    const { folder, options, catalog, index, runtime } = this.parts;
    const commits = await updateHistory({ folder, source: options.history, catalog, logger: runtime.logger }, signal);
    if (commits !== undefined) index.history = new CommitHistory(commits);
    onProgress({ phase: 'history', done: 1, total: 1 });
  }

  /** Why a content could not be embedded. */
  failureOf(hash: string): FileFailure | undefined {
    return this.failures.get(hash);
  }

  private report(pass: PassResult, run: Run): IndexReport {
    const { index } = this.parts;
    return indexReport(pass, run, {
      rowOf: path => this.indexer.row(path),
      failureOf: hash => this.failureOf(hash),
      windowsOf: hash => index.vectorsOf(hash)?.knownWindows ?? 0,
    });
  }

  private alone<T>(work: () => Promise<T>): Promise<T> {
    const next = this.gate.then(work);
    this.gate = next.catch(() => undefined); // whoever asked hears of it
    return next;
  }
}
