import type { HoldReason } from './indexState';

/** What a machine says about its power; undefined where it does not tell. */
export interface PowerReading {
  readonly onBattery: boolean;
  /** The system's own saver is on. */
  readonly saver: boolean;
  /** Of all batteries together, 0 to 100. */
  readonly charge?: number;
}

export interface GuestSettings {
  /** `saver`: on battery while the saver is on or the charge is low. */
  readonly pauseOnBattery: 'always' | 'saver' | 'never';
  readonly pauseWhenBusy: boolean;
}

/** One look at the machine. */
export interface Sample {
  readonly power?: PowerReading;
  /** Share of the processor that others than low-priority work use, 0 to 1; undefined where that cannot be told. */
  readonly load?: number;
}

/** A charge, in percent, from which on a battery is spared whatever the saver says. */
const LOW_CHARGE = 20;
/** Busy from this share on, over this many looks in a row; calm again below that one. A build has short pauses. */
const BUSY_LOAD = 0.85;
const CALM_LOAD = 0.6;
const LOOKS = 3;

/** Decides whether indexing waits: at once for the battery, for load only when it lasts, and back again when it has gone. */
export class GuestRules {
  #busy = false;
  /** Looks in a row that speak against what holds now. */
  #against = 0;

  note({ power, load }: Sample, settings: GuestSettings): HoldReason | undefined {
    this.#noteLoad(load, settings.pauseWhenBusy);
    if (power !== undefined && sparesBattery(power, settings.pauseOnBattery)) return 'battery';
    return this.#busy ? 'busy' : undefined;
  }

  /** Forgets what was seen: work begins anew after a while. */
  reset(): void {
    this.#busy = false;
    this.#against = 0;
  }

  #noteLoad(load: number | undefined, wanted: boolean): void {
    if (!wanted || load === undefined) {
      this.reset();
      return;
    }
    const isAgainst = this.#busy ? load < CALM_LOAD : load > BUSY_LOAD;
    this.#against = isAgainst ? this.#against + 1 : 0;
    if (this.#against < LOOKS) return;
    this.#busy = !this.#busy;
    this.#against = 0;
  }
}

function sparesBattery({ onBattery, saver, charge }: PowerReading, when: GuestSettings['pauseOnBattery']): boolean {
  if (when === 'never' || !onBattery) return false;
  return when === 'always' || saver || (charge !== undefined && charge <= LOW_CHARGE);
}
