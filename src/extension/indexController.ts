import type {
  ExplainResponse,
  FailedFile,
  IndexProgress,
  IndexReport,
  IndexStats,
  SearchRequest,
  SimilarResponse,
} from '../engine/types';
import type { EngineExit } from '../host/engineClient';
import type { FolderStatus } from '../host/protocol';
import { CoalescedRun, Deferred } from '../util/async';
import { raceAbort } from '../util/cancellation';
import { isCancelled, LandmarkError, throwIfAborted } from '../util/errors';
import type { Disposable } from '../util/lifecycle';
import type { Engine, IndexControllerParts } from './controllerParts';
import { Emitter } from './emitter';
import type { ChangeBatch } from './model/changeQueue';
import { errorText, WordedError } from './model/errorText';
import type { EngineState, HoldReason, IndexState, LongRun } from './model/indexState';
import { t } from './model/l10n';
import type { FolderAnswer } from './model/resultRows';
import { deepestRoot } from './model/roots';
import type { IndexDetails } from './model/statusHover';
import { whyUnsearchable } from './model/unsearchable';
import type { OpenRoot, WorkspaceRoot } from './openRoot';
import { draftsFor, failedAfter, freshStatus, OPENING, rootView, sameRoot } from './openRoot';

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
  #held: HoldReason | undefined;
  #disposed = false;

  constructor(parts: IndexControllerParts) {
    this.#parts = parts;
    this.#paused = parts.pausedMemory.get();
  }

  get state(): IndexState {
    const roots = this.#wanted.map(root => rootView(root.name, this.#find(root)));
    const held = this.#held === undefined ? {} : { held: this.#held };
    return { engine: this.#engineState, paused: this.#paused, ...held, roots };
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

  /** Searches every folder that is open, or only the one; waits for the first one while they are being opened. */
  async search(request: SearchRequest, signal: AbortSignal, only?: string): Promise<FolderAnswer[]> {
    const open = await this.#searchableFolders(signal);
    const folders = open.filter(folder => only === undefined || this.workspacePath(folder) === only);
    if (folders.length === 0) return [];
    const drafts = draftsFor(folders, this.#open, this.#parts.unsavedTexts?.() ?? []);
    const { responses } = await this.#running().request('search', { folders, request, ...drafts }, { signal });
    // A folder may have been taken away while it was searched.
    return responses.filter(({ folder }) => this.folderNames.has(folder));
  }

  /** @param file absolute path. */
  async similar(file: string, limit: number, signal: AbortSignal): Promise<SimilarResponse & { folder: string }> {
    const { folder, path } = await this.#placeOf(file, signal);
    return { folder, ...(await this.#running().request('similar', { folder, file: path, limit }, { signal })) };
  }

  async explain(file: string, signal: AbortSignal): Promise<ExplainResponse & { folder: string }> {
    const { folder, path } = await this.#placeOf(file, signal);
    return { folder, ...(await this.#running().request('explain', { folder, file: path }, { signal })) };
  }

  /** Counts and sizes of the folders that are open. */
  async details(): Promise<IndexDetails[]> {
    const open = this.#open.filter(each => each.state.kind === 'open' && this.#isWanted(each));
    return Promise.all(
      open.map(async ({ root: { name }, folder = '', updated }) => {
        const stats = await this.#running().request('stats', { folder });
        return { name, stats, ...(updated === undefined ? {} : { updated }) };
      }),
    );
  }

  /** @param path of a workspace folder that is open. */
  statsOf(path: string): Promise<IndexStats> {
    const folder = this.#open.find(({ root }) => root.path === path)?.folder ?? path;
    return this.#running().request('stats', { folder });
  }

  /** Files that could not be indexed when their folder was last looked at, by the folder's path in the workspace. */
  get failedFiles(): ReadonlyMap<string, readonly FailedFile[]> {
    return new Map(this.#open.map(({ root, failed = [] }) => [root.path, failed]));
  }

  /** For what no state depends on. @throws WordedError where no engine runs. */
  readonly request: Engine['request'] = (kind, params, options) => this.#running().request(kind, params, options);

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
        const logged = work.then(report => this.#noteReport(open, `Brought ${path} up to date`, report, changes));
        await this.#settled(logged, `Bringing the index of ${path} up to date failed.`);
      }),
    );
  }

  setPaused(paused: boolean): void {
    if (this.#paused === paused) return;
    this.#paused = paused;
    this.#parts.pausedMemory.set(paused);
    this.#announce();
    for (const each of this.#open) this.#tellPause(each);
  }

  /** Lets indexing wait for a reason that is not the user's, or go on. */
  setHeld(held: HoldReason | undefined): void {
    if (this.#held === held) return;
    this.#held = held;
    this.#announce();
    for (const each of this.#open) this.#tellPause(each);
  }

  /** Folders that wait for `setQuestion`, by their path in the workspace. */
  get questions(): ReadonlyMap<string, LongRun | 'measuring'> {
    return new Map(this.#open.flatMap(({ root, question }) => (question ? [[root.path, question] as const] : [])));
  }

  /** Lets one folder wait until it is known whether to go on, or go on. @param path of the workspace folder. */
  setQuestion(path: string, question: LongRun | 'measuring' | undefined): void {
    const each = this.#open.find(({ root }) => root.path === path);
    if (each === undefined || each.question === question) return;
    const before = each.question;
    if (question === undefined) delete each.question;
    else each.question = question;
    this.#announce();
    if ((before === undefined) === (question === undefined)) return;
    this.#tellPause(each);
    // What the run left when it had to wait.
    if (question === undefined) this.#sync(each, false);
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
      await engine.request('setPaused', { folder, paused: this.#isPaused(each) });
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
      each.state = { kind: 'failed', reason: errorText(error) };
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
    const onProgress = (progress: IndexProgress): void => this.#parts.onProgress?.(each.root, progress);
    const work = this.#running().request('sync', { folder, rebuild }, { onProgress });
    const logged = work.then(report => this.#noteReport(each, `Indexed ${each.root.path}`, report, 'all'));
    this.#background(logged, `Indexing ${each.root.path} failed.`);
  }

  #isPaused(each: OpenRoot): boolean {
    return this.#paused || this.#held !== undefined || each.question !== undefined;
  }

  #tellPause(each: OpenRoot): void {
    const { folder } = each;
    if (folder === undefined || this.#engine === undefined) return;
    this.#background(this.#engine.request('setPaused', { folder, paused: this.#isPaused(each) }));
  }

  /** Where an absolute path is in the engine's folders, once its folder is open. */
  async #placeOf(file: string, signal: AbortSignal): Promise<{ folder: string; path: string }> {
    const roots = this.#wanted.map(root => root.path);
    const place = deepestRoot(file, roots);
    if (place === undefined) {
      throw new WordedError('invalid-argument', t('{0} is in none of the open folders: open its folder first.', file));
    }
    const open = this.#open.find(each => each.root.path === place.root);
    await raceAbort(Promise.resolve(open?.opened.promise), signal);
    if (open?.folder === undefined) throw whyUnsearchable(this.state);
    return { folder: open.folder, path: place.path };
  }

  #noteReport(each: OpenRoot, what: string, report: IndexReport, looked: ChangeBatch['changes']): void {
    each.failed = failedAfter(each.failed, looked, report.failed);
    each.updated = new Date();
    this.#announce();
    this.#parts.onReport?.(report);
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
