import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RegularLook } from '../../src/extension/regularLook';
import { Deferred } from '../../src/util/async';
import { toDisposable } from '../../src/util/lifecycle';

const MINUTE = 60_000;

/** A window whose time passes as the test says. */
function openWindow() {
  const at = { now: 0, focused: true, looks: 0, took: 100, ask: () => {}, focus: () => {}, stopped: 0 };
  let held: Deferred<void> | undefined;
  const stop = () => toDisposable(() => void at.stopped++);
  const look = new RegularLook({
    look: async () => {
      at.looks++;
      await held?.promise;
      at.now += at.took;
    },
    isFocused: () => at.focused,
    onFocus: listener => {
      at.focus = listener;
      return stop();
    },
    now: () => at.now,
    every: callback => {
      at.ask = callback;
      return stop();
    },
  });
  const settle = (): Promise<void> => new Promise(resolve => setImmediate(resolve));
  /** Lets minutes pass, asking at each as the timer would. */
  const pass = async (minutes: number): Promise<number> => {
    for (let minute = 0; minute < minutes; minute++) {
      at.now += MINUTE;
      at.ask();
      await settle();
    }
    return at.looks;
  };
  const comeToFront = async (): Promise<number> => {
    at.focused = true;
    at.focus();
    await settle();
    return at.looks;
  };
  const hold = (): Deferred<void> => (held = new Deferred());
  return { at, look, pass, comeToFront, hold, settle };
}

test('the whole workspace is looked at every quarter of an hour, as long as the window is in front', async () => {
  const { at, pass } = openWindow();
  assert.equal(await pass(14), 0);
  assert.equal(await pass(1), 1);
  assert.equal(await pass(14), 1);
  assert.equal(await pass(1), 2);
  at.focused = false;
  assert.equal(await pass(600), 2);
});

test('a window that comes to the front looks at once, unless it did so a moment ago', async () => {
  const { at, pass, comeToFront } = openWindow();
  assert.equal(await comeToFront(), 0);
  at.focused = false;
  await pass(3);
  assert.equal(await comeToFront(), 1);
  for (let time = 0; time < 100; time++) assert.equal(await comeToFront(), 1);
  at.focused = false;
  await pass(1);
  assert.equal(await comeToFront(), 1);
  at.focused = false;
  await pass(1);
  assert.equal(await comeToFront(), 2);
});

test('a window that came to the front too early for a look has one as soon as it is due, and no more', async () => {
  const { at, pass, comeToFront } = openWindow();
  assert.equal(await pass(1), 0);
  assert.equal(await comeToFront(), 0);
  assert.equal(await pass(1), 1);
  assert.equal(await pass(14), 1);
  at.focused = false;
  assert.equal(await comeToFront(), 2);
  assert.equal(await comeToFront(), 2);
  at.focused = false;
  assert.equal(await pass(10), 2);
});

test('long looks are rare: they take two hundredths of the time at most, and there is one at a time', async () => {
  const { at, pass, comeToFront, hold, settle } = openWindow();
  at.took = 2 * MINUTE;
  assert.equal(await pass(15), 1);
  assert.equal(await pass(99), 1);
  assert.equal(await comeToFront(), 1);
  const looking = hold();
  assert.equal(await pass(1), 2);
  assert.equal(await pass(1000), 2);
  looking.resolve();
  await settle();
  assert.equal(await pass(1), 2);
});

test('a look that fails is no reason to look again at once, and nothing is asked of a window that is closed', async () => {
  const { at, look, pass, hold, settle } = openWindow();
  const looking = hold();
  await pass(15);
  looking.reject(new Error('the engine has ended'));
  await settle();
  assert.equal(await pass(14), 1);
  assert.equal(await pass(1), 2);
  look.dispose();
  assert.equal(at.stopped, 2);
});
