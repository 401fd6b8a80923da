import { readdirSync, readFileSync } from 'node:fs';

export interface ProcessMemory {
  readonly now: number;
  readonly most: number;
}

/** Resident memory of a child process of this one, by its program's file name, on Linux; elsewhere NaN. In MB. */
export function residentMb(program: string): ProcessMemory {
  for (const name of process.platform === 'linux' ? readdirSync('/proc') : []) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const status = readFileSync(`/proc/${name}/status`, 'utf8');
      if (numberIn(status, 'PPid') !== process.pid) continue;
      if (!readFileSync(`/proc/${name}/cmdline`, 'utf8').includes(`/${program}\0`)) continue;
      return { now: numberIn(status, 'VmRSS') / 1024, most: numberIn(status, 'VmHWM') / 1024 };
    } catch {
      // It ended between being listed and being read.
    }
  }
  return { now: NaN, most: NaN };
}

/** What this process holds for itself, on Linux; the rest of what is resident are pages of files, which the system takes back. In MB. */
export function privateMb(): number {
  return process.platform === 'linux' ? numberIn(readFileSync('/proc/self/status', 'utf8'), 'RssAnon') / 1024 : NaN;
}

/** Of this process, in MB. */
export function ownMemory(): ProcessMemory {
  const now = process.memoryUsage.rss() / 1024 / 1024;
  return { now, most: Math.max(now, process.resourceUsage().maxRSS / 1024) };
}

function numberIn(status: string, name: string): number {
  return Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1] ?? NaN);
}
