import assert from 'node:assert/strict';
import { copyFile, mkdtemp, rm, truncate } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { ExactIndex } from '../../src/engine/vectors/exactIndex';
import { isWholeGraphFile } from '../../src/engine/vectors/graphFile';
import { HnswIndex, loadHnswLibrary } from '../../src/engine/vectors/hnswIndex';
import type { VectorIndex } from '../../src/engine/vectors/vectorIndex';
import { LandmarkError } from '../../src/util/errors';
import { clusteredVectors, randomNumbers, unit } from '../support/vectors';

const DIMENSIONS = 32;

async function emptyIndex(capacity?: number): Promise<HnswIndex> {
  return new HnswIndex(await loadHnswLibrary(), DIMENSIONS, capacity);
}

/** How many of the exact neighbours a search finds; equally near ones count as found. */
class Recall {
  private wanted = 0;
  private found = 0;

  compare(index: VectorIndex, exact: VectorIndex, query: Float32Array, k: number): void {
    const expected = exact.search(query, k);
    const actual = index.search(query, k);
    assert.equal(actual.length, expected.length);
    for (let at = 1; at < actual.length; at++) {
      const [one, other] = [actual[at - 1]!, actual[at]!];
      assert.ok(one.similarity > other.similarity || (one.similarity === other.similarity && one.label < other.label));
    }
    const least = expected.at(-1)?.similarity ?? 1;
    for (const { label, similarity } of actual) {
      assert.ok(exact.has(label), 'a removed vector was found');
      assert.ok(similarity <= 1 && similarity >= -1);
    }
    this.wanted += expected.length;
    this.found += actual.filter(({ similarity }) => similarity >= least - 1e-5).length;
  }

  get value(): number {
    return this.found / this.wanted;
  }
}

test('ten thousand random changes and searches agree with the exact scan, over saving and loading too', async t => {
  const dir = await mkdtemp(join(tmpdir(), 'hnsw-'));
  t.after(() => rm(dir, { recursive: true }));
  const random = randomNumbers(20250701);
  const vector = clusteredVectors(DIMENSIONS, 20, random);
  const repeated = Array.from({ length: 30 }, vector);
  const library = await loadHnswLibrary();
  const exact = new ExactIndex(DIMENSIONS);
  let index = await emptyIndex(16);
  const recall = new Recall();
  for (let step = 0; step < 10_000; step++) {
    const label = Math.floor(random() * 800);
    const what = random();
    if (what < 0.5) {
      const added = random() < 0.2 ? repeated[Math.floor(random() * 30)]! : vector();
      exact.add(label, added);
      index.add(label, added);
    } else if (what < 0.8) {
      exact.remove(label);
      index.remove(label);
    } else {
      recall.compare(index, exact, vector(), 1 + Math.floor(random() * 30));
    }
    assert.equal(index.size, exact.size);
    assert.equal(index.has(label), exact.has(label));
    if (step % 2500 === 2499) {
      const path = join(dir, `graph${step}`);
      const table = await index.save(path);
      index.release();
      index = await HnswIndex.load(library, path, DIMENSIONS, table);
    }
  }
  for (const label of [...index.labels()]) assert.deepEqual(index.vector(label), exact.vector(label));
  assert.ok(recall.value >= 0.99, `recall ${recall.value}`);
});

test('more neighbours than there are vectors gives all of them', async () => {
  const index = await emptyIndex();
  const vector = clusteredVectors(DIMENSIONS, 3, randomNumbers(1));
  assert.deepEqual(index.search(vector(), 10), []);
  const first = vector();
  index.add(7, first);
  assert.equal(index.search(vector(), 10).length, 1);
  index.add(9, vector());
  assert.equal(index.search(vector(), 1000).length, 2);
  index.remove(9);
  const [found, ...others] = index.search(first, 10);
  assert.equal(found?.label, 7);
  assert.ok(Math.abs(found.similarity - 1) < 1e-6);
  assert.deepEqual(others, []);
  index.remove(7);
  assert.deepEqual(index.search(first, 10), []);
  index.add(7, first);
  assert.equal(index.search(first, 10).length, 1);
});

test('nine of ten vectors removed, the rest is found as by an exact scan', async () => {
  const random = randomNumbers(2);
  const vector = clusteredVectors(DIMENSIONS, 20, random);
  const index = await emptyIndex();
  const exact = new ExactIndex(DIMENSIONS);
  for (let label = 0; label < 2000; label++) {
    const added = vector();
    index.add(label, added);
    exact.add(label, added);
  }
  for (let label = 0; label < 2000; label++) {
    if (label % 10 === 0) continue;
    index.remove(label);
    exact.remove(label);
  }
  const recall = new Recall();
  for (let query = 0; query < 100; query++) recall.compare(index, exact, vector(), 20);
  assert.ok(recall.value >= 0.99, `recall ${recall.value}`);
});

test('searches stay right while vectors are only marked as removed', async () => {
  const vector = clusteredVectors(DIMENSIONS, 20, randomNumbers(3));
  const index = await emptyIndex();
  const exact = new ExactIndex(DIMENSIONS);
  for (let label = 0; label < 2000; label++) {
    const added = vector();
    index.add(label, added);
    exact.add(label, added);
  }
  for (let label = 0; label < 1800; label++) {
    index.detach(label);
    exact.remove(label);
  }
  assert.equal(index.wasteful, true);
  const recall = new Recall();
  for (let query = 0; query < 100; query++) recall.compare(index, exact, vector(), 20);
  assert.ok(recall.value >= 0.99, `recall ${recall.value}`);
});

test('three thousand copies of one vector hide none of the others', async () => {
  const vector = clusteredVectors(DIMENSIONS, 5, randomNumbers(4));
  const copy = vector();
  const others = Array.from({ length: 50 }, vector);
  const index = await emptyIndex();
  for (let label = 0; label < 1500; label++) index.add(label, copy);
  others.forEach((other, at) => index.add(10_000 + at, other));
  for (let label = 1500; label < 3000; label++) index.add(label, copy);
  others.forEach((other, at) => assert.equal(index.search(other, 1)[0]?.label, 10_000 + at));
  assert.deepEqual(
    index.search(copy, 3).map(found => found.label),
    [0, 1, 2],
  );
  assert.equal(index.search(copy, 5000).length, 3050);
  for (let label = 0; label < 3000; label++) index.remove(label);
  assert.equal(index.search(copy, 100).length, 50);
});

test('the same label added a hundred times is one vector', async () => {
  const vector = clusteredVectors(DIMENSIONS, 5, randomNumbers(5));
  const index = await emptyIndex();
  index.add(1, vector());
  let last = vector();
  for (let round = 0; round < 100; round++) index.add(2, (last = vector()));
  assert.equal(index.size, 2);
  assert.deepEqual(index.vector(2), last);
  assert.deepEqual(new Set(index.search(last, 10).map(found => found.label)), new Set([1, 2]));
});

test('adding and removing over and over neither fails nor grows', async t => {
  const dir = await mkdtemp(join(tmpdir(), 'hnsw-'));
  t.after(() => rm(dir, { recursive: true }));
  const vector = clusteredVectors(DIMENSIONS, 10, randomNumbers(6));
  const index = await emptyIndex();
  for (let cycle = 0; cycle < 40; cycle++) {
    const labels = Array.from({ length: 100 }, (_, at) => cycle * 100 + at);
    for (const label of labels) index.add(label, vector());
    assert.equal(index.search(vector(), 10).length, 10);
    for (const label of labels) index.remove(label);
  }
  assert.equal(index.size, 0);
  const path = join(dir, 'graph');
  await index.save(path);
  const { size } = await import('node:fs').then(fs => fs.statSync(path));
  assert.ok(size < 100 * 400, `${size} bytes`);
});

test('a vector of another size or length and a label out of range are refused', async () => {
  const index = await emptyIndex();
  const invalid = (error: unknown) => error instanceof LandmarkError && error.reason === 'invalid-argument';
  assert.throws(() => index.add(1, new Float32Array(DIMENSIONS)), invalid);
  assert.throws(() => index.add(1, unit(new Float32Array(DIMENSIONS + 1).fill(1))), invalid);
  assert.throws(() => index.add(1.5, unit(new Float32Array(DIMENSIONS).fill(1))), invalid);
  assert.throws(() => index.search(new Float32Array(3), 1), invalid);
  assert.equal(index.size, 0);
});

test('a graph file that was not written in full is noticed', async t => {
  const dir = await mkdtemp(join(tmpdir(), 'hnsw-'));
  t.after(() => rm(dir, { recursive: true }));
  const vector = clusteredVectors(DIMENSIONS, 5, randomNumbers(7));
  const index = await emptyIndex();
  for (let label = 0; label < 300; label++) index.add(label, vector());
  const path = join(dir, 'graph');
  await index.save(path);
  assert.equal(await isWholeGraphFile(path), true);
  for (const size of [0, 50, 1000, 60_000, 79_000]) {
    const cut = join(dir, 'cut');
    await copyFile(path, cut);
    await truncate(cut, size);
    assert.equal(await isWholeGraphFile(cut), false, `${size} bytes`);
  }
});
