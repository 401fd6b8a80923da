import type { Timers } from '../util/async';
import { debounce } from '../util/async';
import { isCancelled, messageOf } from '../util/errors';
import type { Disposable } from '../util/lifecycle';
import type { Logger } from '../util/logger';
import type { IndexDetails } from './model/statusHover';
import type { StatusKind } from './model/statusView';

/** Counts and sizes are asked for when the state has been the same for so long, in milliseconds. */
const DETAILS_AFTER_MS = 1500;
/** States in which the sizes do not change with every moment. */
const CALM: readonly StatusKind[] = ['ready', 'problems', 'paused', 'battery', 'busy', 'question', 'no-runtime'];

export interface HoverDetailsParts {
  readonly load: () => Promise<readonly IndexDetails[]>;
  /** There are counts for the state that is shown. */
  readonly onFound: () => void;
  readonly logger: Logger;
  readonly timers?: Timers;
}

/** Counts and sizes of the index for the state that is shown: none until they are counted in that very state. */
export class HoverDetails implements Disposable {
  readonly #parts: HoverDetailsParts;
  readonly #ask;
  #kind: StatusKind | undefined;
  /** Counts the changes of the kind. */
  #turn = 0;
  #found: readonly IndexDetails[] = [];
  #disposed = false;

  constructor(parts: HoverDetailsParts) {
    this.#parts = parts;
    this.#ask = debounce(() => void this.#refresh(), DETAILS_AFTER_MS, parts.timers);
  }

  get found(): readonly IndexDetails[] {
    return this.#found;
  }

  /** The state that is shown from now on, which may be the one that was shown before. */
  enter(kind: StatusKind): void {
    if (kind !== this.#kind) {
      this.#found = [];
      this.#turn++;
    }
    this.#kind = kind;
    if (CALM.includes(kind)) this.#ask.request();
  }

  dispose(): void {
    this.#disposed = true;
    this.#ask.dispose();
  }

  async #refresh(): Promise<void> {
    const [kind, turn] = [this.#kind, this.#turn];
    // Meanwhile another run may have begun: what was counted before it, or in its midst, is no longer so.
    if (kind === undefined || !CALM.includes(kind)) return;
    try {
      const found = await this.#parts.load();
      if (this.#turn !== turn || this.#disposed) return;
      this.#found = found;
      this.#parts.onFound();
    } catch (error) {
      if (!isCancelled(error)) this.#parts.logger.debug(`The sizes of the index are not known: ${messageOf(error)}`);
    }
  }
}
