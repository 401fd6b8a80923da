import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/** Which process wrote a marker file. The number alone is not enough: it is used again, also after a restart. */
export interface ProcessIdentity {
  readonly pid: number;
  /** The machine, and on Linux the name space in which the number counts (containers share folders). */
  readonly machine: string;
  /** Start of the process where the system tells it, else empty. */
  readonly started: string;
}

let own: ProcessIdentity | undefined;

export function ownIdentity(): ProcessIdentity {
  return (own ??= { pid: process.pid, machine: machineName(), started: startOf(process.pid) });
}

/** Whether the process still runs; `unknown` when it belongs to another machine or container. */
export function processState(identity: ProcessIdentity): 'running' | 'ended' | 'unknown' {
  if (identity.machine !== ownIdentity().machine) return 'unknown';
  try {
    process.kill(identity.pid, 0);
  } catch (error) {
    // EPERM: it runs, as another user.
    if (!(error instanceof Error && 'code' in error && error.code === 'EPERM')) return 'ended';
  }
  return identity.started === startOf(identity.pid) ? 'running' : 'ended';
}

export function parseIdentity(text: string): ProcessIdentity | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null) return undefined;
    const { pid, machine, started } = value as Record<string, unknown>;
    if (!Number.isSafeInteger(pid) || typeof machine !== 'string' || typeof started !== 'string') return undefined;
    return { pid: pid as number, machine, started };
  } catch {
    return undefined;
  }
}

function machineName(): string {
  try {
    return `${hostname()} ${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    return hostname();
  }
}

/** Which boot, and field 22 of `/proc/<pid>/stat` (ticks since then); the name before it may hold spaces and brackets. */
function startOf(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const ticks = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
    return `${readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim()} ${ticks}`;
  } catch {
    return '';
  }
}
