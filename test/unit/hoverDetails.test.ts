import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HoverDetails } from '../../src/extension/hoverDetails';
import type { IndexDetails } from '../../src/extension/model/statusHover';
import { Deferred } from '../../src/util/async';
import { nullLogger } from '../../src/util/logger';

const settle = (): Promise<void> => new Promise(resolve => setImmediate(resolve));

/** Details whose counting a test ends, and whose clock it moves. */
function detailsOf() {
  const counting: Deferred<readonly IndexDetails[]>[] = [];
  let waiting: (() => void) | undefined;
  let told = 0;
  const details = new HoverDetails({
    load: () => {
      const count = new Deferred<readonly IndexDetails[]>();
      counting.push(count);
      return count.promise;
    },
    onFound: () => told++,
    logger: nullLogger,
    timers: {
      set: action => (waiting = action),
      clear: () => (waiting = undefined),
    },
  });
  const pass = (): void => {
    const action = waiting;
    waiting = undefined;
    action?.();
  };
  const names = (): string[] => details.found.map(({ name }) => name);
  return { details, counting, pass, names, told: () => told };
}

const counted = (name: string): IndexDetails[] => [{ name, stats: {} as IndexDetails['stats'] }];

test('in a calm state what is counted is shown, until another state begins', async () => {
  const { details, counting, pass, names, told } = detailsOf();
  details.enter('ready');
  assert.equal(counting.length, 0, 'not before the state has lasted');
  pass();
  counting[0]?.resolve(counted('calm'));
  await settle();
  assert.deepEqual([names(), told()], [['calm'], 1]);
  details.enter('ready');
  assert.deepEqual(names(), ['calm'], 'the same state keeps them while they are counted anew');
  details.enter('indexing');
  assert.deepEqual(names(), []);
});

test('nothing is counted in the midst of a run, also when it was asked for before the run began', () => {
  const { details, counting, pass } = detailsOf();
  details.enter('ready');
  details.enter('indexing');
  pass();
  assert.equal(counting.length, 0);
});

test('what was counted before a run is not shown during it, nor after it in another state', async () => {
  const { details, counting, pass, names, told } = detailsOf();
  details.enter('ready');
  pass();
  details.enter('indexing');
  counting[0]?.resolve(counted('before'));
  await settle();
  assert.deepEqual([names(), told()], [[], 0]);
  details.enter('problems');
  pass();
  counting[1]?.resolve(counted('after'));
  await settle();
  assert.deepEqual([names(), told()], [['after'], 1]);
});

test('what cannot be counted is not shown, and what comes after the end neither', async () => {
  const { details, counting, pass, names, told } = detailsOf();
  details.enter('ready');
  pass();
  counting[0]?.reject(new Error('the search process ended'));
  await settle();
  details.enter('ready');
  pass();
  details.dispose();
  counting[1]?.resolve(counted('late'));
  await settle();
  assert.deepEqual([names(), told()], [[], 0]);
});
