import type { Stats } from 'node:fs';
import { lstat, realpath } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { throwIfAborted } from '../../util/errors';
import { baseOf, isPlainRelative, joinPath, parentOf, withForwardSlashes } from './filePaths';
import type { WalkedFile } from './fileWalker';
import { trackedFiles } from './gitQueries';
import type { IgnoredVerdict, IgnoreRules } from './ignoreRules';
import { realPathOf } from './realPath';

/** What a path is to the index; files and folders under the names that stand on disk. */
export type PathState =
  | { readonly state: 'file'; readonly file: WalkedFile }
  /** To be walked with the option `under`. */
  | { readonly state: 'folder'; readonly path: string }
  | { readonly state: 'ignored'; readonly verdict: IgnoredVerdict }
  | { readonly state: 'absent'; readonly reason: string };

/**
 * Looks at one path, as a walk would see it: for changes on disk and for explaining. Where upper and lower case are the
 * same, a path in other letters than stand on disk leads to the file there. A path reached through a link is absent: the
 * walk finds the file under its own name.
 * @param path relative to the folder of the rules
 */
export async function inspectPath(rules: IgnoreRules, path: string, signal?: AbortSignal): Promise<PathState> {
  const plain = withForwardSlashes(path).replace(/\/+$/, '');
  const absent = (reason: string): PathState => ({ state: 'absent', reason });
  if (!isPlainRelative(plain)) return absent(`${path} is not a path inside the indexed folder.`);
  const stat = await lstat(join(rules.folder, plain)).catch(() => undefined);
  throwIfAborted(signal);
  if (!stat) return absent(`There is no file ${plain} in the indexed folder.`);
  const above = await rules.folderAt(parentOf(plain), signal);
  // Below an ignored folder the rules list nothing.
  const own = above.ignored
    ? await spelledOnDisk(rules.folder, plain)
    : joinPath(above.path, await rules.listed(above, baseOf(plain)));
  if (stat.isSymbolicLink() || !(await isOwnPath(rules.folder, own))) {
    return absent(`${plain} is a link or another spelling; the file itself is indexed under its own path.`);
  }
  if (!stat.isFile() && !stat.isDirectory()) return absent(`${plain} is neither a file nor a folder.`);
  const verdict = above.ignored ? above : rules.judge(above, baseOf(own), stat.isDirectory());
  if (verdict.ignored && !(await isTrackedAnyway(rules, own, verdict, signal))) return { state: 'ignored', verdict };
  if (stat.isDirectory()) return { state: 'folder', path: own };
  return { state: 'file', file: { path: own, ...sizeAndTimes(stat) } };
}

/** For a folder: whether git tracks anything in it. */
async function isTrackedAnyway(
  rules: IgnoreRules,
  path: string,
  verdict: IgnoredVerdict,
  signal?: AbortSignal,
): Promise<boolean> {
  if (verdict.source !== 'git' || rules.judgeTracked(path).ignored) return false;
  // Asked in the folder whose rule it is: a submodule inside an ignored folder would answer for itself.
  const from = verdict.decidedIn === '' ? path : path.slice(verdict.decidedIn.length + 1);
  return (await trackedFiles(join(rules.folder, verdict.decidedIn), from, signal)).size > 0;
}

/** A path in the letters that stand on disk; one that a link leads elsewhere stays as it is. */
async function spelledOnDisk(folder: string, path: string): Promise<string> {
  const full = join(folder, path);
  const below = withForwardSlashes(relative(folder, await realPathOf(full).catch(() => full)));
  return below.toLowerCase() === path.toLowerCase() ? below : path;
}

/** What of a file's state is compared with what is known of it. */
export function sizeAndTimes({ size, mtimeMs, ctimeMs }: Stats): Pick<WalkedFile, 'size' | 'mtimeMs' | 'ctimeMs'> {
  return { size, mtimeMs, ctimeMs };
}

/** True where no link leads to the path; on Windows and macOS, only where it has the case that stands on disk, too. */
export async function isOwnPath(folder: string, path: string): Promise<boolean> {
  const full = join(folder, path);
  return (await realpath(full).catch(() => undefined)) === full;
}
