import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chunkSpans, landmarkCount, layoutWindow } from '../../src/engine/model/landmarkLayout';

const CLS = 101;
const SEP = 102;
const layout = (ids: readonly number[], k: number) => {
  const { inputIds, landmarks } = layoutWindow(Int32Array.from(ids), { k, clsId: CLS, landmarkId: SEP });
  return { input: [...inputIds], landmarks: [...landmarks] };
};
const spans = (lines: readonly number[], k: number) => chunkSpans(Uint32Array.from(lines), k);

test('an empty window has one landmark and covers line 1', () => {
  assert.deepEqual(layout([], 4), { input: [CLS, SEP], landmarks: [1] });
  assert.deepEqual(spans([], 4), [[1, 1]]);
});

test('a window shorter than a chunk has one landmark behind it', () => {
  assert.deepEqual(layout([7, 8], 4), { input: [CLS, 7, 8, SEP], landmarks: [3] });
  assert.deepEqual(spans([3, 5], 4), [[3, 5]]);
});

test('an exact multiple of a chunk has no landmark too many', () => {
  assert.deepEqual(layout([1, 2, 3, 4], 2), { input: [CLS, 1, 2, SEP, 3, 4, SEP], landmarks: [3, 6] });
  assert.deepEqual(spans([1, 1, 2, 4], 2), [
    [1, 1],
    [2, 4],
  ]);
});

test('the last partial chunk has its landmark', () => {
  assert.deepEqual(layout([1, 2, 3, 4, 5], 2), { input: [CLS, 1, 2, SEP, 3, 4, SEP, 5, SEP], landmarks: [3, 6, 8] });
  assert.deepEqual(spans([1, 1, 2, 4, 9], 2), [
    [1, 1],
    [2, 4],
    [9, 9],
  ]);
});

test('a landmark id among the tokens is a token, not a landmark', () => {
  assert.deepEqual(layout([SEP, 5, SEP], 2), { input: [CLS, SEP, 5, SEP, SEP, SEP], landmarks: [3, 5] });
});

test('a view into a larger array is laid out alone', () => {
  const ids = Int32Array.of(1, 2, 3, 4).subarray(1, 3);
  assert.deepEqual([...layoutWindow(ids, { k: 8, clsId: CLS, landmarkId: SEP }).inputIds], [CLS, 2, 3, SEP]);
});

test('there are as many landmarks as spans', () => {
  for (let length = 0; length < 20; length++) {
    assert.equal(spans(Array<number>(length).fill(1), 3).length, landmarkCount(length, 3));
    assert.equal(layout(Array<number>(length).fill(1), 3).landmarks.length, landmarkCount(length, 3));
  }
});
