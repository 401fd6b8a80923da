// A control group that limits memory; version 1 and 2 of the kernel's interface name things otherwise.
import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const TRIES = 100;
const TRY_MS = 100;

/** Ends with the process that made it, with whatever still runs in it. */
export function memoryGroup(name, bytes) {
  const isFirst = existsSync('/sys/fs/cgroup/memory');
  const folder = join('/sys/fs/cgroup', isFirst ? 'memory' : '', name);
  const [limit, most, events] = isFirst
    ? ['memory.limit_in_bytes', 'memory.max_usage_in_bytes', 'memory.oom_control']
    : ['memory.max', 'memory.peak', 'memory.events'];
  const read = file => readFileSync(join(folder, file), 'utf8');
  const members = () => read('cgroup.procs').split('\n').filter(Boolean).map(Number);
  const remove = () => {
    process.off('exit', remove);
    if (!existsSync(folder)) return;
    for (let tries = 0; members().length > 0 && tries < TRIES; tries++) {
      members().forEach(kill);
      // It has to be done when it returns: nobody waits for a process that ends.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, TRY_MS);
    }
    rmdirSync(folder);
  };
  mkdirSync(folder);
  process.once('exit', remove);
  writeFileSync(join(folder, limit), String(bytes));
  return {
    folder,
    members: join(folder, 'cgroup.procs'),
    /** Bytes at most, and how many processes were ended for want of memory. */
    figures: () => ({ most: Number(read(most)), killed: Number(/^oom_kill (\d+)/m.exec(read(events))?.[1]) }),
    remove,
  };
}

function kill(pid) {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It ended meanwhile.
  }
}
