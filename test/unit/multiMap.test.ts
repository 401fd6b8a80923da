import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { MultiMap } from '../../src/util/multiMap';

test('a key has the values that were added and not deleted, in their order', () => {
  const change = fc.record({ key: fc.nat(3), value: fc.nat(3), add: fc.boolean() });
  fc.assert(
    fc.property(fc.array(change, { maxLength: 30 }), changes => {
      const map = new MultiMap<number, number>();
      const model = new Map<number, Set<number>>();
      for (const { key, value, add } of changes) {
        const values = model.get(key) ?? new Set<number>();
        if (add) map.add(key, value);
        else map.delete(key, value);
        if (add) values.add(value);
        else values.delete(value);
        if (values.size > 0) model.set(key, values);
        else model.delete(key);
      }
      assert.deepEqual(new Set(map.keys()), new Set(model.keys()));
      for (let key = 0; key <= 3; key++) {
        assert.deepEqual([...map.get(key)], [...(model.get(key) ?? [])]);
        assert.equal(map.has(key), model.has(key));
      }
    }),
    { seed: 4, numRuns: 500 },
  );
});
