import type { Bm25Parameters } from '../../src/engine/lexical/bm25Index';

/** BM25 with the number of distinct terms as a text's length, as it is written; by the document's number. */
export function slowBm25<Term>(
  documents: ReadonlyMap<number, readonly Term[]>,
  asked: readonly Term[],
  { k1, b }: Bm25Parameters,
): Map<number, number> {
  const lengths = [...documents.values()].map(terms => new Set(terms).size);
  const average = lengths.reduce((sum, length) => sum + length, 0) / documents.size;
  const scores = new Map<number, number>();
  for (const term of new Set(asked)) {
    const having = [...documents].filter(([, terms]) => terms.includes(term));
    const idf = Math.log(1 + (documents.size - having.length + 0.5) / (having.length + 0.5));
    for (const [doc, terms] of having) {
      const count = terms.filter(other => other === term).length;
      const norm = k1 * (1 - b + (b * new Set(terms).size) / average);
      scores.set(doc, (scores.get(doc) ?? 0) + (idf * count * (k1 + 1)) / (count + norm));
    }
  }
  return scores;
}
