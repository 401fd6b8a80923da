import type { PowerReading } from './guestRules';

export type { PowerReading };

/** Times of all processors since the start, in milliseconds. */
export interface CpuTimes {
  /** Of programs with a lowered priority, as our own. */
  readonly nice: number;
  readonly idle: number;
  readonly used: number;
}

/** The share of the processors that programs of ordinary priority took between two looks; undefined when no time passed. */
export function foreignLoad(before: CpuTimes, now: CpuTimes): number | undefined {
  const used = now.used - before.used;
  const all = used + (now.nice - before.nice) + (now.idle - before.idle);
  return all <= 0 ? undefined : Math.max(0, Math.min(1, used / all));
}

/** The share of the processors that others take, from the number of those that want to run. */
export function loadFromAverage(average: number, ownThreads: number, cores: number): number {
  return Math.max(0, Math.min(1, (average - ownThreads) / Math.max(1, cores)));
}

/**
 * From the fields of /sys/class/power_supply. A machine without a battery of its own (a mouse has one, too) is not on
 * battery; one whose mains are plugged in is not either, even when its battery is being used up.
 * @param profile text of /sys/firmware/acpi/platform_profile, empty where there is none.
 */
export function powerFromSupplies(
  supplies: readonly Readonly<Record<string, string>>[],
  profile: string,
): PowerReading | undefined {
  const batteries = supplies.filter(({ type, scope }) => type === 'Battery' && scope !== 'Device');
  if (batteries.length === 0) return undefined;
  const plugged = supplies.some(({ type, online }) => type !== 'Battery' && online === '1');
  const discharging = batteries.some(({ status }) => status === 'Discharging');
  const charges = batteries.map(({ capacity }) => Number.parseInt(capacity ?? '', 10)).filter(Number.isFinite);
  return {
    onBattery: !plugged && discharging,
    saver: profile === 'low-power',
    ...(charges.length === 0 ? {} : { charge: charges.reduce((sum, each) => sum + each, 0) / charges.length }),
  };
}

/**
 * From what macOS says.
 * @param battery output of `pmset -g batt`; settings: of `pmset -g`. Empty: the program could not be run.
 */
export function powerFromPmset(battery: string, settings: string): PowerReading | undefined {
  if (!/InternalBattery/.test(battery)) return undefined;
  const charge = /(\d+)%/.exec(battery)?.[1];
  return {
    onBattery: /drawing from 'Battery Power'/.test(battery),
    saver: /^\s*lowpowermode\s+1\b/m.test(settings),
    ...(charge === undefined ? {} : { charge: Number(charge) }),
  };
}
