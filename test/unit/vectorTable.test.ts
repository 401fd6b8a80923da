import assert from 'node:assert/strict';
import { test } from 'node:test';
import { meanOfBest } from '../../src/engine/search/meanOfBest';
import ranking from '../../src/engine/search/ranking.json';
import { VectorTable } from '../../src/engine/search/vectorTable';
import type { WindowRecord } from '../../src/engine/store/records';
import { Int4Query } from '../../src/engine/vectors/int4Products';
import { quantizeWindow } from '../../src/engine/vectors/quantization';
import { cosine, l2Normalize } from '../../src/engine/vectors/vectorMath';
import { asStored, clusteredVectors, randomNumbers } from '../support/vectors';

const DIMENSIONS = 32;
const CONTENT = 3;
const DOC = 5;

/** A table of one content with two windows, its landmarks and its path as vectors, and a query. */
function example(seed: number) {
  const next = clusteredVectors(DIMENSIONS, 3, randomNumbers(seed));
  const rows = [next(), next(), next(), next(), next(), next(), next()];
  const path = next();
  const parts = [rows.slice(0, 4), rows.slice(4)];
  const windows = {
    windowKeys: Uint8Array.from({ length: 64 }, (_, at) => (at < 32 ? 0 : 1)),
    landmarkCounts: Uint8Array.from(parts, part => part.length),
  };
  const records = parts.map(recordOf);
  const table = new VectorTable(DIMENSIONS);
  const lookup = (key: Uint8Array): WindowRecord | undefined => records[key[0] as number];
  table.load(CONTENT, windows, lookup);
  return { table, rows: rows.map(asStored), path: asStored(path), query: next(), windows, lookup };
}

function recordOf(rows: readonly Float32Array[]): WindowRecord {
  return quantizeWindow(Float32Array.from(rows.flatMap(row => [...row])), DIMENSIONS, DIMENSIONS);
}

/** Cosines of the query with the sums of each landmark and the path, number by number. */
function slowSimilarities(rows: readonly Float32Array[], path: Float32Array, query: Float32Array): number[] {
  return rows.map(row =>
    cosine(
      query,
      row.map((value, at) => value + ranking.pathBeside * (path[at] as number)),
    ),
  );
}

function assertNear(found: ArrayLike<number>, expected: readonly number[]): void {
  assert.equal(found.length, expected.length);
  for (const [at, value] of expected.entries()) {
    assert.ok(Math.abs((found[at] as number) - value) < 0.02, `${found[at]} instead of ${value}`);
  }
}

test('a landmark is compared as its sum with the vector of the path', () => {
  for (const seed of [1, 2, 3, 4, 5]) {
    const { table, rows, path, query } = example(seed);
    table.setPath(DOC, recordOf([path]));
    const asked = new Int4Query(query);
    const beside = { doc: DOC, similarity: table.paths.similarity(DOC, asked) };
    const expected = slowSimilarities(rows, path, query);
    assertNear(table.landmarkSimilarities(CONTENT, asked, beside), expected);
    assertNear([table.nearness(CONTENT, asked, beside)], [meanOfBest(Float32Array.from(expected))]);
  }
});

test('so is a file, and one that has no vector, or no path, as it is', () => {
  const { table, rows, path, query } = example(8);
  table.setPath(DOC, recordOf([path]));
  const asked = new Int4Query(query);
  const alone = table.files.similarity(CONTENT, asked);
  const similarity = table.paths.similarity(DOC, asked);
  const mean = l2Normalize(rows[0]!.map((_, at) => rows.reduce((sum, row) => sum + (row[at] as number), 0)));
  assertNear([table.fileWithPath(CONTENT, alone, DOC, similarity)], slowSimilarities([mean], path, query));
  assert.equal(table.fileWithPath(CONTENT, alone, DOC + 1, NaN), alone);
  assert.ok(Number.isNaN(table.fileWithPath(CONTENT + 1, NaN, DOC, similarity)));
});

test('without a path, and where none is asked for, the landmark alone is compared', () => {
  const { table, rows, path, query } = example(6);
  const asked = new Int4Query(query);
  const alone = rows.map(row => cosine(query, row));
  assertNear(table.landmarkSimilarities(CONTENT, asked), alone);
  const none = { doc: DOC, similarity: table.paths.similarity(DOC, asked) };
  assert.ok(Number.isNaN(none.similarity));
  assertNear(table.landmarkSimilarities(CONTENT, asked, none), alone);
  table.setPath(DOC, recordOf([path]));
  assertNear(table.landmarkSimilarities(CONTENT, asked), alone);
});

test('what is remembered of a path is forgotten with it, and with the landmarks beside it', () => {
  const { table, rows, path, query, windows, lookup } = example(7);
  const asked = new Int4Query(query);
  const found = (): Float32Array =>
    table.landmarkSimilarities(CONTENT, asked, { doc: DOC, similarity: table.paths.similarity(DOC, asked) });
  table.setPath(DOC, recordOf([path]));
  assertNear(found(), slowSimilarities(rows, path, query));
  const other = path.map(value => -value);
  table.deletePath(DOC);
  table.setPath(DOC, recordOf([other]));
  assertNear(found(), slowSimilarities(rows, other, query));
  // The second window is not embedded any more, then it is again.
  table.load(CONTENT, windows, key => (key[0] === 0 ? lookup(key) : undefined));
  assert.deepEqual([...found()].map(Number.isNaN), [false, false, false, false, true, true, true]);
  table.load(CONTENT, windows, lookup);
  assertNear(found(), slowSimilarities(rows, other, query));
});
