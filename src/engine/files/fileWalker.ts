import type { Dirent } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { LandmarkError, systemCode, throwIfAborted } from '../../util/errors';
import type { FailedFile } from '../types';
import { baseOf, comparePaths, isInside, isPlainRelative, joinPath, parentOf, withForwardSlashes } from './filePaths';
import { trackedFiles } from './gitQueries';
import type { GitRepository } from './gitRepository';
import { type FolderRules, type IgnoredVerdict, IgnoreRules } from './ignoreRules';
import { realPathOf } from './realPath';
import type { IgnoreOptions } from './ruleSources';
import { isOwnPath, sizeAndTimes } from './inspectPath';
import { failedFile, failureOf } from './fileFailure';
import { fileError } from './textReader';

export interface WalkedFile {
  /** Relative to the indexed folder, forward slashes. */
  readonly path: string;
  /** Bytes. */
  readonly size: number;
  readonly mtimeMs: number;
  /** When the file's content, name or place last changed; programs cannot set it. */
  readonly ctimeMs: number;
}

export interface WalkOptions extends IgnoreOptions {
  /** Walk only this sub-folder (relative, forward slashes); default: everything. */
  readonly under?: string;
}

export interface WalkResult {
  /** Sorted by path. */
  readonly files: readonly WalkedFile[];
  /** Folders that could not be read, each with a sentence: what lies below them is not known, which is not the same as gone. */
  readonly problems: readonly FailedFile[];
}

/** Folders read, or files looked at, at a time: enough to keep a disk busy, few enough for any limit on open files. */
const CONCURRENCY = 32;

/**
 * The real path of a folder to index (see `realPathOf`). Throws LandmarkError `not-found`, `not-a-folder` or
 * `no-permission`, each with a sentence that names the folder and the way out.
 */
export async function checkFolder(folder: string): Promise<string> {
  try {
    const path = await realPathOf(folder);
    await readdir(path);
    return path;
  } catch (error) {
    switch (systemCode(error)) {
      case 'ENOENT':
        throw new LandmarkError('not-found', `There is no folder ${folder}: check the spelling.`, { cause: error });
      case 'ENOTDIR':
        throw new LandmarkError('not-a-folder', `${folder} is not a folder: name the folder that holds your source.`, {
          cause: error,
        });
      case 'EACCES':
      case 'EPERM':
        throw new LandmarkError(
          'no-permission',
          `The folder ${folder} cannot be read with your rights: change its permissions.`,
          {
            cause: error,
          },
        );
      default:
        throw fileError(error, folder);
    }
  }
}

/** Runs `work` on all items, also on those that are added meanwhile, several at a time. */
async function drain<T>(items: T[], work: (item: T) => Promise<void>, signal: AbortSignal | undefined): Promise<void> {
  let active = 0;
  let failure: { readonly error: unknown } | undefined;
  // Settles when nothing runs any more, so that nothing goes on in the background after an error or a cancellation.
  await new Promise<void>(settled => {
    const startNext = (): void => {
      while (active < CONCURRENCY && !failure && !signal?.aborted) {
        const item = items.pop();
        if (item === undefined) break;
        active++;
        void work(item)
          .catch((error: unknown) => {
            failure ??= { error };
          })
          .then(() => {
            active--;
            startNext();
          });
      }
      if (active === 0) settled();
    };
    startNext();
  });
  throwIfAborted(signal);
  if (failure) throw failure.error;
}

interface PendingFolder {
  readonly path: string;
  readonly parent: FolderRules | undefined;
}

/** One walk. Links are not followed: what they point to inside the folder is found anyway, and outside is not ours. */
class Walk {
  readonly found = new Map<string, WalkedFile>();
  readonly problems: FailedFile[] = [];
  /** Entries left out by git's rules, by the repository whose rules they are: the places where tracked files may hide. */
  private readonly leftOut = new Map<GitRepository, Set<string>>();
  private readonly candidates: string[] = [];

  constructor(
    private readonly rules: IgnoreRules,
    private readonly signal: AbortSignal | undefined,
  ) {}

  async run(start: PendingFolder): Promise<void> {
    const folders = [start];
    const read = async (folder: PendingFolder): Promise<void> => {
      for (const below of await this.readFolder(folder, folder === start)) folders.push(below);
    };
    await drain(folders, read, this.signal);
    await drain(this.candidates, path => this.addFile(path), this.signal);
    for (const [{ top }, paths] of this.leftOut) {
      const { folder } = this.rules;
      await this.addTracked(isInside(folder, top) ? withForwardSlashes(relative(folder, top)) : '', paths);
    }
  }

  private async readFolder({ path, parent }: PendingFolder, isStart: boolean): Promise<PendingFolder[]> {
    let entries: Dirent[];
    try {
      entries = await readdir(join(this.rules.folder, path), { withFileTypes: true });
    } catch (error) {
      // Without the folder that was asked for there is no answer; one that vanished during the walk is simply gone.
      if (isStart) throw fileError(error, join(this.rules.folder, path));
      if (systemCode(error) !== 'ENOENT') this.problems.push(failedFile(path, failureOf(fileError(error, path))));
      return [];
    }
    const rules = await this.rules.enter(parent, path, new Set(entries.map(entry => entry.name)));
    if (rules.ignored) return [];

    const below: PendingFolder[] = [];
    for (const entry of entries) {
      if (!entry.isDirectory() && !entry.isFile()) continue;
      const entryPath = joinPath(path, entry.name);
      const verdict = this.rules.judge(rules, entry.name, entry.isDirectory());
      if (verdict.ignored) this.noteLeftOut(rules.repository, entryPath, verdict);
      else if (entry.name.includes('\ufffd') && !(await this.exists(entryPath))) this.noteBadName(entryPath);
      else if (entry.isDirectory()) below.push({ path: entryPath, parent: rules });
      else this.candidates.push(entryPath);
    }
    return below;
  }

  private noteLeftOut(repository: GitRepository | undefined, path: string, verdict: IgnoredVerdict): void {
    if (!repository || verdict.source !== 'git') return;
    const known = this.leftOut.get(repository);
    if (known) known.add(path);
    else this.leftOut.set(repository, new Set([path]));
  }

  /** A name that is not UTF-8 comes from the system with a replacement character, under which there is no such file. */
  private async exists(path: string): Promise<boolean> {
    return (await lstat(join(this.rules.folder, path)).catch(() => undefined)) !== undefined;
  }

  private noteBadName(path: string): void {
    this.problems.push(failedFile(path, { kind: 'bad-name' }));
  }

  private async addFile(path: string): Promise<void> {
    const stat = await lstat(join(this.rules.folder, path)).catch(() => undefined);
    if (stat?.isFile()) this.found.set(path, { path, ...sizeAndTimes(stat) });
  }

  /**
   * Adds the files that git tracks although a rule names them or a folder above them.
   * @param top the folder of the indexed one in which git is asked
   */
  async addTracked(top: string, leftOut: ReadonlySet<string>): Promise<void> {
    const { folder } = this.rules;
    const tracked = await trackedFiles(join(folder, top), undefined, this.signal);
    const paths = [...tracked]
      .map(path => joinPath(top, path))
      .filter(path => isBelowAny(leftOut, path) && !this.found.has(path));
    const allowed = paths.filter(path => !this.rules.judgeTracked(path).ignored);
    await drain(
      allowed,
      async path => {
        if (await isOwnPath(folder, path)) await this.addFile(path);
      },
      this.signal,
    );
  }
}

/** True where `path` or a folder above it is in the set. */
function isBelowAny(set: ReadonlySet<string>, path: string): boolean {
  for (let end = path.length; end > 0; end = path.lastIndexOf('/', end - 1)) {
    if (set.has(path.slice(0, end))) return true;
  }
  return false;
}

/**
 * All files of a folder that are not ignored, whatever their kind, each real file once. A sub-folder that cannot be read is
 * a problem in the result; the rest is still walked.
 * @param folder a real path (see `checkFolder`)
 * @throws LandmarkError where the folder itself, or the sub-folder asked for, cannot be read or leads out; cancellation.
 */
export async function walkFiles(folder: string, options: WalkOptions = {}, signal?: AbortSignal): Promise<WalkResult> {
  const rules = await IgnoreRules.open(folder, options, signal);
  const walk = new Walk(rules, signal);
  const under = withForwardSlashes(options.under ?? '').replace(/\/+$/, '');
  if (under !== '' && !isPlainRelative(under)) {
    throw new LandmarkError('invalid-argument', `${under} is not a path inside ${folder}: give a relative path.`);
  }
  const parent = under === '' ? undefined : await rules.folderAt(parentOf(under), signal);
  const verdict = parent === undefined || parent.ignored ? parent : rules.judge(parent, baseOf(under), true);
  if (parent?.ignored !== true && verdict?.ignored !== true) await walk.run({ path: under, parent });
  else if (verdict?.ignored && verdict.source === 'git') await walk.addTracked(verdict.decidedIn, new Set([under]));
  const byPath = (a: { readonly path: string }, b: { readonly path: string }): number => comparePaths(a.path, b.path);
  return { files: [...walk.found.values()].sort(byPath), problems: [...walk.problems, ...rules.problems].sort(byPath) };
}
