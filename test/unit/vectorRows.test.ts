import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Int4Query } from '../../src/engine/vectors/int4Products';
import { cosine, dot, l2Normalize } from '../../src/engine/vectors/vectorMath';
import { VectorRows } from '../../src/engine/vectors/vectorRows';
import { asStored } from '../support/vectors';

const vectorOf = (seed: number): Float32Array =>
  l2Normalize(Float32Array.from({ length: 32 }, (_, at) => Math.sin(seed * 12.9898 + at * 78.233) + 0.1));

test('rows hold what was set last, through any setting and deleting', () => {
  const row = fc.oneof(fc.nat(5), fc.integer({ min: 1020, max: 1030 }), fc.integer({ min: 2045, max: 2050 }));
  const operation = fc.record({ row, seed: fc.option(fc.integer({ min: 1, max: 999 }), { nil: undefined }) });
  fc.assert(
    fc.property(fc.array(operation, { maxLength: 30 }), operations => {
      const rows = new VectorRows(32);
      const model = new Map<number, Float32Array>();
      for (const { row: at, seed } of operations) {
        if (seed === undefined) {
          rows.delete(at);
          model.delete(at);
        } else {
          rows.set(at, vectorOf(seed));
          model.set(at, vectorOf(seed));
        }
      }
      const query = vectorOf(1234);
      const found = rows.similarities(new Int4Query(query), new Float64Array(2049));
      assert.equal(found.length, 2049);
      for (const [at, similarity] of found.entries()) {
        const vector = model.get(at);
        assert.equal(rows.has(at), vector !== undefined);
        if (vector === undefined) {
          assert.ok(Number.isNaN(similarity) && rows.get(at) === undefined);
          continue;
        }
        assert.ok(Math.abs(similarity - cosine(asStored(vector), query)) < 1e-3);
        const got = rows.get(at) ?? new Float32Array();
        assert.ok(cosine(got, asStored(vector)) > 0.99999 && Math.abs(dot(got, got) - 1) < 1e-5);
        assert.ok(cosine(got, vector) > 0.98);
      }
    }),
    { seed: 5, numRuns: 100 },
  );
});
