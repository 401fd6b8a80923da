import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Schedule } from '../../src/engine/indexing/schedule';

const task = (key: string, owner: string, ordinal = 0) => ({ key, owner, ordinal });
const keysOf = (tasks: readonly { key: string }[]) => tasks.map(({ key }) => key);

test('a saved file goes before path words, first windows and the rest', () => {
  const schedule = new Schedule();
  schedule.add(task('rest', 'a', 1), 'rest');
  schedule.add(task('first', 'a'), 'first');
  schedule.add(task('path', 'p'), 'path');
  schedule.add(task('saved', 's'), 'urgent');
  assert.deepEqual(keysOf(schedule.take(3)), ['saved'], 'alone, whatever order the taker puts them in');
  assert.deepEqual(keysOf(schedule.take(2)), ['path', 'first']);
  assert.deepEqual(keysOf(schedule.take(3)), ['rest']);
  assert.equal(schedule.hasQueued, false);
  assert.equal(schedule.size, 4, 'taken windows stay wanted until they are stored');
});

test('a window that several contents share is done once for all of them', () => {
  const schedule = new Schedule();
  schedule.add(task('licence', 'a', 0), 'first');
  schedule.add(task('body', 'a', 1), 'rest');
  schedule.add(task('licence', 'b', 0), 'first');
  assert.deepEqual(keysOf(schedule.take(10)), ['licence', 'body']);
  assert.deepEqual(schedule.settle('licence'), { owners: ['a', 'b'], completed: ['b'] });
  assert.equal(schedule.isWaiting('a'), true);
  assert.deepEqual(schedule.settle('body').completed, ['a']);
  assert.equal(schedule.size, 0);
});

test('what a dropped owner alone waited for is not embedded, what others want is', () => {
  const schedule = new Schedule();
  schedule.add(task('shared', 'a'), 'rest');
  schedule.add(task('own', 'a', 1), 'rest');
  schedule.add(task('shared', 'b'), 'rest');
  schedule.drop('a');
  assert.deepEqual(keysOf(schedule.take(10)), ['shared']);
  assert.equal(schedule.isWaiting('a'), false);
});

test('a settled window left in a queue is skipped', () => {
  const schedule = new Schedule();
  schedule.add(task('w', 'a'), 'rest');
  schedule.add(task('w', 'a'), 'urgent');
  assert.deepEqual(keysOf(schedule.take(1)), ['w']);
  schedule.settle('w');
  assert.deepEqual(schedule.take(1), []);
});
