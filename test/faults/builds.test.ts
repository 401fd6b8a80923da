import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { test } from 'node:test';
import { buildPrograms, landmark } from '../support/landmark';

test('builds at the same time leave whole programs, and one that runs meanwhile is never missing', async () => {
  buildPrograms();
  const builds = Array.from({ length: 3 }, () =>
    spawn(process.execPath, ['src/build/bundle.mjs'], { stdio: 'inherit' }),
  );
  const ended = Promise.all(builds.map(build => once(build, 'close')));
  const state = { running: true };
  void ended.then(() => (state.running = false));
  let runs = 0;
  while (state.running) {
    const { status, out, err } = landmark(['--version'], '/nonexistent');
    assert.deepEqual([status, /^\d+\.\d+\.\d+\n$/.test(out)], [0, true], err);
    runs++;
    await new Promise(resolve => setImmediate(resolve));
  }
  for (const [status] of await ended) assert.equal(status, 0);
  assert.ok(runs > 0);
  assert.deepEqual(
    readdirSync('.').filter(name => name.startsWith('dist-')),
    [],
  );
});
