/** What happened in one folder since the last batch. */
export interface ChangeBatch {
  readonly folder: string;
  /** Relative paths, or `all` when looking at the whole folder is simpler or the only way. */
  readonly changes: readonly string[] | 'all';
}

/** From so many paths on, the whole folder is looked at: one walk is cheaper than so many single looks. */
const MOST_PATHS = 500;

/** Collects changes until they are taken; taking empties it at once, so that nothing which comes later is lost. */
export class ChangeQueue {
  #pending = new Map<string, Set<string> | 'all'>();

  get isEmpty(): boolean {
    return this.#pending.size === 0;
  }

  /** @param path relative to the folder, with forward slashes; empty for the folder itself. */
  add(folder: string, path: string): void {
    if (path === '' || changesRules(path)) {
      this.addAll(folder);
      return;
    }
    const known = this.#pending.get(folder);
    if (known === 'all') return;
    const paths = known ?? new Set<string>();
    paths.add(path);
    this.#pending.set(folder, paths.size > MOST_PATHS ? 'all' : paths);
  }

  addAll(folder: string): void {
    this.#pending.set(folder, 'all');
  }

  take(): ChangeBatch[] {
    const taken = this.#pending;
    this.#pending = new Map();
    return [...taken].map(([folder, changes]) => ({ folder, changes: changes === 'all' ? changes : [...changes] }));
  }
}

/** Files whose content decides about other files. */
function changesRules(path: string): boolean {
  return /(^|\/)\.(git)?ignore$/.test(path) || path === '.git/info/exclude';
}

/** Inside git's own folder nothing is indexed; its HEAD is watched apart. */
export function isInsideGitFolder(path: string): boolean {
  return path !== '.git/info/exclude' && /(^|\/)\.git\//.test(path);
}
