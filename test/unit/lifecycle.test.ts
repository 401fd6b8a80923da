import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DisposableStore, toDisposable } from '../../src/util/lifecycle';

function recorder(): { log: string[]; part: (name: string) => { dispose(): void } } {
  const log: string[] = [];
  return { log, part: name => ({ dispose: () => void log.push(name) }) };
}

test('a store disposes what it owns once, last in first out', () => {
  const { log, part } = recorder();
  const store = new DisposableStore();
  const first = part('first');
  assert.equal(store.add(first), first);
  store.add(part('second'));
  assert.deepEqual(log, []);
  store.dispose();
  store.dispose();
  assert.deepEqual(log, ['second', 'first']);
  assert.equal(store.isDisposed, true);
});

test('what is added to a disposed store is disposed at once', () => {
  const { log, part } = recorder();
  const store = new DisposableStore();
  store.dispose();
  store.add(part('late'));
  assert.deepEqual(log, ['late']);
});

test('what an item adds while the store is being disposed is disposed too', () => {
  const { log, part } = recorder();
  const store = new DisposableStore();
  store.add(toDisposable(() => store.add(part('late'))));
  store.dispose();
  assert.deepEqual(log, ['late']);
});

test('an item deleted early is disposed then and not again', () => {
  const { log, part } = recorder();
  const store = new DisposableStore();
  const item = store.add(part('item'));
  store.delete(item);
  store.delete(item);
  store.dispose();
  assert.deepEqual(log, ['item']);
});

test('an item that throws does not keep the others from being disposed', () => {
  const { log, part } = recorder();
  const failing = (message: string): { dispose(): void } =>
    toDisposable(() => {
      throw new Error(message);
    });
  const one = new DisposableStore();
  one.add(part('before'));
  one.add(failing('only'));
  assert.throws(() => one.dispose(), /only/);
  assert.deepEqual(log, ['before']);

  const two = new DisposableStore();
  two.add(failing('first'));
  two.add(failing('second'));
  assert.throws(
    () => two.dispose(),
    (error: unknown) => error instanceof AggregateError && error.errors.length === 2,
  );
});

test('a clean-up runs once, even if it throws', () => {
  let runs = 0;
  const disposable = toDisposable(() => {
    runs++;
    throw new Error('broken');
  });
  assert.throws(() => disposable.dispose(), /broken/);
  disposable.dispose();
  assert.equal(runs, 1);
});
