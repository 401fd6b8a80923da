import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  armShares,
  fuse,
  median,
  normaliseByBest,
  normaliseSimilarities,
  PARTS_OF_ARM,
  similarityFloor,
  weightOfKnown,
  WEIGHTS,
} from '../../src/engine/search/fusion';
import { meanOfBest } from '../../src/engine/search/meanOfBest';
import { ARM_NAMES } from '../../src/engine/types';

const of = (...values: number[]) => Float64Array.from(values);

test('lexical scores are divided by the best one; nothing found stays nothing', () => {
  assert.deepEqual(normaliseByBest(of(2, 0, 4)), of(0.5, 0, 1));
  assert.deepEqual(normaliseByBest(of(0, 0)), of(0, 0));
});

test('cosines count from their floor up, and what was not looked at counts nothing', () => {
  assert.deepEqual(normaliseSimilarities(of(0.2, 0.4, 0.8), 0.4), of(0, 0, 1));
  assert.deepEqual(normaliseSimilarities(of(0.2, NaN, 0.6, 0.3), 0.2), of(0, 0, 1, (0.3 - 0.2) / (0.6 - 0.2)));
  assert.deepEqual(normaliseSimilarities(of(0.1), 0.1), of(0));
});

test('the floor is the median of many documents; of few it is no more than a usual one', () => {
  assert.equal(similarityFloor(Float64Array.from({ length: 9 }, (_, at) => at / 10)), 0.4);
  assert.equal(similarityFloor(of(0.5, NaN)), 0.15);
  assert.equal(similarityFloor(of(0.1, 0.02, 0.05)), 0.05);
  assert.deepEqual(normaliseSimilarities(of(0.5)), of(1), 'the only document there is may be an answer');
});

test('similarities of few documents count little, of nearly all in full', () => {
  const ofTen = (known: number) => Float64Array.from({ length: 10 }, (_, at) => (at < known ? 0.3 : NaN));
  assert.deepEqual(
    [0, 3, 9, 10].map(known => weightOfKnown(ofTen(known))),
    [0, 3 / 9, 1, 1],
  );
  assert.equal(weightOfKnown(of()), 0);
});

test('the median ignores what was not looked at', () => {
  assert.equal(median(of(3, NaN, 1, 2)), 2);
  assert.equal(median(of(4, 1)), 2.5);
  assert.equal(median(of(NaN)), 0);
});

test('the fused score is the weighted sum of the parts', () => {
  const parts = new Map([
    ['body', of(1, 0.5)],
    ['base', of(0, 1)],
  ] as const);
  assert.deepEqual(fuse(parts, of(0, 0)), of(WEIGHTS.body, 0.5 * WEIGHTS.body + WEIGHTS.base));
});

test('an arm of several parts reports their weighted mean, an arm that was not asked reports nothing', () => {
  const parts = new Map([
    ['body', of(1)],
    ['base', of(0)],
    ['landmark', of(0.25)],
  ] as const);
  assert.deepEqual(armShares(parts, 0), { lexical: WEIGHTS.body / (WEIGHTS.body + WEIGHTS.base), landmark: 0.25 });
});

test('every weighted part belongs to exactly one arm', () => {
  const parts = ARM_NAMES.flatMap(arm => PARTS_OF_ARM[arm]);
  assert.deepEqual([...parts].sort(), Object.keys(WEIGHTS).sort());
});

test('a file is as near as its five best landmarks on average', () => {
  assert.ok(Math.abs(meanOfBest(Float32Array.of(0.5, NaN, 0.25)) - 0.375) < 1e-6);
  assert.ok(Number.isNaN(meanOfBest(Float32Array.of(NaN))) && Number.isNaN(meanOfBest(new Float32Array())));
  const some = fc.array(fc.oneof(fc.float({ min: -1, max: 1, noNaN: true }), fc.constant(NaN)), { maxLength: 20 });
  fc.assert(
    fc.property(some, values => {
      const best = values
        .filter(value => !Number.isNaN(value))
        .sort((a, b) => b - a)
        .slice(0, 5);
      const expected = best.reduce((sum, value) => sum + value, 0) / best.length;
      const actual = meanOfBest(Float32Array.from(values));
      assert.ok(best.length === 0 ? Number.isNaN(actual) : Math.abs(actual - expected) < 1e-6);
    }),
    { seed: 4, numRuns: 500 },
  );
});
