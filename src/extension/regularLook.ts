import type { Disposable } from '../util/lifecycle';
import { DisposableStore, toDisposable } from '../util/lifecycle';

/** How often it is asked whether a look is due, in milliseconds. */
const ASK_MS = 60_000;
/** Between two looks while the window is in front. */
const REGULAR_MS = 15 * 60_000;
/** Between a look and one because the window comes to the front: other programs had their turn meanwhile. */
const FOCUS_MS = 2 * 60_000;
/** A look rests so many times as long as the last one took: two hundredths of the time at most, however large the folder. */
const REST = 50;

export interface RegularLookParts {
  /** Looks at all files of all folders; resolves when the index has what was found. */
  readonly look: () => Promise<void>;
  readonly isFocused: () => boolean;
  readonly onFocus: (listener: () => void) => Disposable;
  /** Milliseconds; for tests. */
  readonly now?: () => number;
  /** Calls back again and again; for tests. */
  readonly every?: (callback: () => void, milliseconds: number) => Disposable;
}

/**
 * Finds what no event told of: where the system has fewer watches than the workspace has folders, events are lost
 * without a word, and a disk that another system changes has none, as below `/mnt` in WSL. Looks at the whole workspace
 * when the window comes to the front, and from time to time while it is there; never twice at a time, and nothing
 * happens in a window that nobody looks at.
 */
export class RegularLook implements Disposable {
  readonly #store = new DisposableStore();
  readonly #now: () => number;
  #isLooking = false;
  /** The window came to the front so soon after a look that none was due: there is one when it is. */
  #owed = false;
  /** Opening a folder looks at it, too. */
  #lastEnd: number;
  #lastTook = 0;

  constructor(private readonly parts: RegularLookParts) {
    this.#now = parts.now ?? (() => performance.now());
    this.#lastEnd = this.#now();
    const every = parts.every ?? repeat;
    this.#store.add(
      every(() => {
        if (parts.isFocused()) void this.#lookAfter(this.#owed ? FOCUS_MS : REGULAR_MS);
      }, ASK_MS),
    );
    this.#store.add(
      parts.onFocus(() => {
        this.#owed = true;
        void this.#lookAfter(FOCUS_MS);
      }),
    );
  }

  dispose(): void {
    this.#store.dispose();
  }

  async #lookAfter(rest: number): Promise<void> {
    const begin = this.#now();
    if (this.#isLooking || begin - this.#lastEnd < Math.max(rest, REST * this.#lastTook)) return;
    this.#isLooking = true;
    this.#owed = false;
    try {
      await this.parts.look();
    } catch {
      // Whoever looks has said so; the next time is early enough to try again.
    }
    this.#isLooking = false;
    this.#lastEnd = this.#now();
    this.#lastTook = this.#lastEnd - begin;
  }
}

function repeat(callback: () => void, milliseconds: number): Disposable {
  const timer = setInterval(callback, milliseconds);
  return toDisposable(() => clearInterval(timer));
}
