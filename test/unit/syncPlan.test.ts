import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type FileOnDisk, planSync as planWithLimit, RACY_MS, trustedStamp } from '../../src/engine/indexing/syncPlan';
import type { FileRow } from '../../src/engine/store/records';

const planSync = (found: readonly FileOnDisk[], known: ReadonlyMap<string, FileRow>) =>
  planWithLimit(found, known, () => 100);

const onDisk = (path: string, size: number, mtimeMs: number, ctimeMs = 1000): FileOnDisk => ({
  path,
  size,
  mtimeMs,
  ctimeMs,
});
/** As it was read long after its last change, at 1000. */
const row = (size: number, mtimeMs: number, state: FileRow['state'] = 'indexed'): FileRow => ({
  hash: 'h',
  size,
  stamp: trustedStamp(onDisk('x', size, mtimeMs), 1e6),
  state,
  reason: '',
});

test('new, changed, untouched and gone files are told apart', () => {
  const plan = planSync(
    [onDisk('new.ts', 1, 10), onDisk('same.ts', 2, 20), onDisk('longer.ts', 4, 30), onDisk('touched.ts', 5, 41)],
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
  const found = [onDisk('logo.png', 9, 1), onDisk('locked.ts', 9, 1)];
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
  const file = onDisk('a', 1, 1000);
  for (const [readAt, times] of [
    [1000 + RACY_MS, 0],
    [1000 + RACY_MS - 1, 1],
  ] as const) {
    const known = { ...row(1, 0), stamp: trustedStamp(file, readAt) };
    assert.equal(planSync([file], new Map([['a', known]])).read.length, times);
  }
});

test('another file of the same size and age in the place is read', () => {
  // Moved or unpacked there with its own time: only the change of its name is new.
  assert.equal(planSync([onDisk('a', 2, 20, 1001)], new Map([['a', row(2, 20)]])).read.length, 1);
  assert.equal(planSync([onDisk('a', 2, 20)], new Map([['a', row(2, 20)]])).read.length, 0);
});

test('a file whose size is judged otherwise than when it was read is read again, and no other', () => {
  const skipped = (size: number, reason: string): FileRow => ({ ...row(size, 10, 'skipped'), reason });
  const rows = new Map([
    ['fits.ts', row(100, 10)],
    ['isTooLarge.ts', row(101, 10)],
    ['staysTooLarge.ts', skipped(101, 'too-large')],
    ['fitsNow.ts', skipped(100, 'too-large')],
    ['logo.png', skipped(9, 'unknown-kind')],
  ]);
  const { read, unchanged } = planSync(
    [...rows].map(([path, { size }]) => onDisk(path, size, 10)),
    rows,
  );
  assert.deepEqual(
    read.map(({ path }) => path),
    ['isTooLarge.ts', 'fitsNow.ts'],
  );
  assert.deepEqual(unchanged, ['fits.ts', 'staysTooLarge.ts', 'logo.png']);
});
