/** Something that holds resources until it is disposed. VS Code's own disposables have this shape. */
export interface Disposable {
  dispose(): void;
}

/** Makes a disposable of a clean-up that runs once, however often it is disposed. */
export function toDisposable(cleanUp: () => void): Disposable {
  let pending: (() => void) | undefined = cleanUp;
  return {
    dispose() {
      const run = pending;
      pending = undefined;
      run?.();
    },
  };
}

/**
 * Owns lifetimes: what is added lives until the store is disposed, last in first out, because later parts use earlier
 * ones. What arrives after that is disposed at once, so that nothing which was still starting outlives its owner.
 */
export class DisposableStore implements Disposable {
  readonly #items = new Set<Disposable>();
  #disposed = false;

  get isDisposed(): boolean {
    return this.#disposed;
  }

  /** @returns the item itself, so that it can be registered on the line that creates it. */
  add<T extends Disposable>(item: T): T {
    if (this.#disposed) item.dispose();
    else this.#items.add(item);
    return item;
  }

  /** Disposes an item before its time and forgets it; does nothing for an item that is not here. */
  delete(item: Disposable): void {
    if (this.#items.delete(item)) item.dispose();
  }

  /** @throws what an item threw, after all others have been disposed; an AggregateError when several did. */
  dispose(): void {
    if (this.#disposed) return;
    this.#disposed = true;
    const items = [...this.#items].reverse();
    this.#items.clear();
    const errors: unknown[] = [];
    for (const item of items) {
      try {
        item.dispose();
      } catch (error) {
        errors.push(error);
      }
    }
    if (errors.length === 1) throw errors[0];
    if (errors.length > 1) throw new AggregateError(errors, 'Several parts could not be disposed.');
  }
}
