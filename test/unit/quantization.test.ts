import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { LandmarkError } from '../../src/util/errors';
import {
  unpackAt,
  meanOfLandmarks,
  packedBytes,
  quantizeInto,
  quantizeWindow,
  unitScales,
} from '../../src/engine/vectors/quantization';
import { Int4Query } from '../../src/engine/vectors/int4Products';
import { cosine, dot, l2Normalize } from '../../src/engine/vectors/vectorMath';
import { asStored } from '../support/vectors';

const isInternal = (error: unknown) => error instanceof LandmarkError && error.reason === 'internal';

test('numbers that are steps of one size come back as they were, two in a byte', () => {
  const packed = new Uint8Array(4);
  const scale = quantizeInto(Float32Array.of(0.7, -0.5, 0, 0.1, -0.3), packed, 1);
  assert.ok(Math.abs(scale - 0.1) < 1e-7);
  // Each level plus 8, the first in the lower half; the half that is left over is zero.
  assert.deepEqual([...packed], [0, 0x3f, 0x98, 0x85]);
  assert.deepEqual([...unpackAt(packed, 1, 5)], [7, -5, 0, 1, -3]);
});

test('a vector of zeros has a scale that says it is there', () => {
  const packed = Uint8Array.of(9);
  assert.equal(quantizeInto(new Float32Array(2), packed, 0), 1);
  assert.deepEqual([...packed], [0x88]);
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
  const record = quantizeWindow(Float32Array.of(3, 7, 100, 0, -2, 300), 3, 2);
  assert.deepEqual([...record.landmarks], [0xfb, 0x18]);
  near(record.scales, [1, 2 / 7]);
  near(meanOfLandmarks(record), [1.5, 2.5]);
  near(unitScales(record), [1 / Math.hypot(3, 7), 1 / 7]);
});

test('a landmark of zeros is there, and near nothing', () => {
  const record = quantizeWindow(Float32Array.of(0, 0, 1, 0), 2, 2);
  near(unitScales(record), [1, 1 / 7]);
  near(meanOfLandmarks(record), [0.5, 0]);
});

const value = fc.double({ min: -1, max: 1, noNaN: true });
const numbers = (count: number) =>
  fc.array(value, { minLength: count, maxLength: count }).filter(row => row.some(x => Math.abs(x) > 0.01));

test('what is read back points where the vector did, whatever its size', () => {
  fc.assert(
    fc.property(numbers(96), fc.constantFrom(1e-6, 1, 1e4), (row, size) => {
      const vector = Float32Array.from(row, x => x * size);
      const record = quantizeWindow(vector, 96, 32);
      const front = l2Normalize(vector.subarray(0, 32));
      if (front.every(x => x === 0)) return;
      const kept = l2Normalize(meanOfLandmarks(record));
      assert.ok(cosine(kept, front) > 0.97);
      const query = l2Normalize(Float32Array.from({ length: 32 }, (_, at) => Math.sin(at + 1)));
      const product = new Float64Array(1);
      new Int4Query(query).products(record.landmarks, 0, 1, product);
      const got = (product[0] ?? 0) * (unitScales(record)[0] ?? 0);
      assert.ok(Math.abs(got - dot(kept, query)) < 1e-3);
    }),
    { seed: 3, numRuns: 300 },
  );
});

test('no other scale that is near by much fits a vector better, and a few large numbers do not make the rest coarse', () => {
  const error = (vector: Float32Array, scale: number): number =>
    vector.reduce((sum, x) => sum + (x - scale * Math.max(-7, Math.min(7, Math.round(x / scale)))) ** 2, 0);
  fc.assert(
    fc.property(numbers(64), fc.array(fc.nat(63), { maxLength: 2 }), (row, large) => {
      for (const at of large) row[at] = (row[at] ?? 0) * 8;
      const vector = Float32Array.from(row);
      const scale = quantizeInto(vector, new Uint8Array(packedBytes(64)), 0);
      const largest = vector.reduce((most, x) => Math.max(most, Math.abs(x)), 0);
      const length = dot(vector, vector);
      // Against steps that reach to the largest number.
      assert.ok(error(vector, scale) <= error(vector, largest / 7) + 0.01 * length);
    }),
    { seed: 4, numRuns: 300 },
  );
});

test('what was read back and is stored again is the same but for a little', () => {
  fc.assert(
    fc.property(numbers(64), row => {
      const once = asStored(Float32Array.from(row));
      assert.ok(cosine(asStored(once), once) > 0.99);
    }),
    { seed: 5, numRuns: 300 },
  );
});
