import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { NameIndex } from '../../src/engine/lexical/nameIndex';
import { slowBm25 } from '../support/slowBm25';

const PARAMETERS = { k1: 1.2, b: 0.3 };

test('scores are plain BM25, also after names were replaced and removed', () => {
  const terms = fc.array(fc.nat(6), { maxLength: 6 });
  const change = fc.tuple(fc.nat(6), fc.option(terms, { nil: undefined }));
  fc.assert(
    fc.property(fc.array(change, { maxLength: 25 }), terms, (changes, asked) => {
      const index = new NameIndex(PARAMETERS);
      const documents = new Map<number, readonly number[]>();
      for (const [doc, names] of changes) {
        if (names === undefined) {
          index.remove(doc);
          documents.delete(doc);
        } else {
          index.add(doc, names);
          documents.set(doc, names);
        }
      }
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
