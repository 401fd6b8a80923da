import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { mock, test } from 'node:test';
import { Deferred } from '../../src/util/async';
import { anySignal, delay, raceAbort, withinTime } from '../../src/util/cancellation';
import { cancelledError, isCancelled, throwIfAborted } from '../../src/util/errors';

const listeners = (signal: AbortSignal): number => getEventListeners(signal, 'abort').length;

test('a race gives what the promise gives and leaves no listener behind', async () => {
  const { signal } = new AbortController();
  const work = new Deferred<number>();
  const race = raceAbort(work.promise, signal);
  assert.equal(listeners(signal), 1);
  work.resolve(7);
  assert.equal(await race, 7);
  await Promise.resolve();
  assert.equal(listeners(signal), 0);
  await assert.rejects(raceAbort(Promise.reject(new Error('broken')), signal), /broken/);
  assert.equal(await raceAbort(Promise.resolve(8), undefined), 8);
});

test('a race ends with the cancellation error while the work goes on, and its later failure harms nobody', async () => {
  const controller = new AbortController();
  const work = new Deferred<number>();
  const race = raceAbort(work.promise, controller.signal);
  controller.abort();
  await assert.rejects(race, isCancelled);
  work.reject(new Error('too late'));
  await assert.rejects(raceAbort(Promise.reject(new Error('never seen')), controller.signal), isCancelled);
});

test('a linked signal is aborted with the reason of the first that is', () => {
  const [one, two] = [new AbortController(), new AbortController()];
  const linked = anySignal(one.signal, undefined, two.signal);
  assert.equal(linked.signal.aborted, false);
  two.abort('two gave up');
  one.abort('one gave up');
  assert.equal(linked.signal.aborted, true);
  assert.equal(linked.signal.reason, 'two gave up');
  assert.equal(listeners(one.signal) + listeners(two.signal), 0);
});

test('a linked signal is aborted from the start when one already is', () => {
  const live = new AbortController();
  assert.equal(anySignal(live.signal, AbortSignal.abort('gone')).signal.reason, 'gone');
  assert.equal(listeners(live.signal), 0);
  assert.equal(anySignal().signal.aborted, false);
});

test('a disposed linked signal follows no longer', () => {
  const source = new AbortController();
  const linked = anySignal(source.signal);
  assert.equal(listeners(source.signal), 1);
  linked.dispose();
  assert.equal(listeners(source.signal), 0);
  source.abort();
  assert.equal(linked.signal.aborted, false);
});

test('a delay lasts as long as it says', async () => {
  mock.timers.enable({ apis: ['setTimeout'] });
  try {
    let over = false;
    const waiting = delay(1000).then(() => {
      over = true;
    });
    mock.timers.tick(999);
    await flushMicrotasks();
    assert.equal(over, false);
    mock.timers.tick(1);
    await waiting;
    assert.equal(over, true);
  } finally {
    mock.timers.reset();
  }
});

test('a delay ends early when it is cancelled and leaves no timer behind', async () => {
  const controller = new AbortController();
  const waiting = delay(5000, controller.signal);
  controller.abort();
  await assert.rejects(waiting, isCancelled);
  assert.equal(process.getActiveResourcesInfo().includes('Timeout'), false);
  await assert.rejects(delay(5000, controller.signal), isCancelled);
});

async function flushMicrotasks(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await Promise.resolve();
}

test('work within its time gives its result; work beyond it is aborted, and only then gives nothing', async () => {
  const endless = async (signal: AbortSignal): Promise<never> => {
    for (;;) {
      await new Promise(resolve => setImmediate(resolve));
      throwIfAborted(signal);
    }
  };
  const outer = new AbortController();
  assert.equal(await withinTime(60_000, outer.signal, () => Promise.resolve(3)), 3);
  assert.equal(await withinTime(5, outer.signal, endless), undefined);
  assert.equal(listeners(outer.signal), 0);
  await assert.rejects(
    withinTime(60_000, outer.signal, () => Promise.reject(cancelledError())),
    isCancelled,
  );
  await assert.rejects(
    withinTime(60_000, outer.signal, () => Promise.reject(new Error('broken'))),
    /broken/,
  );
  const aborted = withinTime(60_000, outer.signal, endless);
  outer.abort();
  await assert.rejects(aborted, isCancelled);
});
