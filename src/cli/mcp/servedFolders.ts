import { stat } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { isInside, withForwardSlashes } from '../../engine/files/filePaths';
import { realPathOf } from '../../engine/files/realPath';
import { LandmarkError } from '../../util/errors';

/** A file as the index knows it. */
export interface ServedFile {
  readonly folder: string;
  /** Relative to the folder, with forward slashes; empty for the folder itself. */
  readonly path: string;
}

/** The only folders that a program may ask about, through links too. */
export class ServedFolders {
  /** @param folders real paths, none twice, at least one. */
  constructor(readonly folders: readonly string[]) {}

  /** The folder that was named, or all. @throws LandmarkError `invalid-argument` for one that is not served. */
  named(folder: string | undefined): readonly string[] {
    if (folder === undefined) return this.folders;
    const found = this.folders.filter(served => served === folder);
    if (found.length === 0) throw this.outside(folder);
    return found;
  }

  /**
   * Finds the file that was named: an absolute path, or a path relative to the folder. Nothing outside is told apart,
   * not even whether it exists.
   * @throws LandmarkError `invalid-argument` for what lies outside of the folders or in several of them.
   */
  async find(file: string, folder: string | undefined): Promise<ServedFile> {
    const candidates: ServedFile[] = [];
    for (const base of this.named(folder)) {
      const inside = await placeIn(base, resolve(base, file));
      if (inside !== undefined) candidates.push({ folder: base, path: inside });
    }
    const [first, ...others] = candidates;
    if (first === undefined) throw this.outside(file);
    if (others.length === 0) return first;
    // An absolute path lies in folders inside each other: the deepest one has it.
    if (isAbsolute(file)) return candidates.reduce((a, b) => (b.folder.length > a.folder.length ? b : a));
    const present: ServedFile[] = [];
    for (const candidate of candidates) if (await isThere(candidate)) present.push(candidate);
    const [only = first, second] = present;
    if (second === undefined) return only;
    const names = present.map(each => each.folder).join(' and ');
    throw new LandmarkError('invalid-argument', `There is a file ${file} in ${names}: name the folder too.`);
  }

  private outside(what: string): LandmarkError {
    const served = this.folders.join(', ');
    return new LandmarkError(
      'invalid-argument',
      `${what} is outside of what is served here: only ${served} can be asked about.`,
    );
  }
}

/** The way from a real folder to a path, by where the path really leads; undefined when that is not in the folder. */
async function placeIn(folder: string, path: string): Promise<string | undefined> {
  const real = await realLocation(path);
  return isInside(folder, real) ? withForwardSlashes(relative(folder, real)) : undefined;
}

/** Where a path leads once links are followed; what is not there lies in the nearest folder that is. */
async function realLocation(path: string): Promise<string> {
  const above = dirname(path);
  const found = await realPathOf(path).catch(() => undefined);
  if (found !== undefined || above === path) return found ?? path;
  return join(await realLocation(above), basename(path));
}

async function isThere({ folder, path }: ServedFile): Promise<boolean> {
  return (await stat(join(folder, path)).catch(() => undefined)) !== undefined;
}
