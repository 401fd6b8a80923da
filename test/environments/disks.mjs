// Disks of other kinds, mounted for a test and gone after it.
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  closeSync,
  existsSync,
  readdirSync,
  ftruncateSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  realpathSync,
  rmSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const PREFIX = 'landmark-mount-';

const run = (program, ...args) =>
  execFileSync(program, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim();
const attempt = (...command) => {
  try {
    run(...command);
  } catch {
    // It was not mounted, or is not any more.
  }
};

const mountedAt = () =>
  readFileSync('/proc/mounts', 'utf8')
    .split('\n')
    .map(line => line.split(' ')[1] ?? '');

/** Ends what a test that was killed had mounted. */
export function sweep() {
  for (const name of readdirSync(tmpdir())) {
    const owner = new RegExp(`^${PREFIX}(\\d+)-`).exec(name)?.[1];
    if (owner === undefined || existsSync(`/proc/${owner}`)) continue;
    const folder = join(tmpdir(), name);
    for (const at of mountedAt()
      .filter(each => each.startsWith(`${folder}/`))
      .reverse())
      attempt('umount', '--lazy', at);
    for (const device of run('losetup', '--noheadings', '--output', 'NAME,BACK-FILE').split('\n')) {
      const [loop, image = ''] = device.trim().split(/\s+/);
      if (image.startsWith(`${folder}/`)) attempt('losetup', '--detach', loop);
    }
    if (!mountedAt().some(at => at.startsWith(`${folder}/`))) rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Keeps track of what was mounted, in order.
 * @returns a folder for the mounts, and a way to end all.
 */
export function mounts() {
  sweep();
  const folder = realpathSync(mkdtempSync(join(tmpdir(), `${PREFIX}${process.pid}-`)));
  chmodSync(folder, 0o755); // other users have their way through
  const undo = [];
  let ended = false;
  const end = () => {
    if (ended) return;
    ended = true;
    for (const step of undo.reverse()) step();
    // A mount that is still there must not be emptied.
    if (!mountedAt().some(at => at.startsWith(`${folder}/`))) rmSync(folder, { recursive: true, force: true });
  };
  process.once('exit', end);
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => process.exit(1));

  const subfolder = name => {
    const path = join(folder, name);
    mkdirSync(path);
    return path;
  };

  /** An exFAT disk in a file: names keep their case, and any case leads to them. */
  const exfat = megabytes => {
    const image = join(folder, 'disk.img');
    const at = subfolder('Disk');
    const file = openSync(image, 'w');
    ftruncateSync(file, megabytes * 2 ** 20);
    closeSync(file);
    run('mkfs.exfat', image);
    const device = run('losetup', '--find', '--show', image);
    undo.push(() => attempt('losetup', '--detach', device));
    run('mount.exfat-fuse', device, at);
    undo.push(() => attempt('umount', '--lazy', at));
    return at;
  };

  /** Shows a folder at another place, whose watchers hear nothing of what happens in the folder itself. */
  const mirror = source => {
    const at = subfolder('mirror');
    run('bindfs', source, at);
    undo.push(() => attempt('umount', '--lazy', at));
    return at;
  };

  /** The same folder at another place, where nobody can write. */
  const readOnly = (source, name) => {
    const at = subfolder(name);
    run('mount', '--bind', source, at);
    undo.push(() => attempt('umount', '--lazy', at));
    run('mount', '-o', 'remount,bind,ro', at);
    return at;
  };
  return { folder, subfolder, exfat, mirror, readOnly, end };
}
