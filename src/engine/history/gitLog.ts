import { StringDecoder } from 'node:string_decoder';
import { LandmarkError, throwIfAborted } from '../../util/errors';
import { detached } from '../lexical/detached';
import type { HistorySource } from '../types';
import { gitDirectory, gitFailure, runGit } from './gitProcess';

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
  const decoder = new StringDecoder('utf8');
  const outcome = await runGit(
    gitDir,
    logArguments(source.at, folderPrefix, options.limit ?? 5000),
    chunk => parser.push(decoder.write(chunk)),
    { signal },
  );
  if (outcome.code === 0 || outcome.stopped) return parser.finish();
  throwIfAborted(signal);
  if (
    /does not have any commits yet|bad default revision|ambiguous argument 'HEAD'|bad revision 'HEAD'/.test(
      outcome.errors,
    )
  )
    return [];
  throw gitFailure(source, outcome.errors);
}

function logArguments(at: string, folderPrefix: string, limit: number): string[] {
  const prefix = folderPrefix.replace(/\/+$/, '');
  return [
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
