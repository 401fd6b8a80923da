import { spawn } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { cancelledError, LandmarkError, messageOf, systemCode } from '../../util/errors';
import type { HistorySource } from '../types';

const MAX_OUTPUT_BYTES = 512 * 1024 * 1024;
const MAX_ERROR_TEXT = 2000;

/** What a repository or a user could otherwise have run, read or written by a plain look at its commits. */
const FLAGS = ['--no-pager', '--no-optional-locks', '--no-replace-objects', '--literal-pathspecs'];
const SETTINGS = [
  'core.fsmonitor=false',
  'core.hooksPath=/dev/null',
  'log.showSignature=false',
  'protocol.allow=never',
];

/**
 * Whether a folder is itself the top of a git work tree (holds `.git`, as a folder or as a worktree's or submodule's
 * file). A folder somewhere inside another repository is not.
 */
export async function isWorkTreeTop(folder: string): Promise<boolean> {
  const entry = join(folder, '.git');
  try {
    const found = await stat(entry);
    return found.isDirectory() ? (await stat(join(entry, 'HEAD'))).isFile() : found.isFile();
  } catch {
    return false;
  }
}

/** `.git` of a work tree, or the directory itself. Git is told the directory, so it never looks in a parent folder. */
export async function gitDirectory(directory: string): Promise<string> {
  return (await isWorkTreeTop(directory)) ? join(directory, '.git') : directory;
}

/** How a git call ended. */
export interface GitOutcome {
  readonly code: number | null;
  /** The reader had enough before git came to its end. */
  readonly stopped: boolean;
  readonly errors: string;
}

export interface GitCallOptions {
  /** For git's standard input. */
  readonly input?: string;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Runs one reading git command over a git directory and hands its output on, piece by piece. What `onOutput` throws ends
 * git and is thrown on.
 * @throws LandmarkError `runtime-unavailable` without git, `cancelled`.
 */
export function runGit(
  gitDir: string,
  command: readonly string[],
  onOutput: (chunk: Buffer) => void,
  { input, signal }: GitCallOptions,
): Promise<GitOutcome> {
  const args = [...FLAGS, `--git-dir=${gitDir}`, ...SETTINGS.flatMap(setting => ['-c', setting]), ...command];
  return new Promise((resolve, reject) => {
    const child = spawn('git', args, { env: environment(), stdio: ['pipe', 'pipe', 'pipe'], windowsHide: true });
    let bytes = 0;
    let errors = '';
    let stopped = false;
    let failed: unknown;
    const abort = (): void => void child.kill('SIGKILL');
    signal?.addEventListener('abort', abort, { once: true });
    // Git may end before it has read all: its exit status says so, and the broken pipe says no more.
    child.stdin.on('error', () => {});
    child.stdin.end(input ?? '');
    child.stdout.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (stopped || failed !== undefined) return;
      try {
        onOutput(chunk);
      } catch (error) {
        failed = error;
      }
      stopped = bytes > MAX_OUTPUT_BYTES;
      if (stopped || failed !== undefined) child.kill('SIGKILL');
    });
    child.stderr.on('data', (chunk: Buffer) => {
      if (errors.length < MAX_ERROR_TEXT) errors += chunk.toString('utf8').slice(0, MAX_ERROR_TEXT);
    });
    child.on('error', error => {
      signal?.removeEventListener('abort', abort);
      reject(notStarted(error));
    });
    child.on('close', code => {
      signal?.removeEventListener('abort', abort);
      if (signal?.aborted) reject(cancelledError());
      else if (failed !== undefined) reject(new LandmarkError('internal', messageOf(failed), { cause: failed }));
      else resolve({ code, stopped, errors });
    });
  });
}

/** The environment without what would lead git elsewhere, and without the user's and the system's settings. */
function environment(): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(([name]) => !name.toUpperCase().startsWith('GIT_'));
  return {
    ...Object.fromEntries(own),
    LC_ALL: 'C',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_TERMINAL_PROMPT: '0',
    GIT_NO_LAZY_FETCH: '1',
    GIT_ALLOW_PROTOCOL: 'none',
    GIT_GRAFT_FILE: '/dev/null',
  };
}

function notStarted(error: Error): LandmarkError {
  const message =
    systemCode(error) === 'ENOENT'
      ? 'There is no git program on the search path, so past commits are not used; install git to have them.'
      : `Git could not be started, so past commits are not used: ${messageOf(error)}.`;
  return new LandmarkError('runtime-unavailable', message, { cause: error });
}

/** What git's own words about a failed call mean. */
export function gitFailure(source: HistorySource, errors: string): LandmarkError {
  if (/not a git repository/.test(errors)) {
    return new LandmarkError(
      'not-found',
      `${source.gitDir} is not a git repository: name a git directory or the top of a work tree.`,
    );
  }
  if (/dubious ownership|safe\.directory/.test(errors)) {
    return new LandmarkError(
      'no-permission',
      `The git directory ${source.gitDir} belongs to another user and git does not trust it; add it to git's safe.directory setting.`,
    );
  }
  if (/[Pp]ermission denied/.test(errors)) {
    return new LandmarkError(
      'no-permission',
      `The git directory ${source.gitDir} may not be read; change its permissions to use its commits.`,
    );
  }
  if (
    /bad revision|unknown revision|bad object|ambiguous argument|invalid object name|not a valid object|single revision/i.test(
      errors,
    )
  ) {
    return new LandmarkError(
      'not-found',
      `The git directory ${source.gitDir} has no commit ${source.at}; name one that is in it.`,
    );
  }
  const said = errors.trim().split('\n')[0] ?? '';
  return new LandmarkError(
    'internal',
    `Git could not list the commits of ${source.gitDir}: ${said === '' ? 'it gave no reason' : said}`,
  );
}
