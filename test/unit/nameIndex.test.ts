import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { NameIndex } from '../../src/engine/lexical/nameIndex';

const PARAMETERS = { k1: 1.2, b: 0.3 };

/** BM25 with distinct terms as length, as it is written. */
function slowScores(documents: ReadonlyMap<number, readonly number[]>, asked: readonly number[]): Map<number, number> {
  const lengths = [...documents.values()].map(terms => new Set(terms).size);
  const average = lengths.reduce((sum, length) => sum + length, 0) / documents.size;
  const scores = new Map<number, number>();
  for (const term of new Set(asked)) {
    const having = [...documents].filter(([, terms]) => terms.includes(term));
    const idf = Math.log(1 + (documents.size - having.length + 0.5) / (having.length + 0.5));
    for (const [doc, terms] of having) {
      const count = terms.filter(other => other === term).length;
      const norm = PARAMETERS.k1 * (1 - PARAMETERS.b + (PARAMETERS.b * new Set(terms).size) / average);
      scores.set(doc, (scores.get(doc) ?? 0) + (idf * count * (PARAMETERS.k1 + 1)) / (count + norm));
    }
  }
  return scores;
}

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
      const expected = slowScores(documents, asked);
      const { docs, scores } = index.search(asked);
      assert.equal(index.size, documents.size);
      assert.deepEqual([...docs].sort(), [...expected.keys()].sort());
      for (const [at, doc] of docs.entries())
        assert.ok(Math.abs((scores[at] ?? NaN) - (expected.get(doc) ?? 0)) < 1e-9);
    }),
    { seed: 9, numRuns: 400 },
  );
});
