import { LandmarkError, throwIfAborted } from '../../util/errors';
import { gitDirectory, gitFailure, runGit } from '../history/gitProcess';
import { isCorpusContent, isSourcePath } from './corpusRule';

/** How a commit changed a path; `old` is there before it, `new` only after it. */
export interface ChangedPath {
  /** The letter of `git log --name-status`: M, A, D, R, C, T. */
  readonly status: string;
  /** Of a renamed or copied file the path before. */
  readonly path: string;
}

export interface CommitChange {
  readonly id: string;
  readonly message: string;
  readonly paths: readonly ChangedPath[];
}

/** Objects that one call reads. */
const OBJECTS_A_CALL = 2000;
const DIFF = ['-p', '-U0', '--no-renames', '--no-color', '--no-ext-diff', '--no-textconv'];

/** Reads a repository's commits and files without a work tree; nothing of the repository is run or written. */
export class CommitReader {
  private constructor(
    private readonly gitDir: string,
    private readonly named: string,
    private readonly signal: AbortSignal | undefined,
  ) {}

  /** @param directory a git directory or the top of a work tree. */
  static async open(directory: string, signal?: AbortSignal): Promise<CommitReader> {
    return new CommitReader(await gitDirectory(directory), directory, signal);
  }

  /** The full id of a commit. @throws LandmarkError `not-found`. */
  async commitId(revision: string): Promise<string> {
    return (await this.text(['rev-parse', '--verify', '--end-of-options', `${revision}^{commit}`])).trim();
  }

  /** Day of the commit, `YYYY-MM-DD` (committer's clock). */
  async date(commit: string): Promise<string> {
    return (await this.text(['show', '-s', '--format=%cs', commit, '--'])).trim();
  }

  /** The commits of the first-parent line from `head` back, newest first, at most `limit`. */
  async firstParents(head: string, limit: number): Promise<string[]> {
    const text = await this.text(['rev-list', '--first-parent', `--max-count=${limit}`, head, '--']);
    return text.split('\n').filter(Boolean);
  }

  /** The commits that `to` has and `from` has not, oldest first, no merges. */
  async commitsBetween(from: string, to: string): Promise<CommitChange[]> {
    const text = await this.text([
      ...['log', '--no-merges', '--reverse', '--topo-order', '-M100%', '--no-color', '--name-status', '-z'],
      ...['--no-show-signature', '--no-notes', '--no-mailmap', '--no-ext-diff', '--encoding=UTF-8'],
      ...['--format=%x01%H%x02%B%x03', `${from}..${to}`, '--'],
    ]);
    return text.split('\u0001').slice(1).map(parseCommit);
  }

  /** The corpus of a commit: path to content, in git's order. */
  async corpus(commit: string, roots: readonly string[]): Promise<ReadonlyMap<string, Buffer>> {
    const listed = await this.text(['ls-tree', '-r', '-z', '--full-tree', commit]);
    const wanted = listed.split('\0').flatMap(entry => {
      const [, mode, id, path] = /^(\d+) blob ([0-9a-f]+)\t([^]*)$/.exec(entry) ?? [];
      const isFile = mode === '100644' || mode === '100755';
      return isFile && id !== undefined && path !== undefined && isSourcePath(path, roots) ? [{ id, path }] : [];
    });
    const files = new Map<string, Buffer>();
    for (let at = 0; at < wanted.length; at += OBJECTS_A_CALL) {
      const some = wanted.slice(at, at + OBJECTS_A_CALL);
      const contents = await this.objects(some.map(({ id }) => id));
      for (const [index, { path }] of some.entries()) {
        const content = contents[index];
        if (content !== undefined && isCorpusContent(content)) files.set(path, content);
      }
    }
    return files;
  }

  /** The diff without context lines that a commit makes to some paths. */
  changeOf(commit: string, paths: readonly string[]): Promise<string> {
    return this.text(['show', '--format=', ...DIFF, commit, '--', ...paths]);
  }

  /** The diff without context lines of one path between two commits. */
  diff(from: string, to: string, path: string): Promise<string> {
    return this.text(['diff-tree', ...DIFF, '--text', '--diff-algorithm=myers', from, to, '--', path]);
  }

  /** The content of blobs; undefined for one that the repository does not hold. */
  private async objects(ids: readonly string[]): Promise<(Buffer | undefined)[]> {
    const output = await this.bytes(['cat-file', '--batch'], `${ids.join('\n')}\n`);
    let at = 0;
    return ids.map(() => {
      const end = output.indexOf(10, at);
      const head = output.toString('latin1', at, end).split(' ');
      at = end + 1;
      if (end < 0 || head.at(-1) === 'missing') return undefined;
      const size = Number(head[2]);
      const content = output.subarray(at, at + size);
      at += size + 1;
      return content;
    });
  }

  private async text(command: readonly string[]): Promise<string> {
    return (await this.bytes(command)).toString('utf8');
  }

  private async bytes(command: readonly string[], input?: string): Promise<Buffer> {
    throwIfAborted(this.signal);
    const chunks: Buffer[] = [];
    const { signal } = this;
    const options = { signal, ...(input === undefined ? {} : { input }) };
    const outcome = await runGit(this.gitDir, command, chunk => chunks.push(chunk), options);
    if (outcome.stopped)
      throw new LandmarkError('internal', `The history of ${this.named} is too large to be read at once.`);
    if (outcome.code !== 0) throw gitFailure({ gitDir: this.named, at: 'HEAD' }, outcome.errors);
    return Buffer.concat(chunks);
  }
}

function parseCommit(record: string): CommitChange {
  const [id = '', rest = ''] = split(record, '\u0002');
  const [message = '', names = ''] = split(rest, '\u0003');
  const fields = names
    .split('\0')
    .map(field => field.replace(/^\n+/, ''))
    .filter(Boolean);
  const paths: ChangedPath[] = [];
  for (let at = 0; at + 1 < fields.length;) {
    const status = fields[at]?.charAt(0) ?? '';
    paths.push({ status, path: fields[at + 1] ?? '' });
    at += status === 'R' || status === 'C' ? 3 : 2;
  }
  return { id, message, paths };
}

function split(text: string, mark: string): [string, string] {
  const at = text.indexOf(mark);
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)];
}
