import { messageOf } from '../util/errors';
import type { Disposable } from '../util/lifecycle';
import { DisposableStore, toDisposable } from '../util/lifecycle';
import type { Logger } from '../util/logger';
import type { IndexController } from './indexController';
import type { GuestSettings } from './model/guestRules';
import { GuestRules } from './model/guestRules';
import type { HoldReason, IndexState } from './model/indexState';
import { openStatuses } from './model/indexState';
import type { SystemProbe } from './systemProbe';

/** How often the machine is looked at while there is work, in milliseconds; of its power only every so many looks. */
const LOOK_MS = 5000;
const POWER_LOOKS = 6;
/** Work of so few sections is done before it could disturb: a save stays searchable on battery, too. */
const SMALL_WORK = 256;

export interface GoodGuestParts {
  readonly controller: Pick<IndexController, 'state' | 'onDidChange' | 'setHeld'>;
  readonly probe: SystemProbe;
  readonly settings: () => GuestSettings;
  readonly logger: Logger;
  /** Calls back again and again; for tests. */
  readonly every?: (callback: () => void, milliseconds: number) => Disposable;
}

/** Lets indexing wait while the machine is on battery or busy. Looks only while there is something to index. */
export class GoodGuest implements Disposable {
  readonly #parts: GoodGuestParts;
  readonly #store = new DisposableStore();
  readonly #rules = new GuestRules();
  #looking: Disposable | undefined;
  #looks = 0;
  #power: Awaited<ReturnType<SystemProbe['power']>>;
  /** The user wants indexing to go on whatever the machine is doing, until that has changed. */
  #overruled: HoldReason | undefined;

  constructor(parts: GoodGuestParts) {
    this.#parts = parts;
    this.#store.add(parts.controller.onDidChange(state => this.#follow(state)));
    this.#store.add(toDisposable(() => this.#looking?.dispose()));
    this.#follow(parts.controller.state);
  }

  /** Goes on now; waits again only for another reason, or for the same once it had gone. */
  overrule(): void {
    this.#overruled = this.#parts.controller.state.held;
    this.#parts.controller.setHeld(undefined);
  }

  dispose(): void {
    this.#store.dispose();
  }

  /** Looks at the machine once. */
  async look(): Promise<void> {
    const { probe, settings, controller, logger } = this.#parts;
    const now = settings();
    try {
      if (this.#looks++ % POWER_LOOKS === 0) this.#power = await probe.power();
    } catch (error) {
      logger.warn(`The battery cannot be read: ${messageOf(error)}`);
    }
    if (this.#store.isDisposed) return;
    const load = probe.load();
    const sample = { ...(this.#power && { power: this.#power }), ...(load === undefined ? {} : { load }) };
    const reason = this.#rules.note(sample, now);
    if (reason !== this.#overruled) this.#overruled = undefined;
    const wanted = this.#overruled === undefined ? reason : undefined;
    if (wanted !== undefined && controller.state.held === undefined && !hasLongWork(controller.state)) return;
    controller.setHeld(wanted);
  }

  #follow(state: IndexState): void {
    const isNeeded = state.held !== undefined || hasLongWork(state);
    if (!isNeeded) {
      this.#looking?.dispose();
      this.#looking = undefined;
    } else if (this.#looking === undefined) {
      this.#rules.reset();
      this.#looks = 0;
      const every = this.#parts.every ?? repeat;
      this.#looking = every(() => void this.look(), LOOK_MS);
      void this.look();
    }
  }
}

function hasLongWork(state: IndexState): boolean {
  return openStatuses(state).some(each => each.state === 'indexing' && each.total - each.done > SMALL_WORK);
}

function repeat(callback: () => void, milliseconds: number): Disposable {
  const timer = setInterval(callback, milliseconds);
  return toDisposable(() => clearInterval(timer));
}
