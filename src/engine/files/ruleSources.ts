import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { systemCode, throwIfAborted } from '../../util/errors';
import { joinPath, withForwardSlashes } from './filePaths';
import { readIgnoreConfig } from './gitQueries';
import { enclosingRepository, type GitRepository } from './gitRepository';
import { IgnorePatterns } from './ignorePatterns';

export interface IgnoreOptions {
  /** Further rules in .gitignore syntax, relative to the indexed folder (setting `landmark.exclude`). */
  readonly excludes?: readonly string[];
  /** The user's own git ignore file, or false for none; default: the one git would read. */
  readonly globalExcludes?: string | false;
}

/** Rules that hold in an indexed folder before its own ignore files are read. */
export interface RuleSources {
  /** From the settings, relative to the folder. */
  readonly setting: IgnorePatterns;
  /** From the user's own git ignore file, relative to the top of each repository. */
  readonly user: IgnorePatterns;
  /** The repository that the folder is in or the top of. */
  readonly repository: GitRepository | undefined;
  /** The folder relative to the top of that repository. */
  readonly prefix: string;
  /** Everything that holds in that repository, down to the folder's parent; outside of git no rule. */
  readonly patterns: IgnorePatterns;
}

/** Is told about an ignore file that exists and cannot be read. */
export type OnDenied = (file: string) => void;

/**
 * The text of an ignore file; '' where there is none.
 * @param followLinks git reads its own files through links, but never a .gitignore
 */
export async function readIgnoreFile(file: string, followLinks: boolean, onDenied: OnDenied): Promise<string> {
  // Without O_NONBLOCK, opening a pipe would wait for a writer. Windows knows neither flag: undefined counts as 0.
  const flags = constants.O_RDONLY | constants.O_NONBLOCK | (followLinks ? 0 : constants.O_NOFOLLOW);
  try {
    const handle = await open(file, flags);
    try {
      return (await handle.stat()).isFile() ? await handle.readFile('utf8') : '';
    } finally {
      await handle.close();
    }
  } catch (error) {
    const code = systemCode(error);
    if (code === 'EACCES' || code === 'EPERM') onDenied(file);
    return '';
  }
}

/** The user's rules, then those of `info/exclude`, which come later and so win. */
export async function repositoryPatterns(
  repository: GitRepository,
  user: IgnorePatterns,
  onDenied: OnDenied,
): Promise<IgnorePatterns> {
  const file = join(repository.commonDir, 'info', 'exclude');
  return user.with(await readIgnoreFile(file, true, onDenied), '', file);
}

/** Reads what holds in a folder before its own ignore files: settings, the user's git rules, those of folders above it. */
export async function openRuleSources(
  folder: string,
  options: IgnoreOptions,
  onDenied: OnDenied,
  signal: AbortSignal | undefined,
): Promise<RuleSources> {
  const config = await readIgnoreConfig(folder, signal);
  const none = IgnorePatterns.empty(config.ignoreCase);
  const setting = none.with((options.excludes ?? []).join('\n'), '');
  const userFile = options.globalExcludes ?? config.excludesFile;
  const user = userFile === false ? none : none.with(await readIgnoreFile(userFile, true, onDenied), '', userFile);
  const outside: RuleSources = { setting, user, repository: undefined, prefix: '', patterns: none };

  const repository = await enclosingRepository(folder);
  throwIfAborted(signal);
  if (!repository) return outside;
  const prefix = withForwardSlashes(relative(repository.top, folder));
  let patterns = await repositoryPatterns(repository, user, onDenied);
  let above = '';
  for (const segment of prefix === '' ? [] : prefix.split('/')) {
    const file = join(repository.top, above, '.gitignore');
    patterns = patterns.with(await readIgnoreFile(file, false, onDenied), above, file);
    above = joinPath(above, segment);
  }
  throwIfAborted(signal);
  // Who opens a folder that the repository around it ignores wants that folder: its rules then do not count.
  if (prefix !== '' && patterns.test(prefix, true)) return outside;
  return { setting, user, repository, prefix, patterns };
}
