import type { FileRow } from '../store/records';
import type { SkipReason } from '../types';

/** A file as the walk found it. */
export interface FileOnDisk {
  readonly path: string;
  readonly size: number;
  readonly mtimeMs: number;
  readonly ctimeMs: number;
}

export interface SyncPlan {
  /** Files to read: new, changed, or not to be trusted by their time stamp. */
  readonly read: readonly FileOnDisk[];
  /** Paths whose row stands as it is. */
  readonly unchanged: readonly string[];
  /** Paths in the catalogue that are not there any more. */
  readonly removed: readonly string[];
}

/**
 * A file changed within this time before it was read may change again without a visible change of its time stamp
 * (coarse clocks of file systems), so its stamp is not stored as proof.
 */
export const RACY_MS = 2000;

/**
 * Both times of a file in one number: they are equal only where neither has changed. The time of the content alone
 * would not do: who moves or unpacks another file into the place can bring its old time along.
 */
function stampOf({ mtimeMs, ctimeMs }: FileOnDisk): number {
  return mtimeMs + ctimeMs;
}

/** The stamp to store for a file read at `nowMs`: negative, never equal to a real one, when it proves nothing. */
export function trustedStamp(file: FileOnDisk, nowMs: number): number {
  return nowMs - file.mtimeMs < RACY_MS ? -1 : stampOf(file);
}

/**
 * Compares what the walk found with the catalogue. Pure.
 * @param known the catalogue's rows, restricted to what the walk covered.
 * @param limitOf the most bytes that a file may have now, which may be other than when it was read.
 */
export function planSync(
  found: readonly FileOnDisk[],
  known: ReadonlyMap<string, FileRow>,
  limitOf: (path: string) => number,
): SyncPlan {
  const read: FileOnDisk[] = [];
  const unchanged: string[] = [];
  const present = new Set<string>();
  for (const file of found) {
    present.add(file.path);
    const row = known.get(file.path);
    const same = row !== undefined && row.size === file.size && row.stamp === stampOf(file) && row.state !== 'failed';
    if (same && isJudgedBySize(row, limitOf(file.path))) unchanged.push(file.path);
    else read.push(file);
  }
  const removed = [...known.keys()].filter(path => !present.has(path));
  return { read, unchanged, removed };
}

/** Whether a file of this row is taken in or left out as the limit has it. */
function isJudgedBySize({ state, reason, size }: FileRow, limit: number): boolean {
  if (state === 'indexed') return size <= limit;
  return reason !== ('too-large' satisfies SkipReason) || size > limit;
}
