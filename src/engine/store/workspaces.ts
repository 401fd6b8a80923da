import { readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { systemCode, throwIfAborted } from '../../util/errors';
import type { Logger } from '../../util/logger';
import { workspacesFolder } from './dataFolder';
import { namesIn } from './exclusiveFile';
import { Ownership } from './ownership';

/** What `folder.json` of a workspace says. */
export interface WorkspaceNote {
  readonly folder: string;
  /** Windows in use, path words included; absent before the first whole sync. */
  readonly windows?: number;
}

/** The data of one indexed folder. */
export interface Workspace {
  readonly directory: string;
  readonly note: WorkspaceNote;
  /** Milliseconds since 1970. */
  readonly usedAt: number;
}

/** All workspaces of a data root that can be told apart. */
export async function workspacesIn(dataDir: string, signal?: AbortSignal): Promise<Workspace[]> {
  const root = workspacesFolder(dataDir);
  const found: Workspace[] = [];
  for (const name of await namesIn(root)) {
    throwIfAborted(signal);
    const workspace = await readWorkspace(join(root, name));
    if (workspace !== undefined) found.push(workspace);
  }
  return found;
}

/** Its folder is gone for sure: a drive that is not there takes the folder above with it. */
export async function isForsaken({ note: { folder } }: Workspace): Promise<boolean> {
  const isGone = await stat(folder).then(
    () => false,
    (error: unknown) => systemCode(error) === 'ENOENT',
  );
  if (!isGone) return false;
  return stat(join(folder, '..')).then(
    found => found.isDirectory(),
    () => false,
  );
}

/** Deletes a workspace, unless a process has it open to write. @returns whether it is gone. */
export async function removeWorkspace({ directory, note }: Workspace, logger: Logger): Promise<boolean> {
  const ownership = await Ownership.acquire(directory, logger);
  if (!(ownership instanceof Ownership)) return false;
  await rm(directory, { recursive: true, force: true });
  await ownership.release();
  logger.info(`The index of ${note.folder} was deleted: the folder does not exist any more.`);
  return true;
}

async function readWorkspace(directory: string): Promise<Workspace | undefined> {
  try {
    const path = join(directory, 'folder.json');
    const note = JSON.parse(await readFile(path, 'utf8')) as Partial<WorkspaceNote> | null;
    if (typeof note?.folder !== 'string') return undefined;
    return { directory, note: { ...note, folder: note.folder }, usedAt: (await stat(path)).mtimeMs };
  } catch {
    // Somebody is creating it, or it is damaged and is written again when the folder is opened.
    return undefined;
  }
}
