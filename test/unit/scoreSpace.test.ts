import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ScoreSpace } from '../../src/engine/search/scoreSpace';

test('arrays are full of what was asked for, are nobody else’s meanwhile, and are used again afterwards', () => {
  const space = new ScoreSpace();
  const [first, second] = [space.lease(), space.lease()];
  const a = first.take(5);
  const b = second.take(5, NaN);
  assert.deepEqual([...a], [0, 0, 0, 0, 0]);
  assert.ok(b.every(Number.isNaN));
  assert.notEqual(a, b);
  a.fill(7);
  first.release();
  // Nothing is given back twice.
  first.release();
  const third = space.lease();
  assert.equal(third.take(5), a);
  assert.deepEqual([...a], [0, 0, 0, 0, 0]);
  assert.notEqual(third.take(5), a);
});

test('arrays of lengths that nobody asks for any more are not kept', () => {
  const space = new ScoreSpace();
  const first = space.lease();
  const old = first.take(1);
  first.release();
  for (let length = 2; length < 8; length++) {
    const lease = space.lease();
    lease.take(length);
    lease.release();
  }
  assert.notEqual(space.lease().take(1), old);
});
