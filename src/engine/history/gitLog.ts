import { spawn } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { StringDecoder } from 'node:string_decoder';
import { cancelledError, LandmarkError, messageOf, systemCode, throwIfAborted } from '../../util/errors';
import { detached } from '../lexical/detached';
import type { HistorySource } from '../types';

/** One commit as the history arm sees it. */
export interface Commit {
  readonly id: string;
  /** Seconds since 1970 (committer's clock). */
  readonly time: number;
  /** First line of the message, cut at `MAX_SUBJECT` characters. */
  readonly subject: string;
  /** Changed paths below the folder, relative to it, with forward slashes. */
  readonly files: readonly string[];
}

/** A commit that changes more paths than this is about everything and says nothing about one file. */
export const MAX_COMMIT_FILES = 25;
const MAX_SUBJECT = 500;
/** A path longer than any system allows; protects the reader from output that is no list of paths. */
const MAX_PIECE = 64 * 1024;
const MAX_OUTPUT_BYTES = 512 * 1024 * 1024;
const MAX_ERROR_TEXT = 2000;

/** A commit id or a name of one; no ranges, no options. */
const REVISION = /^(?!-)(?!.*\.\.)[\w./@^~{}-]{1,250}$/;
/** What the log's format puts in front of every commit. */
const HEADER = /^\u0001([0-9a-f]{40}|[0-9a-f]{64})\u0002(\d+)\u0002([^]*)$/;

/**
 * The newest commits up to and including `source.at` that are no merges and change at most 25 paths, newest first; those
 * without a path below `folderPrefix` are left out. A repository without commits has none.
 *
 * Nothing of the repository's configuration is run, nothing is fetched, nothing is written.
 * @param folderPrefix the indexed folder inside the repository with forward slashes, empty for its top.
 * @throws LandmarkError `runtime-unavailable` without git, `not-found` for no repository or no such commit, `cancelled`.
 */
export async function readHistory(
  source: HistorySource,
  folderPrefix: string,
  options: { readonly limit?: number } = {},
  signal?: AbortSignal,
): Promise<Commit[]> {
  throwIfAborted(signal);
  if (!REVISION.test(source.at)) {
    throw new LandmarkError('invalid-argument', `"${source.at}" is not a commit id: give one hash, or HEAD.`);
  }
  const gitDir = await gitDirectory(source.gitDir);
  const parser = new LogParser(folderPrefix);
  const outcome = await runGit(
    logArguments(gitDir, source.at, folderPrefix, options.limit ?? 5000),
    text => parser.push(text),
    signal,
  );
  if (outcome.code === 0 || outcome.stopped) return parser.finish();
  throwIfAborted(signal);
  if (
    /does not have any commits yet|bad default revision|ambiguous argument 'HEAD'|bad revision 'HEAD'/.test(
      outcome.errors,
    )
  )
    return [];
  throw failure(source, outcome.errors);
}

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
async function gitDirectory(directory: string): Promise<string> {
  return (await isWorkTreeTop(directory)) ? join(directory, '.git') : directory;
}

function logArguments(gitDir: string, at: string, folderPrefix: string, limit: number): string[] {
  const prefix = folderPrefix.replace(/\/+$/, '');
  return [
    '--no-pager',
    '--no-optional-locks',
    '--no-replace-objects',
    '--literal-pathspecs',
    `--git-dir=${gitDir}`,
    ...['core.fsmonitor=false', 'core.hooksPath=/dev/null', 'log.showSignature=false', 'protocol.allow=never'].flatMap(
      setting => ['-c', setting],
    ),
    'log',
    '-z',
    '--no-merges',
    '--name-only',
    '--no-renames',
    '--no-relative',
    '--no-ext-diff',
    '--no-textconv',
    '--no-show-signature',
    '--no-notes',
    '--no-color',
    '--no-mailmap',
    '--encoding=UTF-8',
    `--max-count=${Math.max(0, Math.floor(limit))}`,
    '--format=%x01%H%x02%ct%x02%s',
    // The size of a commit is that of the whole commit, also where only a folder's commits are read.
    ...(prefix === '' ? [] : ['--full-diff']),
    at,
    '--',
    ...(prefix === '' ? [] : [prefix]),
  ];
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

interface Outcome {
  readonly code: number | null;
  /** The reader had enough before git came to its end. */
  readonly stopped: boolean;
  readonly errors: string;
}

function runGit(
  args: readonly string[],
  onText: (text: string) => void,
  signal: AbortSignal | undefined,
): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    const child = spawn('git', args, { env: environment(), stdio: ['ignore', 'pipe', 'pipe'], windowsHide: true });
    const decoder = new StringDecoder('utf8');
    let bytes = 0;
    let errors = '';
    let stopped = false;
    let failed: unknown;
    const abort = (): void => void child.kill('SIGKILL');
    signal?.addEventListener('abort', abort, { once: true });
    child.stdout.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (stopped || failed !== undefined) return;
      try {
        onText(decoder.write(chunk));
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

function notStarted(error: Error): LandmarkError {
  const message =
    systemCode(error) === 'ENOENT'
      ? 'There is no git program on the search path, so past commits are not used; install git to have them.'
      : `Git could not be started, so past commits are not used: ${messageOf(error)}.`;
  return new LandmarkError('runtime-unavailable', message, { cause: error });
}

function failure(source: HistorySource, errors: string): LandmarkError {
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
  if (/bad revision|unknown revision|bad object|ambiguous argument|invalid object name/.test(errors)) {
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

/** Reads the log piece by piece: a header, then the commit's paths, everything ended by NUL. */
class LogParser {
  private readonly commits: Commit[] = [];
  private readonly prefix: string;
  private rest = '';
  private current: { id: string; time: number; subject: string; files: string[]; count: number } | undefined;

  constructor(folderPrefix: string) {
    const trimmed = folderPrefix.replace(/\/+$/, '');
    this.prefix = trimmed === '' ? '' : `${trimmed}/`;
  }

  push(text: string): void {
    const pieces = (this.rest + text).split('\0');
    this.rest = pieces.pop() ?? '';
    if (this.rest.length > MAX_PIECE) throw new RangeError('the output of git log is not a list of commits');
    for (const piece of pieces) this.piece(piece);
  }

  finish(): Commit[] {
    this.piece(this.rest);
    this.endCommit();
    return this.commits;
  }

  private piece(piece: string): void {
    const header = HEADER.exec(piece);
    if (header !== null) {
      this.endCommit();
      const [, id = '', time = '0', subject = ''] = header;
      this.current = {
        id: detached(id),
        time: Number(time),
        subject: detached(subject.slice(0, MAX_SUBJECT)),
        files: [],
        count: 0,
      };
      return;
    }
    const { current } = this;
    if (current === undefined) return;
    // The first path of a commit has the line end of the header in front.
    const path = current.count === 0 && piece.startsWith('\n') ? piece.slice(1) : piece;
    if (path === '') return;
    current.count++;
    if (current.count <= MAX_COMMIT_FILES && path.startsWith(this.prefix))
      current.files.push(detached(path.slice(this.prefix.length)));
  }

  private endCommit(): void {
    const { current } = this;
    this.current = undefined;
    if (current === undefined || current.count > MAX_COMMIT_FILES || current.files.length === 0) return;
    this.commits.push({ id: current.id, time: current.time, subject: current.subject, files: current.files });
  }
}
