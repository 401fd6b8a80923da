import { Bm25Index, type Bm25Parameters, type ScoredDocs } from './bm25Index';

/**
 * BM25 over the names of a document: of its file, its folders, or what it defines. A text's length is the number of its
 * distinct terms: whoever writes `get` before every name has not said more.
 */
export class NameIndex {
  private readonly index = new Bm25Index();
  /** Needed again to take a document out. */
  private readonly termsOf: (Uint32Array | undefined)[] = [];

  constructor(private readonly parameters: Bm25Parameters) {}

  /** Number of documents. */
  get size(): number {
    return this.index.size;
  }

  /** Adds a document, or replaces the names of the one with this number. */
  add(doc: number, terms: readonly number[]): void {
    this.remove(doc);
    const counts = countsOf(terms);
    this.termsOf[doc] = Uint32Array.from(counts.keys());
    this.index.addDocument(doc, counts.size);
    for (const [term, count] of counts) this.index.insert(term, doc, count);
  }

  /** Takes a document out; unknown numbers are ignored. */
  remove(doc: number): void {
    const terms = this.termsOf[doc];
    if (terms === undefined) return;
    for (const term of terms) this.index.delete(term, doc);
    this.index.removeDocument(doc);
    this.termsOf[doc] = undefined;
  }

  /** BM25 of every document that holds one of the terms. */
  search(terms: readonly number[]): ScoredDocs {
    return this.index.score([...new Set(terms)], this.parameters);
  }
}

function countsOf(terms: readonly number[]): Map<number, number> {
  const counts = new Map<number, number>();
  for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1);
  return counts;
}
