import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';

/**
 * The folder in which git keeps a work tree's HEAD, or undefined where the folder is no top of a work tree.
 * In a further work tree and in a submodule `.git` is a file that names it.
 */
export async function gitFolderOf(workTree: string): Promise<string | undefined> {
  const path = join(workTree, '.git');
  try {
    const named = /^gitdir: (.+)$/m.exec(await readFile(path, 'utf8'))?.[1];
    return named === undefined ? undefined : resolve(workTree, named.trim());
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EISDIR' ? path : undefined;
  }
}
