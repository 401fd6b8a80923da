import { existsSync, readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { LandmarkError } from '../util/errors';

const CACHE_FOLDER = 'landmark-code-search';

/**
 * The data root that all programs of a user share, unless one is told another: `LANDMARK_DATA`, else a folder in the
 * user's cache.
 */
export function defaultDataDir(
  environment: NodeJS.ProcessEnv = process.env,
  platform: NodeJS.Platform = process.platform,
  home: string = homedir(),
): string {
  if (environment.LANDMARK_DATA) return resolve(environment.LANDMARK_DATA);
  if (platform === 'win32') return join(environment.LOCALAPPDATA || join(home, 'AppData', 'Local'), CACHE_FOLDER);
  if (platform === 'darwin') return join(home, 'Library', 'Caches', CACHE_FOLDER);
  return join(environment.XDG_CACHE_HOME || join(home, '.cache'), CACHE_FOLDER);
}

/**
 * The model that comes with the program: the only folder with a manifest below `modelsDir`.
 * @throws LandmarkError `model-invalid` when there is none or more than one.
 */
export function bundledModelDir(modelsDir: string): string {
  const names = existsSync(modelsDir) ? readdirSync(modelsDir) : [];
  const models = names.map(name => join(modelsDir, name)).filter(folder => existsSync(join(folder, 'manifest.json')));
  const [only, second] = models;
  if (only !== undefined && second === undefined) return only;
  const found = only === undefined ? 'no model' : 'more than one model';
  throw new LandmarkError('model-invalid', `There is ${found} in ${modelsDir}: name one with --model.`);
}
