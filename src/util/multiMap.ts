/** Several values under a key. A single one, which is the usual case by far, takes no collection of its own. */
export class MultiMap<K, V extends string | number> {
  private readonly entries = new Map<K, V | Set<V>>();

  has(key: K): boolean {
    return this.entries.has(key);
  }

  /** The values under a key, each once, in the order they came. */
  get(key: K): Iterable<V> {
    const found = this.entries.get(key);
    if (found === undefined) return [];
    return found instanceof Set ? found : [found];
  }

  keys(): IterableIterator<K> {
    return this.entries.keys();
  }

  add(key: K, value: V): void {
    const found = this.entries.get(key);
    if (found === undefined) this.entries.set(key, value);
    else if (found instanceof Set) found.add(value);
    else if (found !== value) this.entries.set(key, new Set([found, value]));
  }

  /** Takes one value away; a key without values is gone. */
  delete(key: K, value: V): void {
    const found = this.entries.get(key);
    if (found instanceof Set) {
      found.delete(value);
      if (found.size === 0) this.entries.delete(key);
    } else if (found === value) this.entries.delete(key);
  }
}
