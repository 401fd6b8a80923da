import type { SnapshotSink, SnapshotSource } from '../store/snapshot';
import { Postings } from './postings';
import { restoreTotals, saveTotals } from './totals';

/** BM25: how soon repetition stops to count, and how much length does (0 to 1). */
export interface Bm25Parameters {
  readonly k1: number;
  readonly b: number;
}

/** Documents with a score above zero, in no particular order; parallel arrays. */
export interface ScoredDocs {
  readonly docs: Uint32Array;
  readonly scores: Float64Array;
}

/** Which documents hold which terms how often, and BM25 over that. Documents and terms are small integers. */
export class Bm25Index {
  private readonly postings = new Postings();
  private lengths = new Uint32Array(1 << 10);
  private count = 0;
  private totalLength = 0;
  /** Work space, all zero between calls: scores by document. */
  private sums = new Float64Array(1 << 10);

  /** Number of documents. */
  get size(): number {
    return this.count;
  }

  /** Every term that some document holds is below this. */
  get termLimit(): number {
    return this.postings.limit;
  }

  /** Counts a document of this length in; its terms follow. */
  addDocument(doc: number, length: number): void {
    if (doc >= this.lengths.length) this.growDocuments(doc + 1);
    this.lengths[doc] = length;
    this.count++;
    this.totalLength += length;
  }

  /** Counts a document out, whose terms have been deleted. */
  removeDocument(doc: number): void {
    this.count--;
    this.totalLength -= this.lengths[doc] ?? 0;
    this.lengths[doc] = 0;
  }

  /** Says that a document holds a term so often; it must not have said so before. */
  insert(term: number, doc: number, count: number): void {
    this.postings.insert(term, doc, count);
  }

  /** Takes back an `insert`. */
  delete(term: number, doc: number): void {
    this.postings.delete(term, doc);
  }

  /** Number of documents that hold a term. */
  frequency(term: number): number {
    return this.postings.frequency(term);
  }

  /** ln(1 + (N − df + ½) / (df + ½)): never negative. */
  idf(term: number): number {
    const frequency = this.postings.frequency(term);
    return Math.log(1 + (this.count - frequency + 0.5) / (frequency + 0.5));
  }

  /** BM25 of all documents that hold one of the terms (Robertson's, with Lucene's IDF), those alone. */
  score(terms: readonly number[], parameters: Bm25Parameters): ScoredDocs {
    const { sums } = this;
    this.addScores(terms, parameters, sums);
    const found = new Set<number>();
    for (const term of terms) for (const doc of this.postings.list(term).documents) found.add(doc);
    const docs = Uint32Array.from(found);
    const scores = new Float64Array(docs.length);
    for (let at = 0; at < docs.length; at++) {
      const doc = docs[at] as number;
      scores[at] = sums[doc] as number;
      sums[doc] = 0;
    }
    return { docs, scores };
  }

  /** Adds the same to the documents' scores in `sums`, by number. */
  addScores(terms: readonly number[], { k1, b }: Bm25Parameters, sums: Float64Array): void {
    const { lengths } = this;
    const perLength = this.totalLength > 0 ? (k1 * b * this.count) / this.totalLength : 0;
    const base = k1 * (1 - b);
    for (const term of terms) {
      const { documents, counts } = this.postings.list(term);
      const weight = this.idf(term) * (k1 + 1);
      for (let at = 0; at < documents.length; at++) {
        const doc = documents[at] as number;
        const count = counts[at] as number;
        sums[doc] = (sums[doc] as number) + (weight * count) / (count + base + perLength * (lengths[doc] as number));
      }
    }
  }

  /** Writes the index. Nothing may change meanwhile. */
  async save(sink: SnapshotSink, name: string): Promise<void> {
    const { lengths } = this;
    let used = lengths.length;
    while (used > 0 && lengths[used - 1] === 0) used--;
    await sink.bytes(`${name}.lengths`, new Uint8Array(lengths.buffer, lengths.byteOffset, used * 4));
    await saveTotals(sink, name, [this.count, this.totalLength]);
    await this.postings.save(sink, name);
  }

  /** Makes a fresh index the one that was saved, whose lists it reads from the snapshot. @throws LandmarkError `store-damaged`. */
  async restore(source: SnapshotSource, name: string): Promise<void> {
    const { buffer, byteOffset, length } = await source.bytes(`${name}.lengths`);
    const [count = 0, totalLength = 0] = await restoreTotals(source, name, 2);
    await this.postings.restore(source, name);
    this.lengths = new Uint32Array(buffer, byteOffset, Math.floor(length / 4));
    this.sums = new Float64Array(this.lengths.length);
    this.count = count;
    this.totalLength = totalLength;
  }

  /** See `Postings.rest`. */
  rest(source: SnapshotSource, name: string): Promise<() => void> {
    return this.postings.rest(source, name);
  }

  private growDocuments(least: number): void {
    const lengths = new Uint32Array(Math.max(least, Math.ceil(this.lengths.length * 1.5)));
    lengths.set(this.lengths);
    this.lengths = lengths;
    this.sums = new Float64Array(lengths.length);
  }
}
