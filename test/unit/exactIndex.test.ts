import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ExactIndex } from '../../src/engine/vectors/exactIndex';
import { LandmarkError } from '../../src/util/errors';

const EAST = Float32Array.of(1, 0);
const NORTH = Float32Array.of(0, 1);
const WEST = Float32Array.of(-1, 0);
const NORTH_EAST = Float32Array.of(0.6, 0.8);

function isInvalid(error: unknown): boolean {
  return error instanceof LandmarkError && error.reason === 'invalid-argument';
}

test('neighbours come with their cosine, nearest first', () => {
  const index = new ExactIndex(2);
  index.add(7, WEST);
  index.add(3, NORTH);
  index.add(5, EAST);
  assert.deepEqual(index.search(EAST, 10), [
    { label: 5, similarity: 1 },
    { label: 3, similarity: 0 },
    { label: 7, similarity: -1 },
  ]);
  assert.deepEqual(index.search(NORTH_EAST, 1), [{ label: 3, similarity: Math.fround(0.8) }]);
});

test('equal similarities are ordered by label', () => {
  const index = new ExactIndex(2);
  for (const label of [9, 2, 4]) index.add(label, EAST);
  assert.deepEqual(
    index.search(EAST, 2).map(found => found.label),
    [2, 4],
  );
});

test('an empty index and a count of zero find nothing', () => {
  const index = new ExactIndex(2);
  assert.deepEqual(index.search(EAST, 5), []);
  index.add(1, EAST);
  assert.deepEqual(index.search(EAST, 0), []);
});

test('a search among labels passes over absent and repeated ones', () => {
  const index = new ExactIndex(2);
  index.add(1, EAST);
  index.add(2, NORTH);
  index.add(3, WEST);
  assert.deepEqual(
    index.searchAmong([3, 2, 2, 99], EAST, 10).map(found => found.label),
    [2, 3],
  );
});

test('what an index cannot hold is refused with what was expected', () => {
  const index = new ExactIndex(2);
  assert.throws(() => index.add(1, Float32Array.of(1, 0, 0)), isInvalid);
  assert.throws(() => index.add(1, Float32Array.of(3, 4)), isInvalid);
  assert.throws(() => index.add(1, Float32Array.of(NaN, 0)), isInvalid);
  assert.throws(() => index.add(-1, EAST), isInvalid);
  assert.throws(() => index.search(Float32Array.of(1), 1), isInvalid);
  assert.equal(index.size, 0);
});

test('after any adds, replacements and removals the index holds what a plain map holds', () => {
  const angle = fc.nat(999).map(step => (step / 1000) * 2 * Math.PI);
  const operation = fc.oneof(
    fc.record({ label: fc.nat(30), angle }),
    fc.record({ label: fc.nat(30), angle: fc.constant(undefined) }),
  );
  fc.assert(
    fc.property(fc.array(operation, { maxLength: 150 }), angle, (operations, direction) => {
      const index = new ExactIndex(2);
      const plain = new Map<number, Float32Array>();
      for (const { label, angle: at } of operations) {
        if (at === undefined) {
          index.remove(label);
          plain.delete(label);
        } else {
          const vector = Float32Array.of(Math.cos(at), Math.sin(at));
          index.add(label, vector);
          plain.set(label, vector);
        }
      }
      assert.equal(index.size, plain.size);
      for (let label = 0; label <= 30; label++) {
        assert.equal(index.has(label), plain.has(label));
        assert.deepEqual(index.vector(label), plain.get(label));
      }
      const query = Float32Array.of(Math.cos(direction), Math.sin(direction));
      const found = index.search(query, 40);
      assert.deepEqual(new Set(found.map(hit => hit.label)), new Set(plain.keys()));
      for (const { label, similarity } of found) {
        const vector = plain.get(label)!;
        assert.ok(Math.abs(similarity - (vector[0]! * query[0]! + vector[1]! * query[1]!)) < 1e-6);
      }
      for (let at = 1; at < found.length; at++) assert.ok(found[at - 1]!.similarity >= found[at]!.similarity);
    }),
    { seed: 11 },
  );
});
