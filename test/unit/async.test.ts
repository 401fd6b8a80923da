import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Timers } from '../../src/util/async';
import { CoalescedRun, debounce, Deferred, Limiter, yieldToEventLoop } from '../../src/util/async';
import { isCancelled } from '../../src/util/errors';

async function flushMicrotasks(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await Promise.resolve();
}

/** Tasks that record their start and end when told to. */
class Tasks {
  readonly started: string[] = [];
  readonly #ends = new Map<string, Deferred<string>>();

  task(name: string): () => Promise<string> {
    return () => {
      this.started.push(name);
      const end = new Deferred<string>();
      this.#ends.set(name, end);
      return end.promise;
    };
  }

  async end(name: string, error?: Error): Promise<void> {
    const end = this.#ends.get(name);
    assert.ok(end, `${name} has not started`);
    if (error) end.reject(error);
    else end.resolve(name);
    await flushMicrotasks();
  }
}

test('a limiter runs so many tasks at a time, the others in the order in which they came', async () => {
  const tasks = new Tasks();
  const limiter = new Limiter(2);
  const results = Promise.all(['a', 'b', 'c', 'd'].map(name => limiter.run(tasks.task(name))));
  await flushMicrotasks();
  assert.deepEqual(tasks.started, ['a', 'b']);
  assert.deepEqual([limiter.active, limiter.waiting], [2, 2]);
  await tasks.end('b');
  assert.deepEqual(tasks.started, ['a', 'b', 'c']);
  await tasks.end('a');
  assert.deepEqual(tasks.started, ['a', 'b', 'c', 'd']);
  await tasks.end('c');
  await tasks.end('d');
  assert.deepEqual(await results, ['a', 'b', 'c', 'd']);
  assert.deepEqual([limiter.active, limiter.waiting], [0, 0]);
});

test('a task that fails makes room like any other', async () => {
  const tasks = new Tasks();
  const limiter = new Limiter(1);
  const failing = limiter.run(tasks.task('fails'));
  const next = limiter.run(tasks.task('next'));
  const caught = assert.rejects(failing, /broken/);
  await tasks.end('fails', new Error('broken'));
  await caught;
  await tasks.end('next');
  assert.equal(await next, 'next');
  await assert.rejects(
    limiter.run(() => {
      throw new Error('at once');
    }),
    /at once/,
  );
  assert.equal(limiter.active, 0);
});

test('a waiting task that is cancelled never starts and gives its place up', async () => {
  const tasks = new Tasks();
  const limiter = new Limiter(1);
  const controller = new AbortController();
  const first = limiter.run(tasks.task('first'));
  const cancelled = limiter.run(tasks.task('cancelled'), controller.signal);
  const last = limiter.run(tasks.task('last'));
  controller.abort();
  await assert.rejects(cancelled, isCancelled);
  assert.equal(limiter.waiting, 1);
  await tasks.end('first');
  await tasks.end('last');
  await Promise.all([first, last]);
  assert.deepEqual(tasks.started, ['first', 'last']);
  await assert.rejects(limiter.run(tasks.task('late'), controller.signal), isCancelled);
});

test('a task cancelled in the moment its turn comes passes the turn on', async () => {
  const tasks = new Tasks();
  const limiter = new Limiter(1);
  const controller = new AbortController();
  const first = limiter.run(async () => {
    await Promise.resolve();
    // Runs just before the limiter hands the place over, which then happens in the same turn of the microtasks.
    queueMicrotask(() => queueMicrotask(() => controller.abort()));
  });
  const cancelled = limiter.run(tasks.task('cancelled'), controller.signal);
  const last = limiter.run(tasks.task('last'));
  const caught = assert.rejects(cancelled, isCancelled);
  await Promise.all([first, caught]);
  await flushMicrotasks();
  await tasks.end('last');
  await last;
  assert.deepEqual(tasks.started, ['last']);
  assert.equal(limiter.active, 0);
});

test('a limit that is not a positive integer is refused', () => {
  for (const limit of [0, -1, 1.5, Number.NaN]) assert.throws(() => new Limiter(limit), RangeError);
});

/** A coalesced run whose runs end when told to. */
function controlledRun(): { run: CoalescedRun; ends: Deferred<void>[] } {
  const ends: Deferred<void>[] = [];
  const run = new CoalescedRun(() => {
    const end = new Deferred<void>();
    ends.push(end);
    return end.promise;
  });
  return { run, ends };
}

test('requests during a run cause exactly one more, which begins after it', async () => {
  const { run, ends } = controlledRun();
  const first = run.request();
  await flushMicrotasks();
  const during = [run.request(), run.request(), run.request()];
  assert.equal(new Set(during).size, 1);
  await flushMicrotasks();
  assert.equal(ends.length, 1);
  ends[0]?.resolve();
  await first;
  await flushMicrotasks();
  assert.equal(ends.length, 2);
  assert.equal(run.isRunning, true);
  ends[1]?.resolve();
  await Promise.all(during);
  assert.equal(run.isRunning, false);
  void run.request();
  await flushMicrotasks();
  assert.equal(ends.length, 3);
  ends[2]?.resolve();
});

test('runs never overlap, however requests fall between them', async () => {
  let active = 0;
  let most = 0;
  let runs = 0;
  const run = new CoalescedRun(async () => {
    runs++;
    most = Math.max(most, ++active);
    await Promise.resolve();
    active--;
  });
  const requests: Promise<void>[] = [];
  for (let turn = 0; turn < 50; turn++) {
    requests.push(run.request());
    await Promise.resolve();
  }
  const before = runs;
  const last = run.request();
  await Promise.all([...requests, last]);
  assert.equal(most, 1);
  assert.ok(runs > before, 'the last request is served by a run that began after it');
  assert.equal(run.isRunning, false);
});

test('a failed run is told to those who asked for it and does not stop the trailing one', async () => {
  const { run, ends } = controlledRun();
  const first = run.request();
  await flushMicrotasks();
  const second = run.request();
  ends[0]?.reject(new Error('broken'));
  await assert.rejects(first, /broken/);
  await flushMicrotasks();
  ends[1]?.resolve();
  await second;
  assert.equal(run.isRunning, false);
});

test('a task that asks for another run of itself gets a trailing one', async () => {
  let runs = 0;
  const run: CoalescedRun = new CoalescedRun(async () => {
    if (++runs === 1) void run.request();
  });
  await run.request();
  await flushMicrotasks();
  assert.equal(runs, 2);
});

/** Timers that fire when told to. */
function manualTimers(): { timers: Timers; delays: number[]; fire: () => void } {
  const live = new Map<number, () => void>();
  const delays: number[] = [];
  const timers: Timers = {
    set: (callback, milliseconds) => {
      delays.push(milliseconds);
      live.set(delays.length, callback);
      return delays.length;
    },
    clear: handle => void live.delete(Number(handle)),
  };
  const fire = (): void => {
    const callbacks = [...live.values()];
    live.clear();
    for (const callback of callbacks) callback();
  };
  return { timers, delays, fire };
}

test('a debounced action runs once after the last request', () => {
  const { timers, delays, fire } = manualTimers();
  let runs = 0;
  const debounced = debounce(() => runs++, 250, timers);
  debounced.request();
  debounced.request();
  debounced.request();
  assert.deepEqual([runs, debounced.isPending], [0, true]);
  assert.deepEqual(delays, [250, 250, 250]);
  fire();
  assert.deepEqual([runs, debounced.isPending], [1, false]);
  debounced.request();
  fire();
  assert.equal(runs, 2);
});

test('a pending action can be run now or forgotten', () => {
  const { timers, fire } = manualTimers();
  let runs = 0;
  const debounced = debounce(() => runs++, 250, timers);
  debounced.flush();
  assert.equal(runs, 0);
  debounced.request();
  debounced.flush();
  fire();
  assert.equal(runs, 1);
  debounced.request();
  debounced.cancel();
  fire();
  assert.deepEqual([runs, debounced.isPending], [1, false]);
});

test('a disposed debouncer runs nothing any more', () => {
  const { timers, fire } = manualTimers();
  let runs = 0;
  const debounced = debounce(() => runs++, 250, timers);
  debounced.request();
  debounced.dispose();
  debounced.request();
  fire();
  debounced.flush();
  assert.equal(runs, 0);
});

test('a debounced action may ask for itself again', () => {
  const { timers, fire } = manualTimers();
  let runs = 0;
  const debounced = debounce(
    () => {
      if (++runs === 1) debounced.request();
    },
    250,
    timers,
  );
  debounced.request();
  fire();
  assert.equal(debounced.isPending, true);
  fire();
  assert.deepEqual([runs, debounced.isPending], [2, false]);
});

test('yielding lets what the event loop holds run first', async () => {
  const order: string[] = [];
  setImmediate(() => order.push('pending'));
  await yieldToEventLoop();
  order.push('after');
  assert.deepEqual(order, ['pending', 'after']);
});
