import { open, rename, stat, unlink, utimes } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { LandmarkError, messageOf, systemCode } from '../../util/errors';
import type { Logger } from '../../util/logger';
import {
  claimExclusive,
  markerName,
  markers,
  type MarkerLimits,
  removeAtExit,
  removeDead,
  removeMarker,
  syncFolder,
} from './exclusiveFile';

export const DATA_FILE = 'data.mdb';
const LOCK_FILE = 'lock.mdb';

/** Opening takes milliseconds, walking a large store some seconds; who takes longer shows that it is there. */
const OPENING: MarkerLimits = { staleMs: 60_000 };
const SIGN_MS = 10_000;
/** Begins the name of a marker whose process does not touch the store by LMDB: its end says nothing about the store. */
const TURN = 'opening-turn';
/** The marker of an open store is not refreshed; this only ends the effect of a process number that is used again. */
const OPEN: MarkerLimits = { staleMs: 7 * 24 * 3600_000 };
const PATIENCE_MS = 30_000;

/**
 * The right to open, replace or compact the store of a folder, held by one process at a time through a marker file. It
 * is called `opening-turn-*` while nothing but plain files is read, and `opening-*` while LMDB opens its file: one of
 * these that is left behind tells that LMDB may have ended the process. While a store is open its process keeps a marker
 * `open-*`: one that is left behind tells that the store was not closed.
 */
export class StoreVisit {
  private forget: () => void;
  private readonly timer: NodeJS.Timeout;

  private constructor(
    private readonly dir: string,
    private marker: string | undefined,
    /** So many processes ended while LMDB opened this store, since it was last opened well. */
    readonly crashedOpenings: number,
    /** A process ended without closing this store. */
    readonly leftOpen: boolean,
    /** Another open store, of this or another process, uses the same file. */
    readonly shared: boolean,
  ) {
    this.forget = marker ? removeAtExit(marker) : () => {};
    this.timer = setInterval(() => void this.showSign(), SIGN_MS);
    this.timer.unref();
  }

  /** Waits for its turn. Without `mustWrite` a folder that cannot be written is visited without a marker, to read. */
  static async begin(dir: string, mustWrite: boolean): Promise<StoreVisit> {
    const marker = await waitForTurn(dir, mustWrite);
    const [opening, open] = await Promise.all([markers(dir, 'opening', OPENING), markers(dir, 'open', OPEN)]);
    const crashed = opening.filter(other => other.ended && !basename(other.path).startsWith(TURN)).length;
    const [left, shared] = [open.some(other => other.ended), open.some(other => other.alive)];
    return new StoreVisit(dir, marker, crashed, left, shared);
  }

  /** From here on LMDB reads the file, which may end this process. */
  async opening(): Promise<void> {
    await this.renameMarker('opening');
  }

  /** Forgets the markers of processes that have ended: what they told has been looked into. */
  async clearDead(): Promise<void> {
    if (!this.marker) return;
    await removeDead(this.dir, 'opening', OPENING);
    await removeDead(this.dir, 'open', OPEN);
  }

  /** From here on the store is open and others may open it too. */
  async opened(): Promise<void> {
    clearInterval(this.timer);
    await this.renameMarker('open');
  }

  async end(): Promise<void> {
    clearInterval(this.timer);
    if (!this.marker) return;
    const marker = this.marker;
    this.marker = undefined;
    await removeMarker(marker);
    this.forget();
  }

  private async renameMarker(kind: string): Promise<void> {
    if (!this.marker) return;
    const marker = join(this.dir, markerName(kind));
    await rename(this.marker, marker);
    this.forget();
    this.forget = removeAtExit(marker);
    this.marker = marker;
  }

  private async showSign(): Promise<void> {
    const now = new Date();
    // Renamed or removed meanwhile: then it is not needed any more.
    if (this.marker) await utimes(this.marker, now, now).catch(() => undefined);
  }
}

/**
 * Puts the data file aside as `data.mdb.bad` (replacing an older one) so that the next opening starts empty. Only
 * renames: a process that has the old file open goes on with it and its lock file, unseen by later ones.
 * Call it inside a visit.
 */
export async function quarantineFiles(dir: string, logger: Logger): Promise<void> {
  const data = join(dir, DATA_FILE);
  logger.warn(`The index file ${data} is damaged: it is kept as ${DATA_FILE}.bad and built again.`);
  await patiently(`replace ${data}`, () => rename(data, `${data}.bad`));
  await removeLockFile(dir);
}

/** Puts a new data file in the place of the old one. Call it inside a visit, with no store open. */
export async function replaceDataFile(dir: string, replacement: string): Promise<void> {
  // Else a power cut could leave the new name with nothing behind it.
  const file = await open(replacement, 'r+');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
  await patiently(`replace ${join(dir, DATA_FILE)}`, () => rename(replacement, join(dir, DATA_FILE)));
  await removeLockFile(dir);
}

export async function sizeOf(path: string): Promise<number> {
  try {
    return (await stat(path)).size;
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return 0;
    throw error;
  }
}

/** A new data file needs a new lock file: the old one may be in use with the old data. */
async function removeLockFile(dir: string): Promise<void> {
  const lock = join(dir, LOCK_FILE);
  await patiently(`remove ${lock}`, () => unlink(lock));
  await syncFolder(dir);
}

/** Windows refuses to rename or remove what another process has open: try for a while, then say so. */
async function patiently(what: string, work: () => Promise<void>): Promise<void> {
  for (let pause = 50; ; pause *= 2) {
    try {
      return await work();
    } catch (error) {
      const code = systemCode(error);
      if (code === 'ENOENT') return;
      if (pause <= 1600 && (code === 'EBUSY' || code === 'EPERM' || code === 'EACCES')) {
        await delay(pause);
        continue;
      }
      const way = 'Close other windows that use it and try again.';
      throw new LandmarkError('store-busy', `Could not ${what} (${messageOf(error)}). ${way}`, { cause: error });
    }
  }
}

async function waitForTurn(dir: string, mustWrite: boolean): Promise<string | undefined> {
  const until = Date.now() + PATIENCE_MS;
  for (;;) {
    try {
      const claim = await claimExclusive(dir, 'opening', OPENING, TURN);
      if ('path' in claim) return claim.path;
      if (Date.now() > until) {
        const who = `process ${claim.heldBy.pid}`;
        throw new LandmarkError('store-busy', `The index in ${dir} is being opened by ${who}: try again in a moment.`);
      }
    } catch (error) {
      if (!mustWrite && ['EACCES', 'EPERM', 'EROFS'].includes(systemCode(error) ?? '')) return undefined;
      throw error;
    }
    await delay(20);
  }
}
