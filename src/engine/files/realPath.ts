import { lstat, readdir, realpath } from 'node:fs/promises';
import { join, parse, sep } from 'node:path';

const spellsItself = process.platform === 'win32' || process.platform === 'darwin';

/**
 * The real path of a file or folder: links followed, every name spelled as its folder lists it. Windows and macOS spell so
 * by themselves; Linux, where a mounted disk does not tell upper from lower case, leaves the letters as they were given.
 * @throws what the system throws where there is nothing.
 */
export async function realPathOf(path: string): Promise<string> {
  const real = await realpath(path);
  if (spellsItself) return real;
  const { root } = parse(real);
  let at = root;
  for (const name of real.slice(root.length).split(sep)) {
    if (name !== '') at = join(at, await listedName(at, name));
  }
  return at;
}

/** The name that a folder lists for one under which there is a file: the same, or one that differs in case alone. */
export function ownName(name: string, listed: ReadonlySet<string>): string {
  if (listed.has(name)) return name;
  const folded = name.toLowerCase();
  for (const each of listed) if (each.toLowerCase() === folded) return each;
  return name;
}

async function listedName(folder: string, name: string): Promise<string> {
  const other = otherCase(name);
  // Where cases are told apart there is nothing under the other one, and no long list need be read.
  if (other === name || !(await isThere(join(folder, other)))) return name;
  return ownName(name, new Set(await readdir(folder).catch(() => [])));
}

function otherCase(name: string): string {
  const turn = (letter: string): string => {
    const lower = letter.toLowerCase();
    return lower === letter ? letter.toUpperCase() : lower;
  };
  return Array.from(name, turn).join('');
}

export async function isThere(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => undefined)) !== undefined;
}
