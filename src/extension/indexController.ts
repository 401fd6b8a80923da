import type { IndexProgress, IndexReport } from '../engine/types';
import type { EngineExit } from '../host/engineClient';
import { CoalescedRun } from '../util/async';
import { isCancelled, LandmarkError } from '../util/errors';
import type { Disposable } from '../util/lifecycle';
import type { Engine, IndexControllerParts } from './controllerParts';
import { Emitter } from './emitter';
import type { ChangeBatch } from './model/changeQueue';
import { errorText } from './model/errorText';
import type { EngineState, HoldReason, IndexState, LongRun } from './model/indexState';
import { whyUnsearchable } from './model/unsearchable';
import { IndexReader } from './indexReader';
import { OpenFolders } from './openFolders';
import type { OpenRoot, WorkspaceRoot } from './openRoot';
import { failedAfter, freshStatus } from './openRoot';

/** How long the engine may take to end, in milliseconds: the editor gives extensions little more when it closes. */
const STOP_MS = 800;

/**
 * Keeps the engine's folders equal to the workspace's, carries out what the user asks of the index, and tells its
 * state. Opening and closing happen in one place, one run at a time; whatever changes meanwhile causes one more run.
 */
export class IndexController implements Disposable {
  readonly #parts: IndexControllerParts;
  readonly #changed = new Emitter<IndexState>();
  readonly #folders = new OpenFolders();
  readonly #reconcile = new CoalescedRun(() => this.#reconcileFolders());
  /** Answers from the folders that are open. */
  readonly reader: IndexReader;
  #engine: Engine | undefined;
  #engineState: EngineState = { kind: 'idle' };
  #paused: boolean;
  #held: HoldReason | undefined;
  #disposed = false;

  constructor(parts: IndexControllerParts) {
    this.#parts = parts;
    this.#paused = parts.pausedMemory.get();
    this.reader = new IndexReader({
      folders: this.#folders,
      running: () => this.#running(),
      state: () => this.state,
      settling: () => (this.#reconcile.isRunning ? this.#reconcile.request() : undefined),
      ...(parts.unsavedTexts === undefined ? {} : { unsavedTexts: parts.unsavedTexts }),
    });
  }

  get state(): IndexState {
    const held = this.#held === undefined ? {} : { held: this.#held };
    return { engine: this.#engineState, paused: this.#paused, ...held, roots: this.#folders.views };
  }

  onDidChange(listener: (state: IndexState) => void): Disposable {
    return this.#changed.on(listener);
  }

  /** Says which folders are to be indexed, and how. A folder that is gone gives no results from this moment on. */
  setRoots(roots: readonly WorkspaceRoot[]): void {
    this.#folders.want(roots);
    this.#announce();
    this.#background(this.#reconcile.request());
  }

  /** Hands changes over; resolves when the index has them (or keeps them, while paused). */
  async applyChanges(batches: readonly ChangeBatch[]): Promise<void> {
    await Promise.all(
      batches.map(async ({ folder: path, changes }) => {
        const open = this.#folders.at(path);
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
    for (const each of this.#folders.all) this.#tellPause(each);
  }

  /** Lets indexing wait for a reason that is not the user's, or go on. */
  setHeld(held: HoldReason | undefined): void {
    if (this.#held === held) return;
    this.#held = held;
    this.#announce();
    for (const each of this.#folders.all) this.#tellPause(each);
  }

  /** Folders that wait for `setQuestion`, by their path in the workspace. */
  get questions(): ReadonlyMap<string, LongRun | 'measuring'> {
    return this.#folders.questions;
  }

  /** Lets one folder wait until it is known whether to go on, or go on. @param path of the workspace folder. */
  setQuestion(path: string, question: LongRun | 'measuring' | undefined): void {
    const each = this.#folders.at(path);
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
    for (const each of this.#folders.all) if (each.state.kind === 'failed') this.#folders.forget(each);
    await this.#reconcile.request();
    for (const each of this.#folders.all) if (each.folder !== undefined) this.#sync(each, true);
  }

  /** Deletes what is stored for the open folders. */
  async clear(): Promise<void> {
    for (const each of this.#folders.all) {
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
    this.#forgetAll();
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
    this.#forgetAll();
  }

  async #reconcileFolders(): Promise<void> {
    for (const each of this.#folders.unwanted) await this.#close(each);
    for (const root of this.#folders.wanted) {
      if (this.#disposed || this.#engineState.kind === 'failed') return;
      if (this.#folders.find(root) === undefined) await this.#openRoot(root);
    }
  }

  async #openRoot(root: WorkspaceRoot): Promise<void> {
    const each = this.#folders.add(root);
    try {
      const engine = this.#started();
      const { folder } = await engine.request('open', { folder: root.path, options: root.options });
      // Known before the pause is sent: what the user asks from here on is sent after it, in order.
      each.folder = folder;
      await engine.request('setPaused', { folder, paused: this.#isPaused(each) });
      this.#setEngineState({ kind: 'running' });
      if (!this.#folders.has(each)) return;
      each.state = { kind: 'open', status: this.#folders.statusOf(folder) };
      this.#sync(each, false);
    } catch (error) {
      // When the process ended, its exit has been dealt with and the folder is opened again.
      if (isCancelled(error) || (error instanceof LandmarkError && error.reason === 'engine-died')) {
        this.#folders.forget(each);
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
    this.#folders.forget(each);
    const { folder } = each;
    // Two workspace folders can lead to one real folder, which then stays open for the other.
    if (folder === undefined || this.#folders.isOpen(folder)) return;
    await this.#settled(this.#running().request('closeFolder', { folder }), `${each.root.path} could not be closed.`);
  }

  #forgetAll(): void {
    for (const each of this.#folders.all) this.#folders.forget(each);
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
    engine.onStatus(status => {
      this.#folders.takeStatus(status);
      this.#announce();
    });
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
    this.#forgetAll();
    this.#announce();
    if (exit.restarts) this.#background(this.#reconcile.request());
  }

  async #stopEngine(): Promise<void> {
    const engine = this.#engine;
    this.#engine = undefined;
    if (engine !== undefined) await this.#settled(engine.stop(STOP_MS), 'The search process did not end well.');
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
