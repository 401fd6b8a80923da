import { randomUUID } from 'node:crypto';
import { CoalescedRun } from '../util/async';
import { delay, raceAbort } from '../util/cancellation';
import {
  cancelledError,
  type ErrorReason,
  isCancelled,
  isDamage,
  isReason,
  LandmarkError,
  systemCode,
  throwIfAborted,
} from '../util/errors';
import type { EngineRuntime } from './engineRuntime';
import type { FolderOptions } from './folderEngine';
import {
  failedOutcome,
  type HandedOver,
  handOver,
  type Order,
  outcomeOf,
  recordOutcome,
  takeOrders,
} from './indexing/handover';
import { closeFolder, type FolderRole, openFolder, type OpenedFolder } from './openedFolder';
import { Catalog } from './store/catalog';
import { dataLayout } from './store/dataFolder';
import { Ownership } from './store/ownership';
import { storeError } from './store/storeErrors';
import type { IndexProgress, IndexReport } from './types';

/** How often the owner looks for orders of others, and a follower for what the owner has written. */
const TICK_MS = 1000;
/** A follower tries to become the owner with every so many ticks. */
const CLAIM_TICKS = 2;
/** How often a follower looks for what came of its order, in milliseconds. */
const ANSWER_MS = 200;
/** How long a folder is waited for whose owner has not created its catalogue yet, in milliseconds. */
const OPEN_PATIENCE_MS = 10_000;

export interface FolderSessionParts {
  /** Real path. */
  readonly folder: string;
  readonly options: FolderOptions;
  readonly runtime: EngineRuntime;
  /** Called when something changed that a status shows. */
  readonly onChange: () => void;
}

type OnProgress = (progress: IndexProgress) => void;

/**
 * One open folder through all changes of its role: the first process that would write owns the index, the others
 * follow it, hand their changes over, and take its place when it is gone.
 */
export class FolderSession {
  /** Orders that are being carried out. */
  running = 0;
  /** What the last order ran into; empty when it went well. */
  failure = '';
  failureReason: ErrorReason | undefined;
  paused = false;
  private readonly closing = new AbortController();
  private readonly timer: NodeJS.Timeout | undefined;
  private readonly following = new CoalescedRun(() => this.followNow());
  private current: OpenedFolder;
  /** One change of what is open at a time. */
  private gate: Promise<unknown> = Promise.resolve();
  private ticks = 0;
  private ticking = false;
  /** Whether snapshots are read: until one has proved damaged. */
  private useSnapshot = true;

  private constructor(
    private readonly parts: FolderSessionParts,
    opened: OpenedFolder,
    private ownership: Ownership | undefined,
    private ownerPid: number | undefined,
  ) {
    this.current = opened;
    this.watch(ownership);
    if (opened.role === 'reader') return;
    this.timer = setInterval(() => void this.tick(), TICK_MS);
    this.timer.unref();
  }

  /**
   * @throws LandmarkError `not-indexed` for reading what is not there; `store-busy` when the owner does not get to
   *   creating its index; what `openFolder` throws.
   */
  static async open(parts: FolderSessionParts): Promise<FolderSession> {
    if (parts.options.access === 'read')
      return new FolderSession(parts, await open(parts, 'reader'), undefined, undefined);
    const giveUpAt = Date.now() + OPEN_PATIENCE_MS;
    for (;;) {
      const claim = await claimFolder(parts);
      try {
        if (claim instanceof Ownership) return new FolderSession(parts, await open(parts, 'owner'), claim, undefined);
        return new FolderSession(parts, await open(parts, 'follower'), undefined, claim.ownedBy);
      } catch (error) {
        if (claim instanceof Ownership) await claim.release();
        const isEarly = !(claim instanceof Ownership) && isReason(error, 'not-indexed');
        if (!isEarly) throw error;
        if (Date.now() > giveUpAt) throw busy(parts.folder, claim.ownedBy, error);
        await delay(ANSWER_MS);
      }
    }
  }

  get opened(): OpenedFolder {
    return this.current;
  }

  get isClosed(): boolean {
    return this.closing.signal.aborted;
  }

  /** The process whose index this one follows. */
  get owner(): number | undefined {
    return this.current.role === 'follower' ? this.ownerPid : undefined;
  }

  /** What is open, with what the owner has written until now. */
  async upToDate(signal?: AbortSignal): Promise<OpenedFolder> {
    if (this.current.role !== 'owner') await raceAbort(this.following.request(), signal);
    throwIfAborted(signal);
    return this.current;
  }

  setPaused(paused: boolean): void {
    this.paused = paused;
    this.current.writer?.loop.setPaused(paused);
    this.parts.onChange();
  }

  /**
   * Changes the index, or has its owner change it. A catalogue that turns out to be damaged is put aside and built
   * anew, once. An order that a change of roles interrupts begins again.
   */
  async carryOut(order: Order, onProgress: OnProgress, signal?: AbortSignal): Promise<IndexReport> {
    this.running++;
    this.failure = '';
    this.parts.onChange();
    try {
      return await this.insist(order, onProgress, signal);
    } catch (error) {
      if (error instanceof LandmarkError && !isCancelled(error)) {
        this.failure = error.message;
        this.failureReason = error.reason;
      }
      throw error;
    } finally {
      this.running--;
      this.parts.onChange();
    }
  }

  async close(): Promise<void> {
    if (this.isClosed) return;
    clearInterval(this.timer);
    this.closing.abort();
    await this.current.writer?.close();
    await this.following.request().catch(() => undefined); // nothing reads from here on
    await this.gate;
    await closeFolder(this.current);
    await this.ownership?.release();
  }

  private async insist(order: Order, onProgress: OnProgress, signal: AbortSignal | undefined): Promise<IndexReport> {
    let mended = false;
    for (;;) {
      throwIfAborted(signal);
      throwIfAborted(this.closing.signal);
      const opened = this.current;
      try {
        if (opened.writer !== undefined) return await opened.writer.carryOut(order, onProgress, signal);
        if (opened.role === 'follower') return await this.askOwner(opened, order, onProgress, signal);
        throw readOnly(this.parts.folder);
      } catch (error) {
        if (signal?.aborted === true || this.isClosed) throw error;
        await this.gate;
        if (this.current !== opened) continue;
        if (!isDamage(error)) throw error;
        if (await this.leaveSnapshot(opened)) continue;
        if (mended || opened.role !== 'owner') throw error;
        mended = true;
        await this.buildAnew(opened);
      }
    }
  }

  /**
   * Opens the folder without its snapshot after something turned out to be damaged: it may be that. The next sync of the
   * owner writes another one. @returns false where there is none in use, so that something else must be.
   */
  async leaveSnapshot(opened: OpenedFolder): Promise<boolean> {
    if (this.current !== opened) return true;
    if (!opened.index.usesSnapshot || this.isClosed) return false;
    const { folder, runtime } = this.parts;
    runtime.logger.warn(`The snapshot of the index of ${folder} is damaged: the catalogue is read instead.`);
    this.useSnapshot = false;
    await this.replace(opened.role, this.ownership, before => before.writer?.close());
    return true;
  }

  /** Puts an order into the owner's queue and waits for what comes of it; asks again when another takes over. */
  private async askOwner(
    opened: OpenedFolder,
    order: Order,
    onProgress: OnProgress,
    signal: AbortSignal | undefined,
  ): Promise<IndexReport> {
    const { folder, options } = this.parts;
    if (options.history !== undefined) throw otherHistory(folder, this.ownerPid);
    const ticket = randomUUID();
    const { catalog, index } = opened;
    let asked: number | undefined;
    let total = 0;
    for (;;) {
      if (this.current !== opened || this.isClosed) throw cancelledError();
      if (asked === undefined || asked !== this.ownerPid) {
        asked = this.ownerPid;
        await handOver(catalog, { ticket, order });
      }
      catalog.generation(); // what others have committed until now
      const report = outcomeOf(catalog, ticket);
      if (report !== undefined) {
        await this.following.request();
        return report;
      }
      total = Math.max(total, index.vectors.windowCount);
      onProgress({ phase: 'embed', done: Math.min(total, index.vectors.knownWindowCount), total });
      await delay(ANSWER_MS, signal);
    }
  }

  private async tick(): Promise<void> {
    if (this.ticking || this.isClosed) return;
    this.ticking = true;
    try {
      const { role, catalog } = this.current;
      if (role === 'owner' && this.ownership?.held !== true) await this.stepDown();
      else if (role === 'owner') for (const handed of await takeOrders(catalog)) void this.serve(handed);
      else if (++this.ticks % CLAIM_TICKS !== 0 || !(await this.takeOver())) await this.following.request();
    } catch (error) {
      this.complain(`Following the index of ${this.parts.folder} failed.`, error);
    } finally {
      this.ticking = false;
    }
  }

  /** Carries out what a follower has handed over. One that is interrupted stays without an answer: the follower asks again. */
  private async serve({ ticket, order }: HandedOver): Promise<void> {
    const outcome = await this.carryOut(order, () => {}).then(
      report => ({ ticket, report }),
      (error: unknown) => (isCancelled(error) ? undefined : failedOutcome(ticket, error)),
    );
    const { role, catalog } = this.current;
    if (outcome === undefined || role !== 'owner' || this.isClosed) return;
    await recordOutcome(catalog, outcome).catch((error: unknown) => {
      this.complain('The answer to another window could not be stored.', error);
    });
  }

  /** Becomes the owner when there is none, and looks for what a former one left undone. */
  private async takeOver(): Promise<boolean> {
    const claim = await claimFolder(this.parts);
    if (!(claim instanceof Ownership)) {
      this.ownerPid = claim.ownedBy;
      return false;
    }
    try {
      await this.replace('owner', claim, before => before.writer?.close());
    } catch (error) {
      await claim.release();
      throw error;
    }
    this.parts.runtime.logger.info(`This process now owns the index of ${this.parts.folder}.`);
    // An index that was cleared stays so.
    if (this.current.index.corpus.size > 0) {
      this.carryOut({ kind: 'sync', rebuild: false }, () => {}).catch((error: unknown) => {
        this.complain(`Bringing the index of ${this.parts.folder} up to date failed.`, error);
      });
    }
    return true;
  }

  /** The ownership was lost because this process gave no sign for too long (sleep, a debugger). */
  private async stepDown(): Promise<void> {
    const { writer } = this.current;
    await writer?.close();
    if (await this.takeOver()) return;
    await this.replace('follower', undefined);
  }

  private buildAnew(damaged: OpenedFolder): Promise<void> {
    const { folder, runtime } = this.parts;
    runtime.logger.warn(`The index of ${folder} is damaged and is built again.`);
    return this.replace('owner', this.ownership, async before => {
      if (before !== damaged) throw cancelledError();
      await closeFolder(before);
      await Catalog.quarantine(dataLayout(runtime.dataDir, folder).workspace, runtime.logger);
    });
  }

  private async followNow(): Promise<void> {
    const opened = this.current;
    if (opened.role === 'owner' || this.isClosed) return;
    const changed = (await opened.isCurrent()) && opened.catalog.refresh();
    if (!(await opened.isCurrent())) {
      // Built anew by its owner; until that can be read, what is in memory answers.
      await this.replace(opened.role, undefined).catch((error: unknown) => {
        if (!isReason(error, 'not-indexed')) throw error;
      });
    } else if (changed) {
      try {
        await opened.index.follow(this.closing.signal);
      } catch (error) {
        if (!isDamage(error) || !(await this.leaveSnapshot(opened))) throw error;
      }
      this.parts.onChange();
    }
  }

  /** Opens the folder in another role, or once more in the same, and closes what was open. */
  private replace(
    role: FolderRole,
    ownership: Ownership | undefined,
    prepare: (before: OpenedFolder) => Promise<void> | undefined = () => undefined,
  ): Promise<void> {
    const run = this.gate.then(async () => {
      throwIfAborted(this.closing.signal);
      const before = this.current;
      await prepare(before);
      this.current = await open(this.parts, role, this.useSnapshot);
      this.ownership = ownership;
      this.watch(ownership);
      this.current.writer?.loop.setPaused(this.paused);
      await closeFolder(before);
      this.parts.onChange();
    });
    this.gate = run.catch(() => undefined); // whoever asked hears of it
    return run;
  }

  /** About work that nobody waits for. */
  private complain(what: string, error: unknown): void {
    if (!this.isClosed && !isCancelled(error)) this.parts.runtime.logger.error(what, error);
  }

  private watch(ownership: Ownership | undefined): void {
    ownership?.onLost(() => void this.tick());
  }
}

function open(
  { folder, options, runtime, onChange }: FolderSessionParts,
  role: FolderRole,
  useSnapshot = true,
): Promise<OpenedFolder> {
  return openFolder(folder, role, options, runtime, onChange, useSnapshot);
}

async function claimFolder({ folder, runtime }: FolderSessionParts): ReturnType<typeof Ownership.acquire> {
  const { workspace } = dataLayout(runtime.dataDir, folder);
  try {
    return await Ownership.acquire(workspace, runtime.logger);
  } catch (error) {
    throw systemCode(error) === undefined ? error : storeError(workspace, error);
  }
}

function readOnly(folder: string): LandmarkError {
  return new LandmarkError(
    'invalid-argument',
    `${folder} was opened for reading: open it for writing to change its index.`,
  );
}

function busy(folder: string, owner: number, cause: unknown): LandmarkError {
  const sentence = `The index of ${folder} is being created by process ${owner}: try again when it is done.`;
  return new LandmarkError('store-busy', sentence, { cause });
}

function otherHistory(folder: string, owner: number | undefined): LandmarkError {
  const sentence = `The index of ${folder} is kept by process ${owner ?? 'unknown'}, which reads the folder's own history: close it to index with another.`;
  return new LandmarkError('store-busy', sentence);
}
