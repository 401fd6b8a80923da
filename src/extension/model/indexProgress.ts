import type { FolderStatus } from '../../host/protocol';

/** Work over all folders, in files. */
export interface Progress {
  readonly done: number;
  readonly total: number;
}

/**
 * Sums the folders' progress so that neither number ever goes backwards while anything is running: a folder that is
 * done keeps counting until the last one is, and a folder whose work grows only adds. Begins anew after that.
 */
export class ProgressTracker {
  readonly #byFolder = new Map<string, Progress>();

  /** @returns undefined when nothing is being indexed. */
  update(statuses: readonly FolderStatus[]): Progress | undefined {
    if (!statuses.some(status => status.state === 'indexing')) {
      this.#byFolder.clear();
      return undefined;
    }
    for (const status of statuses) {
      const before = this.#byFolder.get(status.folder);
      if (status.state === 'indexing') {
        const total = Math.max(before?.total ?? 0, status.total);
        this.#byFolder.set(status.folder, { total, done: Math.min(total, Math.max(before?.done ?? 0, status.done)) });
      } else if (before !== undefined) {
        this.#byFolder.set(status.folder, { total: before.total, done: before.total });
      }
    }
    const all = [...this.#byFolder.values()];
    return { done: sum(all.map(each => each.done)), total: sum(all.map(each => each.total)) };
  }
}

/** Embedded share over all folders, weighted by their files, 0 to 1; 1 when there is nothing to embed. */
export function overallComplete(statuses: readonly FolderStatus[]): number {
  const files = sum(statuses.map(status => status.files));
  if (files === 0) return statuses.length === 0 ? 1 : Math.min(...statuses.map(status => status.complete));
  return sum(statuses.map(status => status.complete * status.files)) / files;
}

/** Rounded down, so that 100 % means all. */
export function percent(share: number): number {
  return Math.max(0, Math.min(100, Math.floor(share * 100 + 1e-9)));
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
