import { statfsSync } from 'node:fs';
import { LandmarkError, messageOf } from '../../util/errors';

/** Error numbers of LMDB (`lmdb.h`) and of the systems below it, which arrive as numbers, and Node's names. */
const MAP_FULL = -30792;
const READERS_FULL = -30790;
const PANIC = -30795;
/** Page not found, corrupted, version mismatch, invalid, incompatible, bad transaction, bad value size. */
const DAMAGED = new Set<unknown>([-30797, -30796, -30794, -30793, -30784, -30782, -30781]);
/** LMDB calls it an input/output error when the system writes less than it was given: the disk is full, or worse. */
const WRITE_CUT_SHORT = 5;
const NEARLY_NOTHING = 1024 * 1024;
const DISK_FULL_POSIX = [28, 27, process.platform === 'darwin' ? 69 : 122];
const DISK_FULL = new Set<unknown>([MAP_FULL, 'ENOSPC', 'EDQUOT', ...(onWindows() ? [112, 39] : DISK_FULL_POSIX)]);
const FORBIDDEN = new Set<unknown>(['EACCES', 'EPERM', 'EROFS', ...(onWindows() ? [5] : [13, 1, 30])]);
const BUSY = new Set<unknown>([READERS_FULL, 'EBUSY', ...(onWindows() ? [32, 33] : [])]);

/** The way out, for the editor and for the command line. */
export const ANOTHER_FOLDER = 'another data folder (setting landmark.dataFolder, option --data)';

/** What went wrong with the store in `dir`, in our terms. Our own errors pass through. */
export function storeError(dir: string, error: unknown): LandmarkError {
  if (error instanceof LandmarkError) return error;
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  const detail = messageOf(error);
  if (DISK_FULL.has(code) || (code === WRITE_CUT_SHORT && isFull(dir))) {
    const way = `Free some space on that disk or choose ${ANOTHER_FOLDER}.`;
    return new LandmarkError('disk-full', `There is no room left to write the index in ${dir}. ${way}`, {
      cause: error,
    });
  }
  if (FORBIDDEN.has(code)) {
    const way = `Check who owns the folder or choose ${ANOTHER_FOLDER}.`;
    return new LandmarkError('no-permission', `The index in ${dir} may not be used (${detail}). ${way}`, {
      cause: error,
    });
  }
  if (DAMAGED.has(code)) return damagedError(dir, detail, error);
  if (BUSY.has(code)) {
    const way = 'Close some of the windows that use it and try again.';
    return new LandmarkError('store-busy', `The index in ${dir} is in use (${detail}). ${way}`, { cause: error });
  }
  if (code === WRITE_CUT_SHORT && !onWindows()) {
    const way = `Check the disk and the limit on the size of files, or choose ${ANOTHER_FOLDER}.`;
    return new LandmarkError('internal', `The index in ${dir} could not be written in full (${detail}). ${way}`, {
      cause: error,
    });
  }
  if (code === 'ENOTDIR') {
    const sentence = `The index cannot be kept in ${dir}: a part of that path is a file. Choose ${ANOTHER_FOLDER}.`;
    return new LandmarkError('not-a-folder', sentence, { cause: error });
  }
  if (code === 'ENOENT') {
    const sentence = `The index cannot be kept in ${dir}: no folder can be made there. Choose ${ANOTHER_FOLDER}.`;
    return new LandmarkError('not-found', sentence, { cause: error });
  }
  const way = code === PANIC ? 'Close and open it again.' : 'Try again, or rebuild the index.';
  return new LandmarkError('internal', `The index in ${dir} failed (${detail}). ${way}`, { cause: error });
}

/** @param what a clause such as "page 7 is cut off". */
export function damagedError(dir: string, what: string, cause?: unknown): LandmarkError {
  const way = 'Index the folder again to rebuild it.';
  return new LandmarkError('store-damaged', `The index in ${dir} is damaged (${what}). ${way}`, { cause });
}

function isFull(dir: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(dir);
    return bavail * bsize < NEARLY_NOTHING;
  } catch {
    return false;
  }
}

function onWindows(): boolean {
  return process.platform === 'win32';
}
