import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NumberTable } from '../../src/util/numberTable';

test('a table gives what was set last, and -1 where there is nothing, however far apart the numbers are', () => {
  const table = new NumberTable();
  for (const [at, value] of [
    [0, 7],
    [255, 0],
    [256, 3],
    [100_000, 0x7fffffff],
    [0, 8],
    [256, -1],
  ] as const)
    table.set(at, value);
  assert.deepEqual(
    [0, 1, 255, 256, 257, 99_999, 100_000, 100_001, 1e9].map(at => table.get(at)),
    [8, -1, 0, -1, -1, -1, 0x7fffffff, -1, -1],
  );
  assert.ok(table.limit > 100_000);
  table.clear();
  assert.equal(table.get(0), -1);
  assert.equal(table.get(100_000), -1);
});
