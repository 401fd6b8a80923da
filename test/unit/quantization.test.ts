import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { LandmarkError } from '../../src/util/errors';
import { dequantizeMean, quantizeInto, quantizeWindow } from '../../src/engine/vectors/quantization';
import { Int8Query } from '../../src/engine/vectors/int8Products';
import { cosine, dot, l2Normalize } from '../../src/engine/vectors/vectorMath';

const isInternal = (error: unknown) => error instanceof LandmarkError && error.reason === 'internal';

test('the largest value becomes 127 and the rest follow in proportion', () => {
  const values = new Int8Array(5);
  const scale = quantizeInto(Float32Array.of(0.5, -1.27, 0), values, 1);
  assert.deepEqual([...values], [0, 50, -127, 0, 0]);
  assert.ok(Math.abs(scale - 0.01) < 1e-9);
});

test('a vector of zeros has a scale that says it is there', () => {
  const values = Int8Array.of(9, 9);
  assert.equal(quantizeInto(new Float32Array(2), values, 0), 1);
  assert.deepEqual([...values], [0, 0]);
});

test('a vector with NaN or infinity is refused', () => {
  for (const bad of [NaN, Infinity, -Infinity]) {
    assert.throws(() => quantizeWindow(Float32Array.of(1, bad), 2, 2), isInternal);
  }
});

test('rows that are no whole number of vectors are refused', () => {
  assert.throws(() => quantizeWindow(new Float32Array(5), 2, 2), isInternal);
  assert.throws(() => quantizeWindow(new Float32Array(0), 2, 2), isInternal);
});

test('a window keeps the mean of its whole rows and the normalised front of each', () => {
  const record = quantizeWindow(Float32Array.of(3, 4, 100, 0, -2, 300), 3, 2);
  assert.deepEqual([...record.mean], [1, 1, 127]);
  assert.ok(Math.abs(record.meanScale - 200 / 127) < 1e-6);
  // (0.6, 0.8) and (0, -1)
  assert.deepEqual([...record.landmarks], [95, 127, 0, -127]);
  assert.ok(Math.abs((record.scales[0] ?? 0) - 0.8 / 127) < 1e-8);
  assert.ok(Math.abs((record.scales[1] ?? 0) - 1 / 127) < 1e-8);
});

test('what is read back points where the vector did, whatever its size', () => {
  const value = fc.double({ min: -1, max: 1, noNaN: true });
  const rows = fc.array(value, { minLength: 96, maxLength: 96 }).filter(row => row.some(x => Math.abs(x) > 0.01));
  fc.assert(
    fc.property(rows, fc.constantFrom(1e-6, 1, 1e4), (row, size) => {
      const vector = Float32Array.from(row, x => x * size);
      const record = quantizeWindow(vector, 96, 32);
      assert.ok(cosine(dequantizeMean(record), vector) > 0.995);
      const front = l2Normalize(vector.subarray(0, 32));
      const query = l2Normalize(Float32Array.from({ length: 32 }, (_, at) => Math.sin(at + 1)));
      const product = new Float64Array(1);
      new Int8Query(query).products(record.landmarks, 0, 1, product);
      const got = (product[0] ?? 0) * (record.scales[0] ?? 0);
      assert.ok(Math.abs(got - dot(front, query)) < 0.03);
    }),
    { seed: 3, numRuns: 300 },
  );
});
