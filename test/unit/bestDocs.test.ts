import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { bestDocs } from '../../src/engine/search/bestDocs';

test('the best documents are the first of all in order, ties by number', () => {
  const score = fc.constantFrom(NaN, -1, 0, 0.25, 0.5, 0.5, 0.75, 1, 2);
  fc.assert(
    fc.property(fc.array(score, { maxLength: 60 }), fc.nat(70), (list, count) => {
      const scores = Float64Array.from(list);
      const sorted = [...scores.keys()]
        .filter(doc => (scores[doc] ?? 0) > 0)
        .sort((a, b) => (scores[b] ?? 0) - (scores[a] ?? 0) || a - b);
      assert.deepEqual(bestDocs(scores, count), sorted.slice(0, count));
    }),
    { seed: 7, numRuns: 1000 },
  );
});

test('a factor counts before any document is chosen', () => {
  const score = fc.constantFrom(NaN, 0, 0.25, 0.5, 1, 2);
  const factor = fc.constantFrom(0, 0.25, 0.5, 1);
  fc.assert(
    fc.property(fc.array(fc.tuple(score, factor), { maxLength: 60 }), fc.nat(70), (list, count) => {
      const scores = Float64Array.from(list, ([own]) => own);
      const multiplied = Float64Array.from(list, ([own, by]) => own * by);
      const found = bestDocs(scores, count, doc => list[doc]?.[1] ?? 1);
      assert.deepEqual(found, bestDocs(multiplied, count));
    }),
    { seed: 8, numRuns: 1000 },
  );
});
