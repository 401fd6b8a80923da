import { execFile } from 'node:child_process';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { throwIfAborted } from '../../util/errors';
import { isPlainRelative } from './filePaths';

/** A repository must not choose what runs: no hooks, no file system monitor, no pager, no locks taken. */
const SAFE_FLAGS = [
  '--no-pager',
  '--no-optional-locks',
  '--literal-pathspecs',
  '-c',
  'core.fsmonitor=',
  '-c',
  'core.hooksPath=/dev/null',
];
const TIMEOUT_MS = 60_000;
/** Room for the names of millions of files. */
const MAX_OUTPUT = 1 << 30;

function environment(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(
    // Inside a hook these point to another repository than the one asked about.
    ([name]) => !/^GIT_/.test(name) || /^GIT_(CONFIG|EXEC_PATH|SSL)/.test(name),
  );
  return {
    ...Object.fromEntries(kept),
    GIT_TERMINAL_PROMPT: '0',
    GIT_OPTIONAL_LOCKS: '0',
    // A sparse index names folders whose trees a partial clone may lack: they are not to be fetched.
    GIT_NO_LAZY_FETCH: '1',
    GIT_ALLOW_PROTOCOL: 'none',
    LC_ALL: 'C',
  };
}

/** The output of one git call about `folder`; undefined where git is missing or fails, which is never an error here. */
async function runGit(folder: string, args: readonly string[], signal?: AbortSignal): Promise<Buffer | undefined> {
  throwIfAborted(signal);
  const output = await new Promise<Buffer | undefined>(done => {
    execFile(
      'git',
      [...SAFE_FLAGS, '-C', folder, ...args],
      {
        // Windows looks for a program in the working directory first: never start git from inside the repository.
        cwd: dirname(process.execPath),
        encoding: 'buffer',
        env: environment(),
        maxBuffer: MAX_OUTPUT,
        signal,
        timeout: TIMEOUT_MS,
        windowsHide: true,
      },
      (error, stdout) => done(error ? undefined : stdout),
    );
  });
  throwIfAborted(signal);
  return output;
}

const fields = (output: Buffer | undefined): string[] => output?.toString('utf8').split('\0').filter(Boolean) ?? [];

/**
 * The paths below `folder` that git tracks, relative to it with forward slashes; submodules count as one path.
 * `only` restricts the question to one path. Empty where there is no git.
 */
export async function trackedFiles(
  folder: string,
  only: string | undefined,
  signal?: AbortSignal,
): Promise<ReadonlySet<string>> {
  const paths = only === undefined ? [] : ['--', only];
  const listed = fields(await runGit(folder, ['ls-files', '-z', '--cached', ...paths], signal));
  // The index is a file of the repository: a forged one can name any path.
  return new Set(listed.filter(isPlainRelative));
}

export interface GitIgnoreConfig {
  /** The user's own ignore file, absolute; it need not exist. */
  readonly excludesFile: string;
  readonly ignoreCase: boolean;
}

/** What git's configuration, or its defaults where there is no git, say about ignore rules in the repository at `top`. */
export async function readIgnoreConfig(top: string, signal?: AbortSignal): Promise<GitIgnoreConfig> {
  const output = await runGit(top, ['config', '-z', '--get-regexp', '^core\\.(excludesfile|ignorecase)$'], signal);
  const values = new Map<string, string>();
  for (const field of fields(output)) {
    const end = field.indexOf('\n');
    values.set(end < 0 ? field : field.slice(0, end), end < 0 ? 'true' : field.slice(end + 1));
  }
  const configHome = process.env['XDG_CONFIG_HOME'] || join(homedir(), '.config');
  const named = values.get('core.excludesfile')?.replace(/^~(?=[\\/])/, homedir());
  const ignoreCase = values.get('core.ignorecase');
  return {
    excludesFile: named || join(configHome, 'git', 'ignore'),
    ignoreCase:
      ignoreCase === undefined
        ? process.platform === 'win32' || process.platform === 'darwin'
        : /^(true|yes|on|1)$/i.test(ignoreCase),
  };
}
