import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { WindowHolders } from '../../src/engine/search/windowHolders';

const keyOf = (window: number): Uint8Array => new Uint8Array(32).fill(window + 1);

test('a window has the contents that were added and not deleted, in their order, and is gone with the last of them', () => {
  const change = fc.record({ window: fc.nat(3), content: fc.nat(3), add: fc.boolean() });
  fc.assert(
    fc.property(fc.array(change, { maxLength: 40 }), changes => {
      const holders = new WindowHolders();
      const model = new Map<number, Set<number>>();
      for (const { window, content, add } of changes) {
        const contents = model.get(window) ?? new Set<number>();
        if (add) contents.add(content);
        else contents.delete(content);
        if (contents.size > 0) model.set(window, contents);
        else model.delete(window);
        if (add) holders.add(keyOf(window), content);
        else assert.equal(holders.delete(keyOf(window), content), contents.size === 0);
      }
      assert.deepEqual(new Set([...holders.keys()].map(key => (key[0] ?? 0) - 1)), new Set(model.keys()));
      for (let window = 0; window <= 3; window++) {
        assert.deepEqual(holders.contentsOf(keyOf(window)), [...(model.get(window) ?? [])]);
        assert.equal(holders.has(keyOf(window)), model.has(window));
      }
    }),
    { seed: 6, numRuns: 500 },
  );
});
