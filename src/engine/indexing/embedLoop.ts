import { isCancelled, LandmarkError, messageOf } from '../../util/errors';
import type { Logger } from '../../util/logger';
import type { Embedder } from '../model/embedder';
import type { WindowRecord } from '../store/records';
import { type Priority, Schedule, type WindowTask } from './schedule';

/** Windows taken from the schedule at once, so that windows of like length can share a call. */
const LOOK_AHEAD = 192;
/** Windows embedded and stored at once: a saved file waits for one such step at most. */
const STEP = 32;

export interface EmbedLoopParts {
  readonly embedder: () => Promise<Embedder>;
  /** Token ids of all windows of an owner; undefined when they cannot be had any more (the file changed or is gone). */
  readonly windowsOf: (owner: string, signal: AbortSignal) => Promise<readonly Int32Array[] | undefined>;
  readonly toRecord: (landmarks: Float32Array) => WindowRecord;
  /** Durable when it resolves. */
  readonly store: (records: ReadonlyMap<string, WindowRecord>) => Promise<void>;
  readonly onStored: (keys: readonly string[], touched: ReadonlySet<string>, tokens: number) => void;
  /** The owner's remaining windows cannot be embedded. */
  readonly onFailed: (owner: string, reason: string) => void;
  readonly logger: Logger;
}

/**
 * Embeds what the schedule holds, one step after the other, until it is empty, paused or closed. What is outstanding
 * follows from the stored data alone, so a killed process goes on where it was.
 */
export class EmbedLoop {
  private readonly schedule = new Schedule();
  private readonly closing = new AbortController();
  private running: Promise<void> | undefined;
  private paused = false;
  private waiters: { readonly owners: Set<string>; readonly resolve: () => void }[] = [];
  /** A saved file waits: the running step is the last one before the schedule is looked at again. */
  private urgent = false;
  /** Why the runtime cannot embed at all; a new attempt is made with the next added window. */
  private unavailable: LandmarkError | undefined;

  constructor(private readonly parts: EmbedLoopParts) {}

  /** Windows that wait. */
  get outstanding(): number {
    return this.schedule.size;
  }

  /** Set when the model runtime cannot run here. */
  get failure(): LandmarkError | undefined {
    return this.unavailable;
  }

  isWaiting(owner: string): boolean {
    return this.schedule.isWaiting(owner);
  }

  add(tasks: readonly WindowTask[], priorityOf: (task: WindowTask) => Priority): void {
    for (const task of tasks) {
      const priority = priorityOf(task);
      if (priority === 'urgent') this.urgent = true;
      this.schedule.add(task, priority);
    }
    this.start();
  }

  drop(owner: string): void {
    this.schedule.drop(owner);
    this.notify();
  }

  setPaused(paused: boolean): void {
    this.paused = paused;
    if (paused) this.notify();
    else this.start();
  }

  /** Resolves when none of the owners waits any more, or when nothing is going on (paused, closed, runtime missing). */
  whenDone(owners: Iterable<string>): Promise<void> {
    const waiting = new Set([...owners].filter(owner => this.schedule.isWaiting(owner)));
    if (waiting.size === 0 || this.isIdle()) return Promise.resolve();
    return new Promise(resolve => this.waiters.push({ owners: waiting, resolve }));
  }

  async close(): Promise<void> {
    this.closing.abort();
    this.notify();
    await this.running;
  }

  private isIdle(): boolean {
    return this.running === undefined;
  }

  private start(): void {
    if (this.running !== undefined || this.paused || this.closing.signal.aborted || !this.schedule.hasQueued) return;
    this.unavailable = undefined;
    this.running = this.run()
      .catch((error: unknown) => {
        if (isCancelled(error)) return;
        this.parts.logger.error('Embedding stopped.', error);
        this.unavailable =
          error instanceof LandmarkError ? error : new LandmarkError('internal', messageOf(error), { cause: error });
      })
      .finally(() => {
        this.running = undefined;
        // What was added while the run ended is begun before anybody is told that nothing goes on.
        if (this.unavailable === undefined) this.start();
        this.notify();
      });
  }

  private async run(): Promise<void> {
    const signal = this.closing.signal;
    const embedder = await this.parts.embedder();
    while (!this.paused && !signal.aborted) {
      const tasks = this.schedule.take(LOOK_AHEAD);
      if (tasks.length === 0) return;
      this.urgent = false;
      await this.runTasks(embedder, tasks, signal);
    }
  }

  private async runTasks(embedder: Embedder, tasks: readonly WindowTask[], signal: AbortSignal): Promise<void> {
    let rest = tasks;
    try {
      const windows = await this.resolve(tasks, signal);
      windows.sort((a, b) => a.ids.length - b.ids.length);
      for (let at = 0; at < windows.length && !this.paused && !signal.aborted && !this.urgent; at += STEP) {
        await this.step(embedder, windows.slice(at, at + STEP), signal);
        rest = windows.slice(at + STEP).map(({ task }) => task);
      }
    } finally {
      // What an error, a pause or a more urgent file left undone goes back; what is settled or dropped is skipped there.
      for (const task of rest) {
        if (this.schedule.isWaiting(task.owner)) this.schedule.add(task, task.ordinal === 0 ? 'first' : 'rest');
      }
    }
  }

  private async resolve(
    tasks: readonly WindowTask[],
    signal: AbortSignal,
  ): Promise<{ task: WindowTask; ids: Int32Array }[]> {
    const resolved: { task: WindowTask; ids: Int32Array }[] = [];
    for (const task of tasks) {
      if (!this.schedule.isWaiting(task.owner)) continue;
      const windows = await this.parts.windowsOf(task.owner, signal);
      const ids = windows?.[task.ordinal];
      if (ids !== undefined) resolved.push({ task, ids });
      else this.drop(task.owner); // the change that took it away is on its way as an event or is found by the next sync
    }
    return resolved;
  }

  private async step(
    embedder: Embedder,
    batch: readonly { readonly task: WindowTask; readonly ids: Int32Array }[],
    signal: AbortSignal,
  ): Promise<void> {
    let landmarks: Float32Array[];
    try {
      landmarks = await embedder.embed(
        batch.map(({ ids }) => ids),
        signal,
      );
    } catch (error) {
      if (!(error instanceof LandmarkError) || error.reason !== 'engine-died') throw error;
      if (batch.length > 1) {
        // One window among them brings the runtime down: find it, so that the others are not lost.
        for (const one of batch) await this.step(embedder, [one], signal);
        return;
      }
      for (const { task } of batch) this.fail(task.owner, messageOf(error));
      return;
    }
    const records = new Map(
      batch.map(({ task }, at) => [task.key, this.parts.toRecord(landmarks[at] ?? new Float32Array())]),
    );
    await this.parts.store(records);
    const touched = new Set<string>();
    for (const key of records.keys()) for (const owner of this.schedule.settle(key).owners) touched.add(owner);
    const tokens = batch.reduce((sum, { ids }) => sum + ids.length, 0);
    this.parts.onStored([...records.keys()], touched, tokens);
    this.notify();
  }

  private fail(owner: string, reason: string): void {
    this.parts.onFailed(owner, reason);
    this.drop(owner);
  }

  private notify(): void {
    const idle = this.paused || this.closing.signal.aborted || this.running === undefined;
    this.waiters = this.waiters.filter(waiter => {
      for (const owner of waiter.owners) if (!this.schedule.isWaiting(owner)) waiter.owners.delete(owner);
      if (waiter.owners.size > 0 && !idle) return true;
      waiter.resolve();
      return false;
    });
  }
}
