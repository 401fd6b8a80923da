import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { LandmarkError } from '../../src/util/errors';
import { meanOfLandmarks, quantizeInto, quantizeWindow, unitScales } from '../../src/engine/vectors/quantization';
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

const near = (got: Float32Array, expected: readonly number[]): void => {
  assert.equal(got.length, expected.length);
  for (const [at, value] of expected.entries())
    assert.ok(Math.abs((got[at] ?? NaN) - value) < 1e-6, `${got.join(', ')}`);
};

test('a window keeps the front of each landmark at its own size, which gives their mean and their directions', () => {
  const record = quantizeWindow(Float32Array.of(3, 4, 100, 0, -2, 300), 3, 2);
  assert.deepEqual([...record.landmarks], [95, 127, 0, -127]);
  near(record.scales, [4 / 127, 2 / 127]);
  // ((95 × 4 + 0) / 127 / 2, (127 × 4 - 127 × 2) / 127 / 2)
  near(meanOfLandmarks(record), [190 / 127, 1]);
  near(unitScales(record), [1 / Math.hypot(95, 127), 1 / 127]);
});

test('a landmark of zeros is there, and near nothing', () => {
  const record = quantizeWindow(Float32Array.of(0, 0, 1, 0), 2, 2);
  near(unitScales(record), [1, 1 / 127]);
  near(meanOfLandmarks(record), [0.5, 0]);
});

test('what is read back points where the vector did, whatever its size', () => {
  const value = fc.double({ min: -1, max: 1, noNaN: true });
  const rows = fc.array(value, { minLength: 96, maxLength: 96 }).filter(row => row.some(x => Math.abs(x) > 0.01));
  fc.assert(
    fc.property(rows, fc.constantFrom(1e-6, 1, 1e4), (row, size) => {
      const vector = Float32Array.from(row, x => x * size);
      const record = quantizeWindow(vector, 96, 32);
      const front = l2Normalize(vector.subarray(0, 32));
      assert.ok(cosine(meanOfLandmarks(record), front) > 0.995);
      const query = l2Normalize(Float32Array.from({ length: 32 }, (_, at) => Math.sin(at + 1)));
      const product = new Float64Array(1);
      new Int8Query(query).products(record.landmarks, 0, 1, product);
      const got = (product[0] ?? 0) * (unitScales(record)[0] ?? 0);
      assert.ok(Math.abs(got - dot(front, query)) < 0.03);
    }),
    { seed: 3, numRuns: 300 },
  );
});
