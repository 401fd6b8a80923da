// Which processes a process has started, read from /proc.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** All descendants: [{ pid, command }]. */
export function childrenOf(pid) {
  const all = readdirSync('/proc')
    .filter(name => /^\d+$/.test(name))
    .map(name => describe(Number(name)))
    .filter(each => each !== undefined);
  const known = new Set([pid]);
  for (let grew = true; grew;) {
    const more = all.filter(each => known.has(each.parent) && !known.has(each.pid));
    for (const each of more) known.add(each.pid);
    grew = more.length > 0;
  }
  return all.filter(each => each.pid !== pid && known.has(each.pid));
}

/** Resolves when the process is gone; throws when it is still there after so many milliseconds. */
export async function whenGone(pid, limitMs = 5000) {
  const giveUpAt = Date.now() + limitMs;
  while (existsSync(`/proc/${pid}`)) {
    if (Date.now() > giveUpAt) throw new Error(`process ${pid} is still there after ${limitMs} ms`);
    await sleep(50);
  }
}

function describe(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const [, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
    return { pid, parent: Number(parent), command };
  } catch {
    return undefined; // it ended meanwhile
  }
}
