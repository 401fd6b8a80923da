import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { NameIndex } from '../../src/engine/lexical/nameIndex';
import { MemorySnapshot } from '../support/memorySnapshot';
import { slowBm25 } from '../support/slowBm25';

const PARAMETERS = { k1: 1.2, b: 0.3 };

const terms = fc.array(fc.nat(6), { maxLength: 6 });
const changes = fc.array(fc.tuple(fc.nat(6), fc.option(terms, { nil: undefined })), { maxLength: 25 });

type Documents = Map<number, readonly number[]>;

function change(
  index: NameIndex,
  documents: Documents,
  [doc, names]: readonly [number, readonly number[] | undefined],
): void {
  const before = documents.get(doc);
  if (before !== undefined) index.remove(doc, before);
  documents.delete(doc);
  if (names === undefined) return;
  index.add(doc, names);
  documents.set(doc, names);
}

test('scores are plain BM25, also after names were replaced and removed', () => {
  fc.assert(
    fc.property(changes, terms, (steps, asked) => {
      const index = new NameIndex(PARAMETERS);
      const documents: Documents = new Map();
      for (const step of steps) change(index, documents, step);
      const expected = slowBm25(documents, asked, PARAMETERS);
      const { docs, scores } = index.search(asked);
      assert.equal(index.size, documents.size);
      assert.deepEqual([...docs].sort(), [...expected.keys()].sort());
      for (const [at, doc] of docs.entries())
        assert.ok(Math.abs((scores[at] ?? NaN) - (expected.get(doc) ?? 0)) < 1e-9);
    }),
    { seed: 9, numRuns: 400 },
  );
});

test('names that rest in a snapshot are found exactly as others, also after changes', async () => {
  await fc.assert(
    fc.asyncProperty(changes, changes, terms, fc.boolean(), async (first, second, asked, isChecked) => {
      const fresh = new NameIndex(PARAMETERS);
      const documents: Documents = new Map();
      for (const step of first) change(fresh, documents, step);
      const snapshot = new MemorySnapshot(isChecked);
      await fresh.save(snapshot.sink, 'base');
      const index = new NameIndex(PARAMETERS);
      await index.restore(snapshot.source, 'base');
      assert.deepEqual(index.search(asked), fresh.search(asked));
      for (const step of second) {
        change(fresh, new Map(documents), step);
        change(index, documents, step);
      }
      assert.deepEqual(index.search(asked), fresh.search(asked));
      assert.equal(index.size, documents.size);
    }),
    { seed: 10, numRuns: 200 },
  );
});

test('two indexes in one snapshot keep apart', async () => {
  const snapshot = new MemorySnapshot(true);
  for (const [at, name] of ['base', 'folders'].entries()) {
    const index = new NameIndex(PARAMETERS);
    index.add(at, [at + 1]);
    await index.save(snapshot.sink, name);
  }
  const folders = new NameIndex(PARAMETERS);
  await folders.restore(snapshot.source, 'folders');
  assert.deepEqual([...folders.search([1, 2]).docs], [1]);
});
