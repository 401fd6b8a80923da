/** Order of embedding: a saved file, then path words, then every file's first window, then the rest. */
export const PRIORITIES = ['urgent', 'path', 'first', 'rest'] as const;
export type Priority = (typeof PRIORITIES)[number];

/** One window to embed. `owner` is what its token ids can be had from (a content or a path), `ordinal` which of its windows. */
export interface WindowTask {
  /** Key in the window store, hex. */
  readonly key: string;
  readonly owner: string;
  readonly ordinal: number;
}

/**
 * Windows that wait to be embedded, first in first out within a priority. A window is done once however many owners
 * have it; owners are tracked so that a content is known to be complete when its last window is stored.
 */
export class Schedule {
  private readonly queues: Record<Priority, WindowTask[]> = { urgent: [], path: [], first: [], rest: [] };
  private readonly heads: Record<Priority, number> = { urgent: 0, path: 0, first: 0, rest: 0 };
  /** Key to the owners that wait for it; a key that is not here is not wanted any more. */
  private readonly owners = new Map<string, Set<string>>();
  private readonly wanted = new Map<string, Set<string>>();

  /** Windows that are wanted and not yet stored or given up. */
  get size(): number {
    return this.owners.size;
  }

  /** False when `take` has nothing to give. */
  get hasQueued(): boolean {
    return PRIORITIES.some(priority => this.queues[priority].length > this.heads[priority]);
  }

  add(task: WindowTask, priority: Priority): void {
    getOrMake(this.owners, task.key).add(task.owner);
    getOrMake(this.wanted, task.owner).add(task.key);
    this.queues[priority].push(task);
  }

  /** True while the owner has windows that are not stored. */
  isWaiting(owner: string): boolean {
    return this.wanted.has(owner);
  }

  waitingOwners(): IterableIterator<string> {
    return this.wanted.keys();
  }

  /**
   * Removes and returns the next tasks, each key once; they stay wanted until `settle` or `drop`. Urgent ones come
   * alone: whoever takes many may put them in another order.
   */
  take(count: number): WindowTask[] {
    const taken = new Map<string, WindowTask>();
    for (const priority of PRIORITIES) {
      while (taken.size < count) {
        const task = this.shift(priority);
        if (task === undefined) break;
        if (this.owners.get(task.key)?.has(task.owner) === true && !taken.has(task.key)) taken.set(task.key, task);
      }
      if (priority === 'urgent' && taken.size > 0) break;
    }
    return [...taken.values()];
  }

  /** The window is stored: returns the owners that have nothing left to wait for. */
  settle(key: string): { readonly owners: readonly string[]; readonly completed: readonly string[] } {
    const owners = [...(this.owners.get(key) ?? [])];
    this.owners.delete(key);
    const completed = owners.filter(owner => {
      const keys = this.wanted.get(owner);
      keys?.delete(key);
      if (keys === undefined || keys.size > 0) return false;
      this.wanted.delete(owner);
      return true;
    });
    return { owners, completed };
  }

  /** The owner is gone or given up: windows that nobody else waits for are not embedded. */
  drop(owner: string): void {
    for (const key of this.wanted.get(owner) ?? []) {
      const owners = this.owners.get(key);
      owners?.delete(owner);
      if (owners?.size === 0) this.owners.delete(key);
    }
    this.wanted.delete(owner);
  }

  private shift(priority: Priority): WindowTask | undefined {
    const queue = this.queues[priority];
    const head = this.heads[priority];
    const task = queue[head];
    if (task === undefined) {
      queue.length = 0;
      this.heads[priority] = 0;
      return undefined;
    }
    this.heads[priority] = head + 1;
    return task;
  }
}

function getOrMake<K, V>(map: Map<K, Set<V>>, key: K): Set<V> {
  const present = map.get(key);
  if (present !== undefined) return present;
  const made = new Set<V>();
  map.set(key, made);
  return made;
}
