import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EmbedLoop, type EmbedLoopParts } from '../../src/engine/indexing/embedLoop';
import type { WindowTask } from '../../src/engine/indexing/schedule';
import type { Embedder } from '../../src/engine/model/embedder';
import { LandmarkError } from '../../src/util/errors';
import { nullLogger } from '../../src/util/logger';

const tasksOf = (owner: string, count: number): WindowTask[] =>
  Array.from({ length: count }, (_, ordinal) => ({ key: `${owner}#${ordinal}`, owner, ordinal }));
const rest = () => 'rest' as const;

/** A loop over a fake embedder; window `ordinal` of any owner has the ids `[ordinal + 1]`. */
function setUp(embed: Embedder['embed'] = windows => Promise.resolve(windows.map(() => new Float32Array(2)))) {
  const stored: string[] = [];
  const failed: [string, string][] = [];
  let calls = 0;
  const parts: EmbedLoopParts = {
    embedder: () =>
      Promise.resolve({
        dimensions: 2,
        embed: (windows, signal) => {
          calls++;
          return embed(windows, signal);
        },
        close: () => Promise.resolve(),
      }),
    windowsOf: owner =>
      Promise.resolve(owner === 'gone' ? undefined : Array.from({ length: 500 }, (_, at) => Int32Array.of(at + 1))),
    toRecord: () => ({ landmarks: new Uint8Array(), scales: new Float32Array() }),
    store: records => {
      stored.push(...records.keys());
      return Promise.resolve();
    },
    onStored: () => {},
    onFailed: (owner, reason) => failed.push([owner, reason]),
    logger: nullLogger,
  };
  return { loop: new EmbedLoop(parts), stored, failed, calls: () => calls };
}

test('everything added is stored exactly once', async () => {
  const { loop, stored, calls } = setUp();
  loop.add(tasksOf('a', 300), rest);
  loop.add(tasksOf('a', 300), rest);
  await loop.whenDone(['a']);
  assert.equal(stored.length, 300);
  assert.equal(new Set(stored).size, 300);
  assert.equal(loop.outstanding, 0);
  assert.ok(calls() < 20, 'windows share calls');
  await loop.close();
});

test('what is added the moment that the last was done is waited for too', async () => {
  const { loop, stored } = setUp();
  for (let round = 0; round < 20; round++) {
    // At every moment of the loop's ending.
    for (let turn = 0; turn < round; turn++) await Promise.resolve();
    loop.add(tasksOf(`owner${round}`, 2), rest);
    await loop.whenDone([`owner${round}`]);
    assert.equal(loop.isWaiting(`owner${round}`), false, `round ${round}`);
  }
  assert.equal(stored.length, 40);
  await loop.close();
});

test('a saved file waits for one step at most', async () => {
  let added = false;
  const { loop, stored } = setUp(windows => {
    if (!added) {
      added = true;
      loop.add(tasksOf('saved', 1), () => 'urgent');
    }
    return Promise.resolve(windows.map(() => new Float32Array(2)));
  });
  loop.add(tasksOf('big', 400), rest);
  await loop.whenDone(['saved', 'big']);
  assert.ok(stored.indexOf('saved#0') <= 64, `stored at position ${stored.indexOf('saved#0')}`);
  assert.equal(stored.length, 401);
  await loop.close();
});

test('paused work waits, resumed work is finished', async () => {
  const { loop, stored } = setUp();
  loop.setPaused(true);
  loop.add(tasksOf('a', 3), rest);
  await loop.whenDone(['a']);
  assert.deepEqual(stored, []);
  assert.equal(loop.outstanding, 3);
  loop.setPaused(false);
  await loop.whenDone(['a']);
  assert.equal(stored.length, 3);
  await loop.close();
});

test('the window that ends the runtime fails alone; the others are stored', async () => {
  const { loop, stored, failed } = setUp(windows => {
    if (windows.some(ids => ids[0] === 7)) return Promise.reject(new LandmarkError('engine-died', 'It ended.'));
    return Promise.resolve(windows.map(() => new Float32Array(2)));
  });
  loop.add(tasksOf('a', 5), rest);
  loop.add(tasksOf('bad', 10).slice(6, 7), rest);
  await loop.whenDone(['a', 'bad']);
  assert.deepEqual(failed, [['bad', 'It ended.']]);
  assert.deepEqual([...stored].sort(), ['a#0', 'a#1', 'a#2', 'a#3', 'a#4']);
  await loop.close();
});

test('a runtime that cannot run is reported, waits are released, and the next addition tries again', async () => {
  let works = false;
  const { loop, stored } = setUp(windows =>
    works
      ? Promise.resolve(windows.map(() => new Float32Array(2)))
      : Promise.reject(new LandmarkError('runtime-unavailable', 'No runtime here.')),
  );
  loop.add(tasksOf('a', 2), rest);
  await loop.whenDone(['a']);
  assert.equal(loop.failure?.reason, 'runtime-unavailable');
  assert.equal(loop.outstanding, 2);
  works = true;
  loop.add(tasksOf('b', 1), rest);
  await loop.whenDone(['a', 'b']);
  assert.equal(loop.failure, undefined);
  assert.equal(stored.length, 3);
  await loop.close();
});

test('an owner whose content is gone is dropped', async () => {
  const { loop, stored } = setUp();
  loop.add(tasksOf('gone', 2), rest);
  await loop.whenDone(['gone']);
  assert.deepEqual(stored, []);
  assert.equal(loop.isWaiting('gone'), false);
  await loop.close();
});
