import { readFile, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { isInside } from './filePaths';

/** A git repository as its work tree shows it. Absolute paths. */
export interface GitRepository {
  /** The top of the work tree. */
  readonly top: string;
  /** The directory shared by all work trees of the repository: the home of `info/exclude`. */
  readonly commonDir: string;
  /** True for a further work tree made by `git worktree add`. */
  readonly isLinked: boolean;
}

/** The repository whose work tree has its top at `folder`, judged by what is called `.git` there; else undefined. */
export async function repositoryAt(folder: string): Promise<GitRepository | undefined> {
  const dotGit = join(folder, '.git');
  const kind = await stat(dotGit).catch(() => undefined);
  if (kind?.isDirectory()) {
    // An empty folder of that name is no repository to git either.
    const head = await stat(join(dotGit, 'HEAD')).catch(() => undefined);
    return head && { top: folder, commonDir: dotGit, isLinked: false };
  }
  if (!kind?.isFile()) return undefined;
  const target = /^gitdir: (.+?)\s*$/m.exec(await readFile(dotGit, 'utf8').catch(() => ''))?.[1];
  if (target === undefined) return undefined;
  const named = resolve(folder, target);
  // A work tree that was moved or pruned names a directory that is gone: judge the name then.
  const gitDir = await realpath(named).catch(() => named);
  const isLinked = basename(dirname(gitDir)) === 'worktrees';
  return { top: folder, commonDir: isLinked ? dirname(dirname(gitDir)) : gitDir, isLinked };
}

/** The repository that `folder` is in or the top of, looking upwards; else undefined. */
export async function enclosingRepository(folder: string): Promise<GitRepository | undefined> {
  for (let at = folder; ; at = dirname(at)) {
    const repository = await repositoryAt(at);
    if (repository) return repository;
    if (dirname(at) === at) return undefined;
  }
}

/**
 * True where `nested`, met below `folder`, is one more work tree of a repository whose own work tree is indexed already:
 * its files would all come twice. A linked work tree of a bare repository, or of one elsewhere, is not.
 */
export function isRepeatedWorkTree(
  nested: GitRepository,
  folder: string,
  enclosing: GitRepository | undefined,
): boolean {
  if (!nested.isLinked) return false;
  if (enclosing?.isLinked && enclosing.commonDir === nested.commonDir) return true;
  // `<main>/.git` and, for a submodule's work trees, `<main>/.git/modules/<name>`.
  const segments = nested.commonDir.split(sep);
  const at = segments.indexOf('.git');
  if (at < 1) return false;
  const main = segments.slice(0, at).join(sep);
  return isInside(folder, main) || isInside(main, folder);
}
