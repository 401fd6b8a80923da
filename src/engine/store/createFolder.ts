import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { systemCode } from '../../util/errors';

/**
 * Creates a folder and those above it that are missing. Unlike Node's `mkdir` with `recursive`, which asks for ever where a
 * file system refuses new folders with "there is no such folder" (`/proc`), it asks for each folder twice at most.
 * @throws the system's error (`ENOENT`, `EACCES`, `ENOTDIR`, …).
 */
export async function createFolder(path: string): Promise<void> {
  if (await isThere(path)) return;
  const parent = dirname(path);
  if (parent !== path) await createFolder(parent);
  try {
    await mkdir(path);
  } catch (error) {
    // Another process may have been faster. Some systems say of a drive that it exists, others that it is forbidden.
    if (!(await isThere(path))) throw error;
  }
}

/** @throws what keeps the path from being a folder. */
async function isThere(path: string): Promise<boolean> {
  try {
    if ((await stat(path)).isDirectory()) return true;
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return false;
    throw error;
  }
  throw Object.assign(new Error(`ENOTDIR: not a directory, mkdir '${path}'`), { code: 'ENOTDIR' });
}
