import { utimes } from 'node:fs/promises';
import { messageOf, systemCode } from '../../util/errors';
import type { Logger } from '../../util/logger';
import { claimExclusive, removeAtExit, removeMarker, removeOthers } from './exclusiveFile';

export interface OwnershipTimes {
  /** How often the owner shows that it is there. */
  readonly heartbeatMs: number;
  /** Without a sign for this long the owner counts as gone, even if its process runs. */
  readonly staleMs: number;
}
const USUAL_TIMES: OwnershipTimes = { heartbeatMs: 3000, staleMs: 15_000 };
const ROLE = 'owner';

/**
 * The right to write the index of one workspace, held by one process at a time through a marker file `owner-*` whose
 * time stamp is its heartbeat.
 */
export class Ownership {
  private readonly listeners = new Set<() => void>();
  private readonly timer: NodeJS.Timeout;
  private readonly forget: () => void;
  private ended = false;

  private constructor(
    private readonly path: string,
    private readonly logger: Logger,
    times: OwnershipTimes,
  ) {
    this.forget = removeAtExit(path);
    this.timer = setInterval(() => void this.beat(), times.heartbeatMs);
    this.timer.unref();
  }

  /** @param dir of the workspace's data; created when absent. */
  static async acquire(
    dir: string,
    logger: Logger,
    times: OwnershipTimes = USUAL_TIMES,
  ): Promise<Ownership | { readonly ownedBy: number }> {
    const claim = await claimExclusive(dir, ROLE, times);
    if ('heldBy' in claim) return { ownedBy: claim.heldBy.pid };
    const ownership = new Ownership(claim.path, logger, times);
    // One that woke up again a moment ago included: it learns of it at its next heartbeat.
    await removeOthers(dir, ROLE, claim.path, times);
    return ownership;
  }

  get held(): boolean {
    return !this.ended;
  }

  /** Tells once when another process has taken over, because this one gave no sign for too long (sleep, a debugger). */
  onLost(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  async release(): Promise<void> {
    if (this.ended) return;
    this.end();
    await removeMarker(this.path);
  }

  /** Refreshes the time stamp. A marker that is gone was removed by the new owner. */
  async beat(): Promise<void> {
    try {
      const now = new Date();
      await utimes(this.path, now, now);
    } catch (error) {
      if (this.ended) return;
      if (systemCode(error) !== 'ENOENT') {
        this.logger.warn(`The heartbeat of the index owner failed (${messageOf(error)}).`);
        return;
      }
      this.end();
      this.logger.warn('Another window has taken over the index.');
      for (const listener of [...this.listeners]) listener();
    }
  }

  private end(): void {
    this.ended = true;
    clearInterval(this.timer);
    this.forget();
  }
}
