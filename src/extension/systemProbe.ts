import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import type { CpuTimes, PowerReading } from './model/systemReadings';
import { foreignLoad, loadFromAverage, powerFromPmset, powerFromSupplies } from './model/systemReadings';

/** Looks at the machine: what the platform does not tell is undefined. */
export interface SystemProbe {
  power(): Promise<PowerReading | undefined>;
  /** Share of the processor that others use since the last call, 0 to 1. */
  load(): number | undefined;
}

const POWER_SUPPLIES = '/sys/class/power_supply';
const POWER_PROFILE = '/sys/firmware/acpi/platform_profile';
const PMSET_MS = 3000;

/**
 * Linux tells of its power supplies in /sys and of low-priority time in the processor's times; macOS by `pmset` and the
 * load average. Windows tells neither without starting a shell every time, so there nothing is known.
 * @param ownThreads threads that index, whose load is not that of others.
 */
export function systemProbe(platform: NodeJS.Platform, ownThreads: number, cores: number): SystemProbe {
  if (platform === 'linux') {
    let before = cpuTimes();
    return {
      power: linuxPower,
      load() {
        const now = cpuTimes();
        const load = foreignLoad(before, now);
        before = now;
        return load;
      },
    };
  }
  if (platform === 'darwin') {
    return { power: macPower, load: () => loadFromAverage(loadavg()[0] ?? 0, ownThreads, cores) };
  }
  return { power: () => Promise.resolve(undefined), load: () => undefined };
}

function cpuTimes(): CpuTimes {
  const all = cpus().map(({ times }) => times);
  const sum = (of: (times: (typeof all)[number]) => number): number => all.reduce((total, each) => total + of(each), 0);
  return {
    nice: sum(each => each.nice),
    idle: sum(each => each.idle),
    used: sum(each => each.user + each.sys + each.irq),
  };
}

async function linuxPower(): Promise<PowerReading | undefined> {
  const names = await readdir(POWER_SUPPLIES).catch(() => []);
  const supplies = await Promise.all(names.map(name => readSupply(join(POWER_SUPPLIES, name))));
  return powerFromSupplies(supplies, await readText(POWER_PROFILE));
}

async function readSupply(folder: string): Promise<Record<string, string>> {
  const fields = ['type', 'scope', 'online', 'status', 'capacity'];
  const values = await Promise.all(fields.map(async field => [field, await readText(join(folder, field))] as const));
  return Object.fromEntries(values.filter(([, value]) => value !== ''));
}

function readText(file: string): Promise<string> {
  return readFile(file, 'utf8').then(
    text => text.trim(),
    () => '',
  );
}

async function macPower(): Promise<PowerReading | undefined> {
  const [battery, all] = await Promise.all([pmset('-g', 'batt'), pmset('-g')]);
  return powerFromPmset(battery, all);
}

function pmset(...args: string[]): Promise<string> {
  return new Promise(resolve => {
    execFile('/usr/bin/pmset', args, { timeout: PMSET_MS }, (error, stdout) => resolve(error === null ? stdout : ''));
  });
}
