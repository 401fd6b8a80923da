import { createHash } from 'node:crypto';
import { join, posix, win32 } from 'node:path';

const NAME = 'landmark-code-search';

/** What the choice of the data folder depends on; `process` and `os` in the program, literals in tests. */
export interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
  readonly home: string;
}

/**
 * The folder that holds everything the program keeps: the explicit choice, else `LANDMARK_DATA`, else the user's
 * cache folder. Relative choices are the caller's to resolve.
 */
export function dataRoot(explicit: string | undefined, { env, platform, home }: Surroundings): string {
  if (explicit) return explicit;
  if (env.LANDMARK_DATA) return env.LANDMARK_DATA;
  if (platform === 'win32') return win32.join(env.LOCALAPPDATA || win32.join(home, 'AppData', 'Local'), NAME);
  if (platform === 'darwin') return posix.join(home, 'Library', 'Caches', NAME);
  // A relative XDG_CACHE_HOME is to be ignored (XDG Base Directory Specification 0.8).
  const cache = env.XDG_CACHE_HOME?.startsWith('/') ? env.XDG_CACHE_HOME : posix.join(home, '.cache');
  return posix.join(cache, NAME);
}

/** Names the data of one indexed folder: sha256 of its real path, hex. */
export function workspaceId(realPath: string): string {
  return createHash('sha256').update(realPath, 'utf8').digest('hex');
}

/** Where the parts lie below the data root. */
export interface DataLayout {
  /** The window store, shared by all workspaces. */
  readonly windows: string;
  /** Catalogue and graphs of this workspace. */
  readonly workspace: string;
  /** `{"folder": "<real path>"}`, so that a person can tell the workspaces apart. */
  readonly folderFile: string;
}

/** All workspaces lie in this folder, each under its id. */
export function workspacesFolder(root: string): string {
  return join(root, 'workspaces');
}

/** @param realPath of the indexed folder. */
export function dataLayout(root: string, realPath: string): DataLayout {
  const workspace = join(workspacesFolder(root), workspaceId(realPath));
  return { windows: join(root, 'windows'), workspace, folderFile: join(workspace, 'folder.json') };
}
