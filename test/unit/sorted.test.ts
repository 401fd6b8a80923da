import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { countLeading } from '../../src/util/sorted';

test('the leading items are counted as one by one', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 20 })), fc.integer({ min: -1, max: 21 }), (values, limit) => {
      const sorted = [...values].sort((a, b) => a - b);
      assert.equal(
        countLeading(sorted, value => value < limit),
        sorted.filter(value => value < limit).length,
      );
    }),
    { seed: 6, numRuns: 500 },
  );
});
