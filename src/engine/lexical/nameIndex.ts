import type { SnapshotSink, SnapshotSource } from '../store/snapshot';
import { Bm25Index, type Bm25Parameters, type ScoredDocs } from './bm25Index';

/**
 * BM25 over the names of a document: of its file, its folders, or what it defines. A text's length is the number of its
 * distinct terms: whoever writes `get` before every name has not said more.
 */
export class NameIndex {
  private readonly index = new Bm25Index();

  constructor(private readonly parameters: Bm25Parameters) {}

  /** Number of documents. */
  get size(): number {
    return this.index.size;
  }

  /** Adds a document under a number that is not in use; nobody checks that. */
  add(doc: number, terms: readonly number[]): void {
    const counts = countsOf(terms);
    this.index.addDocument(doc, counts.size);
    for (const [term, count] of counts) this.index.insert(term, doc, count);
  }

  /**
   * Takes a document out again, with the terms that it was added with.
   * @throws RangeError at a term that it does not have; the index is spoilt then.
   */
  remove(doc: number, terms: readonly number[]): void {
    for (const term of new Set(terms)) this.index.delete(term, doc);
    this.index.removeDocument(doc);
  }

  /** BM25 of every document that holds one of the terms. */
  search(terms: readonly number[]): ScoredDocs {
    return this.index.score([...new Set(terms)], this.parameters);
  }

  /** Adds the same to the documents' scores in `sums`, by number. */
  addScores(terms: readonly number[], sums: Float64Array): void {
    this.index.addScores([...new Set(terms)], this.parameters, sums);
  }

  /** Writes the index. Nothing may change meanwhile. */
  async save(sink: SnapshotSink, name: string): Promise<void> {
    await this.index.save(sink, name);
  }

  /** Makes a fresh index the one that was saved. @throws LandmarkError `store-damaged`. */
  async restore(source: SnapshotSource, name: string): Promise<void> {
    await this.index.restore(source, name);
  }

  /** See `Postings.rest`. */
  rest(source: SnapshotSource, name: string): Promise<() => void> {
    return this.index.rest(source, name);
  }
}

function countsOf(terms: readonly number[]): Map<number, number> {
  const counts = new Map<number, number>();
  for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1);
  return counts;
}
