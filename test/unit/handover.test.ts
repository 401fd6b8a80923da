import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readOrders } from '../../src/engine/indexing/handover';

test('paths belong to the order whose mark follows them', () => {
  assert.deepEqual(readOrders(['a.ts', 'b/c.ts', '//update one', '//sync two', 'd.ts', '//update three']), [
    { ticket: 'one', order: { kind: 'update', paths: ['a.ts', 'b/c.ts'] } },
    { ticket: 'two', order: { kind: 'sync', rebuild: false } },
    { ticket: 'three', order: { kind: 'update', paths: ['d.ts'] } },
  ]);
});

test('rebuilding and clearing are orders of their own; a mark of an unknown version asks for a look at everything', () => {
  assert.deepEqual(readOrders(['//rebuild one', '//clear two', '//polish three']), [
    { ticket: 'one', order: { kind: 'sync', rebuild: true } },
    { ticket: 'two', order: { kind: 'clear' } },
    { ticket: 'three', order: { kind: 'sync', rebuild: false } },
  ]);
});

test('paths without a mark are of an order that was not handed over whole', () => {
  assert.deepEqual(readOrders(['a.ts']), []);
  assert.deepEqual(readOrders([]), []);
});
