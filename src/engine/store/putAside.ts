import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { dataLayout, workspacesFolder } from './dataFolder';
import { DATA_FILE } from './storeFolder';

/** A damaged store that was put aside; it helps nobody but who looks into the cause. */
export const PUT_ASIDE_FILE = `${DATA_FILE}.bad`;

/** Deletes the damaged stores of a data root that were put aside before `olderThan` (ms since 1970). */
export async function removePutAside(dataDir: string, olderThan: number): Promise<void> {
  const root = workspacesFolder(dataDir);
  const workspaces = (await readdir(root).catch(() => [])).map(name => join(root, name));
  for (const directory of [dataLayout(dataDir, '').windows, ...workspaces]) {
    const path = join(directory, PUT_ASIDE_FILE);
    // A rename leaves the time of the last write; the time of the rename is that of the status change.
    const found = await stat(path).catch(() => undefined);
    if (found !== undefined && found.ctimeMs < olderThan) await rm(path, { force: true });
  }
}
