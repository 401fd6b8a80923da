import type { FolderOptions } from '../engine/folderEngine';
import type { IndexReport, SearchRequest, SimilarResponse } from '../engine/types';
import type { EngineClient, EngineExit } from '../host/engineClient';
import type { FolderStatus } from '../host/protocol';
import { CoalescedRun, Deferred } from '../util/async';
import { raceAbort } from '../util/cancellation';
import { isCancelled, LandmarkError, messageOf, throwIfAborted } from '../util/errors';
import type { Disposable } from '../util/lifecycle';
import type { Logger } from '../util/logger';
import { Emitter } from './emitter';
import type { ChangeBatch } from './model/changeQueue';
import type { EngineState, IndexState, RootState } from './model/indexState';
import type { FolderAnswer } from './model/resultRows';
import { deepestRoot } from './model/roots';
import { whyUnsearchable } from './model/unsearchable';

/** The part of the engine client that is used here; tests hand in their own. */
export type Engine = Pick<EngineClient, 'request' | 'onStatus' | 'onExit' | 'stop'>;

/** One workspace folder as it should be indexed. */
export interface WorkspaceRoot {
  /** As the editor names it: may lead through symbolic links. */
  readonly path: string;
  readonly name: string;
  readonly options: FolderOptions;
}

/** A choice of the user that outlives the window. */
export interface PausedMemory {
  get(): boolean;
  set(paused: boolean): void;
}

export interface IndexControllerParts {
  /** Starts a search process with the settings of this moment. */
  readonly startEngine: () => Engine;
  readonly pausedMemory: PausedMemory;
  readonly logger: Logger;
}

interface OpenRoot {
  readonly root: WorkspaceRoot;
  state: RootState;
  /** The engine's name for the folder, once it is open. */
  folder?: string;
  /** Settled when the folder can be searched, or cannot for now. */
  readonly opened: Deferred<void>;
}

/** How long the engine may take to end, in milliseconds: the editor gives extensions little more when it closes. */
const STOP_MS = 800;

/**
 * Keeps the engine's folders equal to the workspace's, carries out what the user asks of the index, and tells its
 * state. Opening and closing happen in one place, one run at a time; whatever changes meanwhile causes one more run.
 */
export class IndexController implements Disposable {
  readonly #parts: IndexControllerParts;
  readonly #changed = new Emitter<IndexState>();
  readonly #reconcile = new CoalescedRun(() => this.#reconcileFolders());
  #engine: Engine | undefined;
  #engineState: EngineState = { kind: 'idle' };
  #wanted: readonly WorkspaceRoot[] = [];
  #open: OpenRoot[] = [];
  /** A status can come before the answer that tells whose it is. */
  readonly #lastStatus = new Map<string, FolderStatus>();
  #paused: boolean;
  #disposed = false;

  constructor(parts: IndexControllerParts) {
    this.#parts = parts;
    this.#paused = parts.pausedMemory.get();
  }

  get state(): IndexState {
    const roots = this.#wanted.map(root => ({ name: root.name, state: this.#find(root)?.state ?? OPENING }));
    return { engine: this.#engineState, paused: this.#paused, roots };
  }

  onDidChange(listener: (state: IndexState) => void): Disposable {
    return this.#changed.on(listener);
  }

  /** The engine's folders with the names of their workspace folders, as far as they are open. */
  get folderNames(): ReadonlyMap<string, string> {
    const open = this.#open.filter(each => each.folder !== undefined && this.#isWanted(each));
    return new Map(open.map(each => [String(each.folder), each.root.name]));
  }

  /** The workspace's own path of an engine's folder, so that files open under the names that the editor uses. */
  workspacePath(folder: string): string {
    return this.#open.find(each => each.folder === folder)?.root.path ?? folder;
  }

  /** Says which folders are to be indexed, and how. A folder that is gone gives no results from this moment on. */
  setRoots(roots: readonly WorkspaceRoot[]): void {
    this.#wanted = roots;
    this.#announce();
    this.#background(this.#reconcile.request());
  }

  /** Searches every folder that is open; waits for the first one while they are being opened. */
  async search(request: SearchRequest, signal: AbortSignal): Promise<FolderAnswer[]> {
    const folders = await this.#searchableFolders(signal);
    const { responses } = await this.#running().request('search', { folders, request }, { signal });
    // A folder may have been taken away while it was searched.
    return responses.filter(({ folder }) => this.folderNames.has(folder));
  }

  /** @param file absolute path. */
  async similar(file: string, limit: number, signal: AbortSignal): Promise<SimilarResponse & { folder: string }> {
    const place = deepestRoot(
      file,
      this.#wanted.map(root => root.path),
    );
    if (place === undefined) {
      throw new LandmarkError('invalid-argument', `${file} is in none of the open folders: open its folder first.`);
    }
    const open = this.#open.find(each => each.root.path === place.root);
    await raceAbort(Promise.resolve(open?.opened.promise), signal);
    if (open?.folder === undefined) throw whyUnsearchable(this.state);
    const { folder } = open;
    return { folder, ...(await this.#running().request('similar', { folder, file: place.path, limit }, { signal })) };
  }

  /** Hands changes over; resolves when the index has them (or keeps them, while paused). */
  async applyChanges(batches: readonly ChangeBatch[]): Promise<void> {
    await Promise.all(
      batches.map(async ({ folder: path, changes }) => {
        const open = this.#open.find(each => each.root.path === path);
        // What is not open yet is read from disk when it is opened; what was cleared waits for a rebuild.
        if (open?.folder === undefined || open.state.kind === 'cleared') return;
        const { folder } = open;
        const work =
          changes === 'all'
            ? this.#running().request('sync', { folder, rebuild: false })
            : this.#running().request('update', { folder, paths: changes });
        const logged = work.then(report => this.#logReport(`Brought ${path} up to date`, report));
        await this.#settled(logged, `Bringing the index of ${path} up to date failed.`);
      }),
    );
  }

  setPaused(paused: boolean): void {
    if (this.#paused === paused) return;
    this.#paused = paused;
    this.#parts.pausedMemory.set(paused);
    this.#announce();
    for (const { folder } of this.#open) {
      if (folder === undefined || this.#engine === undefined) continue;
      this.#background(this.#engine.request('setPaused', { folder, paused }));
    }
  }

  /** Indexes everything again, also what was cleared or could not be opened. */
  async rebuild(): Promise<void> {
    if (this.#engineState.kind === 'failed') await this.restart();
    for (const each of this.#open.filter(({ state }) => state.kind === 'failed')) this.#forget(each);
    await this.#reconcile.request();
    for (const each of this.#open) if (each.folder !== undefined) this.#sync(each, true);
  }

  /** Deletes what is stored for the open folders. */
  async clear(): Promise<void> {
    for (const each of this.#open) {
      if (each.folder === undefined) continue;
      await this.#running().request('clear', { folder: each.folder });
      each.state = { kind: 'cleared' };
      this.#announce();
    }
  }

  /** Ends the search process and starts one with the settings of this moment. */
  async restart(): Promise<void> {
    await this.#stopEngine();
    this.#setEngineState({ kind: 'idle' });
    for (const each of [...this.#open]) this.#forget(each);
    await this.#reconcile.request();
  }

  /** Ends everything; resolves when the search process is gone. */
  async stop(): Promise<void> {
    this.dispose();
    await this.#stopEngine();
  }

  dispose(): void {
    this.#disposed = true;
    this.#changed.dispose();
    for (const each of [...this.#open]) this.#forget(each);
  }

  async #reconcileFolders(): Promise<void> {
    for (const each of [...this.#open]) if (!this.#isWanted(each)) await this.#close(each);
    for (const root of this.#wanted) {
      if (this.#disposed || this.#engineState.kind === 'failed') return;
      if (this.#find(root) === undefined) await this.#openRoot(root);
    }
  }

  async #openRoot(root: WorkspaceRoot): Promise<void> {
    const each: OpenRoot = { root, state: OPENING, opened: new Deferred() };
    this.#open.push(each);
    try {
      const engine = this.#started();
      const { folder } = await engine.request('open', { folder: root.path, options: root.options });
      // Known before the pause is sent: what the user asks from here on is sent after it, in order.
      each.folder = folder;
      await engine.request('setPaused', { folder, paused: this.#paused });
      this.#setEngineState({ kind: 'running' });
      if (!this.#open.includes(each)) return;
      each.state = { kind: 'open', status: this.#lastStatus.get(folder) ?? freshStatus(folder) };
      this.#sync(each, false);
    } catch (error) {
      // When the process ended, its exit has been dealt with and the folder is opened again.
      if (isCancelled(error) || (error instanceof LandmarkError && error.reason === 'engine-died')) {
        this.#forget(each);
        return;
      }
      this.#parts.logger.error(`The index of ${root.path} could not be opened.`, error);
      each.state = { kind: 'failed', reason: messageOf(error) };
      this.#setEngineState({ kind: 'running' });
    } finally {
      each.opened.resolve();
      this.#announce();
    }
  }

  async #close(each: OpenRoot): Promise<void> {
    this.#forget(each);
    const { folder } = each;
    // Two workspace folders can lead to one real folder, which then stays open for the other.
    if (folder === undefined || this.#open.some(other => other.folder === folder)) return;
    await this.#settled(this.#running().request('closeFolder', { folder }), `${each.root.path} could not be closed.`);
  }

  #forget(each: OpenRoot): void {
    this.#open = this.#open.filter(other => other !== each);
    if (each.folder !== undefined) this.#lastStatus.delete(each.folder);
    each.opened.resolve();
  }

  #sync(each: OpenRoot, rebuild: boolean): void {
    const { folder } = each;
    if (folder === undefined) return;
    if (each.state.kind === 'cleared') each.state = { kind: 'open', status: freshStatus(folder) };
    this.#announce();
    const work = this.#running().request('sync', { folder, rebuild });
    const logged = work.then(report => this.#logReport(`Indexed ${each.root.path}`, report));
    this.#background(logged, `Indexing ${each.root.path} failed.`);
  }

  #logReport(what: string, report: IndexReport): void {
    const { failed, ...counts } = report;
    this.#parts.logger.info(`${what}: ${JSON.stringify({ ...counts, failed: failed.length })}`);
    for (const { path, reason } of failed) this.#parts.logger.warn(`Not indexed: ${path}: ${reason}`);
  }

  #started(): Engine {
    if (this.#engine !== undefined) return this.#engine;
    this.#setEngineState({ kind: 'starting' });
    const engine = this.#parts.startEngine();
    engine.onStatus(status => this.#takeStatus(status));
    engine.onExit(exit => {
      if (this.#engine === engine) this.#handleExit(exit);
    });
    this.#engine = engine;
    return engine;
  }

  /** @throws LandmarkError `engine-died` when there is no engine. */
  #running(): Engine {
    if (this.#engine === undefined) throw whyUnsearchable(this.state);
    return this.#engine;
  }

  #handleExit(exit: EngineExit): void {
    this.#setEngineState(
      exit.restarts ? { kind: 'restarting', reason: exit.message } : { kind: 'failed', reason: exit.message },
    );
    for (const each of [...this.#open]) this.#forget(each);
    this.#announce();
    if (exit.restarts) this.#background(this.#reconcile.request());
  }

  #takeStatus(status: FolderStatus): void {
    this.#lastStatus.set(status.folder, status);
    for (const each of this.#open) {
      if (each.folder !== status.folder || each.state.kind !== 'open') continue;
      each.state = { kind: 'open', status };
    }
    this.#announce();
  }

  async #searchableFolders(signal: AbortSignal): Promise<string[]> {
    for (;;) {
      throwIfAborted(signal);
      const pending = this.#open.filter(each => each.state.kind === 'opening');
      const ready = this.#open.filter(each => each.state.kind === 'open' && each.folder !== undefined);
      const folders = [...new Set(ready.filter(each => this.#isWanted(each)).map(each => String(each.folder)))];
      if (folders.length > 0) return folders;
      if (pending.length > 0) await raceAbort(Promise.race(pending.map(each => each.opened.promise)), signal);
      else if (this.#reconcile.isRunning) await raceAbort(this.#reconcile.request(), signal);
      else throw whyUnsearchable(this.state);
    }
  }

  async #stopEngine(): Promise<void> {
    const engine = this.#engine;
    this.#engine = undefined;
    if (engine !== undefined) await this.#settled(engine.stop(STOP_MS), 'The search process did not end well.');
  }

  #find(root: WorkspaceRoot): OpenRoot | undefined {
    return this.#open.find(each => sameRoot(each.root, root));
  }

  #isWanted(each: OpenRoot): boolean {
    return this.#wanted.some(root => sameRoot(root, each.root));
  }

  #setEngineState(state: EngineState): void {
    this.#engineState = state;
    this.#announce();
  }

  #announce(): void {
    this.#changed.fire(this.state);
  }

  #background(work: Promise<unknown>, what = 'A request to the index failed.'): void {
    void this.#settled(work, what);
  }

  async #settled(work: Promise<unknown>, what: string): Promise<void> {
    try {
      await work;
    } catch (error) {
      if (!isCancelled(error) && !this.#disposed) this.#parts.logger.error(what, error);
    }
  }
}

const OPENING: RootState = { kind: 'opening' };

function sameRoot(a: WorkspaceRoot, b: WorkspaceRoot): boolean {
  return a.path === b.path && JSON.stringify(a.options) === JSON.stringify(b.options);
}

/** Until the engine tells. */
function freshStatus(folder: string): FolderStatus {
  return {
    folder,
    state: 'indexing',
    done: 0,
    total: 0,
    complete: 0,
    files: 0,
    problems: 0,
    reason: '',
    vectors: true,
  };
}
