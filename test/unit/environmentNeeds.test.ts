import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';

/** Runs the tests of environments where no program is on the path; none can begin then. */
function run(...names: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['test/environments/run.mjs', ...names], {
    encoding: 'utf8',
    env: { PATH: '/nonexistent' },
  });
  return { status, lines: stdout.trim().split('\n'), stderr };
}

test('an environment that lacks something is skipped with what it needs and the way to it, never passed', () => {
  const { status, lines } = run('silentDisk');
  assert.equal(status, 3);
  assert.equal(lines.length, 1);
  assert.match(lines[0] ?? '', /^silentDisk skipped: needs .*the program bindfs \(apt-get install bindfs\)/);
});

test('without a name all are named, each with an outcome of its own', () => {
  const { status, lines } = run();
  assert.equal(status, 3);
  assert.deepEqual(
    lines.map(line => line.split(':')[0]),
    ['letterCase skipped', 'silentDisk skipped', 'ssh skipped', 'container skipped'],
  );
});

test('a name that there is not is refused with those that there are', () => {
  const { status, stderr } = run('moon');
  assert.equal(status, 2);
  assert.match(stderr, /There is no environment moon; there are letterCase, silentDisk, ssh, container\./);
});
