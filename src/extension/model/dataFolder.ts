import { dataRoot, type Surroundings } from '../../util/dataRoot';

/** Where indexes are kept: the environment's choice, else the setting, else as the command line has it. */
export function dataFolder(setting: string, surroundings: Surroundings): string {
  const chosen = surroundings.env.LANDMARK_DATA?.trim() || setting.trim();
  return dataRoot(expandHome(chosen, surroundings.home), surroundings);
}

/** `~` at the beginning stands for the home folder, as in other settings of paths. */
export function expandHome(path: string, home: string): string {
  return /^~(?=$|[\\/])/.test(path) ? home + path.slice(1) : path;
}
