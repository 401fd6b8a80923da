import assert from 'node:assert/strict';
import { test } from 'node:test';
import { planSync, RACY_MS, trustedMtime } from '../../src/engine/indexing/syncPlan';
import type { FileRow } from '../../src/engine/store/records';

const row = (size: number, mtimeMs: number, state: FileRow['state'] = 'indexed'): FileRow => ({
  hash: 'h',
  size,
  mtimeMs,
  state,
  reason: '',
});

test('new, changed, untouched and gone files are told apart', () => {
  const plan = planSync(
    [
      { path: 'new.ts', size: 1, mtimeMs: 10 },
      { path: 'same.ts', size: 2, mtimeMs: 20 },
      { path: 'longer.ts', size: 4, mtimeMs: 30 },
      { path: 'touched.ts', size: 5, mtimeMs: 41 },
    ],
    new Map([
      ['same.ts', row(2, 20)],
      ['longer.ts', row(3, 30)],
      ['touched.ts', row(5, 40)],
      ['gone.ts', row(6, 50)],
    ]),
  );
  assert.deepEqual(
    plan.read.map(file => file.path),
    ['new.ts', 'longer.ts', 'touched.ts'],
  );
  assert.deepEqual(plan.unchanged, ['same.ts']);
  assert.deepEqual(plan.removed, ['gone.ts']);
});

test('a skipped file is not read again, a failed one is', () => {
  const found = [
    { path: 'logo.png', size: 9, mtimeMs: 1 },
    { path: 'locked.ts', size: 9, mtimeMs: 1 },
  ];
  const plan = planSync(
    found,
    new Map([
      ['logo.png', row(9, 1, 'skipped')],
      ['locked.ts', row(9, 1, 'failed')],
    ]),
  );
  assert.deepEqual(plan.unchanged, ['logo.png']);
  assert.deepEqual(plan.read, [found[1]]);
});

test('a time stamp too fresh to prove anything is never equal to a real one', () => {
  assert.equal(trustedMtime(1000, 1000 + RACY_MS), 1000);
  const stamp = trustedMtime(1000, 1000 + RACY_MS - 1);
  const plan = planSync([{ path: 'a', size: 1, mtimeMs: 1000 }], new Map([['a', row(1, stamp)]]));
  assert.equal(plan.read.length, 1);
});
