import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  armShares,
  fuse,
  median,
  normaliseByBest,
  normaliseSimilarities,
  PARTS_OF_ARM,
  WEIGHTS,
} from '../../src/engine/search/fusion';
import { ARM_NAMES } from '../../src/engine/types';

const of = (...values: number[]) => Float64Array.from(values);

test('lexical scores are divided by the best one; nothing found stays nothing', () => {
  assert.deepEqual(normaliseByBest(of(2, 0, 4)), of(0.5, 0, 1));
  assert.deepEqual(normaliseByBest(of(0, 0)), of(0, 0));
});

test('cosines count from their median up, and what was not looked at counts nothing', () => {
  assert.deepEqual(normaliseSimilarities(of(0.2, 0.4, 0.8)), of(0, 0, 1));
  assert.deepEqual(normaliseSimilarities(of(0.2, NaN, 0.6, 0.3), 0.2), of(0, 0, 1, (0.3 - 0.2) / (0.6 - 0.2)));
  assert.deepEqual(normaliseSimilarities(of(0.5)), of(0));
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
  assert.deepEqual(fuse(parts, 2), of(WEIGHTS.body, 0.5 * WEIGHTS.body + WEIGHTS.base));
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
