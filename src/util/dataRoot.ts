/** What the choice of the data folder depends on; the process and the system in the program, literals in tests. */
export interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: string;
  readonly home: string;
}

const NAME = 'landmark-code-search';

/**
 * The folder that holds everything the program keeps, the same for editor and command line: the first choice that is
 * made, else `LANDMARK_DATA`, else a folder in the user's cache. Relative choices are the caller's to resolve.
 */
export function dataRoot(explicit: string | undefined, { env, platform, home }: Surroundings): string {
  if (explicit) return explicit;
  if (env.LANDMARK_DATA) return env.LANDMARK_DATA;
  if (platform === 'win32') return `${env.LOCALAPPDATA || `${home}\\AppData\\Local`}\\${NAME}`;
  if (platform === 'darwin') return `${home}/Library/Caches/${NAME}`;
  // A relative XDG_CACHE_HOME is to be ignored (XDG Base Directory Specification 0.8).
  const cache = env.XDG_CACHE_HOME?.startsWith('/') ? env.XDG_CACHE_HOME : `${home}/.cache`;
  return `${cache}/${NAME}`;
}
