import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { LandmarkError } from '../util/errors';

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
