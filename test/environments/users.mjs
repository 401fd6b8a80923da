// A user of this machine for a test, with a home of its own; the user and all its processes are gone after it.
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

const run = (program, ...args) => execFileSync(program, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });

/** @param home a folder that is not there yet. */
export function addUser(home) {
  const name = `landmark-${process.pid}`;
  // "*" is no password, and unlike "!" no lock: a key opens it.
  run('useradd', '--home-dir', home, '--create-home', '--shell', '/bin/bash', '--password', '*', name);
  const uid = Number(run('id', '--user', name));
  const remove = () => {
    for (const { pid } of processesOf(uid)) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // It ended meanwhile.
      }
    }
    run('userdel', '--force', name);
  };
  process.once('exit', remove);
  return {
    name,
    uid,
    remove() {
      process.off('exit', remove);
      remove();
    },
  };
}

/** All processes of a user: [{ pid, command }]. */
export function processesOf(uid) {
  return readdirSync('/proc').flatMap(name => {
    if (!/^\d+$/.test(name)) return [];
    try {
      const owner = /^Uid:\s+(\d+)/m.exec(readFileSync(`/proc/${name}/status`, 'utf8'))?.[1];
      if (Number(owner) !== uid) return [];
      return [
        { pid: Number(name), command: readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' ').trim() },
      ];
    } catch {
      return []; // it ended meanwhile
    }
  });
}

/** Waits until a user has no process any more. */
export async function whenAllGone(uid, limitMs = 15_000) {
  const giveUpAt = Date.now() + limitMs;
  for (;;) {
    const left = processesOf(uid);
    if (left.length === 0) return;
    if (Date.now() > giveUpAt) throw new Error(`still there: ${left.map(({ command }) => command).join('\n')}`);
    await sleep(100);
  }
}

/** How many sockets a process listens on. */
export function listening(pid) {
  const open = readFileSync(`/proc/${pid}/net/tcp`, 'utf8') + readFileSync(`/proc/${pid}/net/tcp6`, 'utf8');
  const LISTEN = '0A';
  const sockets = new Set(
    open
      .split('\n')
      .map(line => line.trim().split(/\s+/))
      .filter(fields => fields[3] === LISTEN)
      .map(fields => `socket:[${fields[9]}]`),
  );
  return readdirSync(`/proc/${pid}/fd`).filter(fd => {
    try {
      return sockets.has(readlinkSync(`/proc/${pid}/fd/${fd}`));
    } catch {
      return false;
    }
  }).length;
}
