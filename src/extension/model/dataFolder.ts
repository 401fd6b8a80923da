import { posix, win32 } from 'node:path';

export interface Machine {
  readonly platform: NodeJS.Platform;
  readonly home: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

const FOLDER_NAME = 'landmark-code-search';

/**
 * Where indexes are kept: the environment's choice, else the setting, else a folder in the user's cache.
 * The command line goes by the same rule, so that all share one store.
 */
export function dataFolder(setting: string, { platform, home, environment }: Machine): string {
  const chosen = [environment['LANDMARK_DATA'], setting].find(value => value !== undefined && value.trim() !== '');
  if (chosen !== undefined) return expandHome(chosen.trim(), home);
  const { XDG_CACHE_HOME, LOCALAPPDATA } = environment;
  if (platform === 'win32') return win32.join(LOCALAPPDATA || win32.join(home, 'AppData', 'Local'), FOLDER_NAME);
  if (platform === 'darwin') return posix.join(home, 'Library', 'Caches', FOLDER_NAME);
  // A relative XDG_CACHE_HOME is to be ignored (XDG Base Directory Specification 0.8).
  return posix.join(XDG_CACHE_HOME?.startsWith('/') ? XDG_CACHE_HOME : posix.join(home, '.cache'), FOLDER_NAME);
}

/** `~` at the beginning stands for the home folder, as in other settings of paths. */
export function expandHome(path: string, home: string): string {
  return /^~(?=$|[\\/])/.test(path) ? home + path.slice(1) : path;
}
