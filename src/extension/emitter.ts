import type { Disposable } from '../util/lifecycle';
import { toDisposable } from '../util/lifecycle';

/** Announces that something happened; VS Code's own emitter cannot be loaded outside the editor. */
export class Emitter<T> implements Disposable {
  readonly #listeners = new Set<(event: T) => void>();

  on(listener: (event: T) => void): Disposable {
    this.#listeners.add(listener);
    return toDisposable(() => this.#listeners.delete(listener));
  }

  fire(event: T): void {
    for (const listener of [...this.#listeners]) listener(event);
  }

  dispose(): void {
    this.#listeners.clear();
  }
}
