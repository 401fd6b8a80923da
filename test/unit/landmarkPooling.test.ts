import assert from 'node:assert/strict';
import { test } from 'node:test';
import { meanOfRows, poolLandmarks, poolWindows } from '../../src/engine/model/landmarkPooling';
import { cosine, dot, l2Normalize } from '../../src/engine/vectors/vectorMath';

const near = (got: Float32Array, expected: readonly number[]) => {
  assert.equal(got.length, expected.length);
  for (const [at, value] of expected.entries())
    assert.ok(Math.abs((got[at] ?? NaN) - value) < 1e-6, `[${got.join()}] for [${expected.join()}]`);
};

test('a text of one window is the normalised mean of its landmarks', () => {
  const rows = Float32Array.of(1, 0, 5, 8);
  near(meanOfRows(rows, 2), [3, 4]);
  near(poolLandmarks(rows, 2), [0.6, 0.8]);
});

test('a text of several windows is the mean over all their landmarks, not over windows', () => {
  const first = Float32Array.of(1, 0, 3, 0, 5, 0);
  const second = Float32Array.of(0, 12);
  const windows = [
    { mean: meanOfRows(first, 2), landmarks: 3 },
    { mean: meanOfRows(second, 2), landmarks: 1 },
  ];
  near(poolWindows(windows, 2), [9 / 15, 12 / 15]);
  near(poolWindows(windows, 2), [...poolLandmarks(Float32Array.of(...first, ...second), 2)]);
});

test('zeros stay zeros and never become NaN', () => {
  near(poolLandmarks(new Float32Array(4), 2), [0, 0]);
  near(l2Normalize(new Float32Array(3)), [0, 0, 0]);
  assert.equal(cosine(new Float32Array(2), Float32Array.of(1, 2)), 0);
});

test('normalising makes a new vector of length one', () => {
  const vector = Float32Array.of(3, 4);
  near(l2Normalize(vector), [0.6, 0.8]);
  near(vector, [3, 4]);
});

test('the cosine does not depend on lengths', () => {
  assert.equal(dot(Float32Array.of(1, 2), Float32Array.of(3, 4)), 11);
  assert.ok(Math.abs(cosine(Float32Array.of(1, 0), Float32Array.of(30, 40)) - 0.6) < 1e-6);
  assert.ok(cosine(Float32Array.of(0.1, 0.3), Float32Array.of(0.1, 0.3)) <= 1);
});
