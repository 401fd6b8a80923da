import type { SnapshotSink, SnapshotSource } from '../store/snapshot';
import { Bm25Index, type Bm25Parameters, type ScoredDocs } from './bm25Index';
import type { LineTerms } from './lineTerms';
import { bestWindow } from './lineWindows';
import { NeighbourCounter } from './neighbours';
import { Occurrences, WantedTerms } from './occurrences';
import type { QueryTerms } from './queryTerms';
import { restoreTotals, saveTotals } from './totals';

/** Terms of one query that windows and pairs look at. */
const MAX_MARKED_TERMS = 254;

/** What `closeLook` finds; arrays parallel to the documents asked for. */
export interface CloseLook {
  /** Σ over the query's pairs of neighbours of ln(1 + how often they are neighbours in a line). */
  readonly pairs: Float64Array;
  /** How often the whole query stands in a line, term by term. */
  readonly exact: Uint32Array;
  /** How many of the query's terms stand in a row somewhere in a line, each with a neighbour from the query; 0 or ≥ 2. */
  readonly longest: Uint32Array;
  /** The best window of 40 lines: BM25 with the documents' IDF. */
  readonly windows: Float64Array;
}

/**
 * Full text of all documents: BM25 over path and content, and what only the order of the terms can tell (neighbours,
 * windows of lines). Documents and terms are small integers. The texts themselves are the caller's, who gives them again
 * for a close look and to take a document out; removing is the exact inverse of adding the same. Whether a number is in
 * use is the caller's to know, too.
 */
export class BodyIndex {
  private readonly index = new Bm25Index();
  private windowCount = 0;
  private totalWindowLength = 0;
  /** Work space, all zero between calls: occurrences by term. */
  private occurrences = new Uint32Array(1 << 10);
  private readonly wanted = new WantedTerms();
  private readonly found = new Occurrences();

  /** Number of documents. */
  get size(): number {
    return this.index.size;
  }

  /** Adds a document under a number that is not in use. */
  add(doc: number, pathTerms: Uint32Array, lines: LineTerms): void {
    this.eachTerm(pathTerms, lines, (term, count) => this.index.insert(term, doc, count));
    this.index.addDocument(doc, pathTerms.length + lines.termCount);
    this.tallyWindows(lines, 1);
  }

  /**
   * Takes a document out again, with the terms that it was added with.
   * @throws RangeError at a term that it does not have; the index is spoilt then.
   */
  remove(doc: number, pathTerms: Uint32Array, lines: LineTerms): void {
    this.eachTerm(pathTerms, lines, term => this.index.delete(term, doc));
    this.index.removeDocument(doc);
    this.tallyWindows(lines, -1);
  }

  /**
   * Gives a document another content, as `remove` and `add` do together. Only what differs is touched, so that an edited
   * text costs little. At most one of the two contents may rest in a snapshot.
   * @throws RangeError as `remove`.
   */
  replace(doc: number, pathTerms: Uint32Array, before: LineTerms, after: LineTerms): void {
    const counts = new Map<number, number>();
    this.eachTerm(pathTerms, before, (term, count) => counts.set(term, count));
    this.eachTerm(pathTerms, after, (term, count) => {
      const known = counts.get(term);
      counts.delete(term);
      if (known === count) return;
      if (known !== undefined) this.index.delete(term, doc);
      this.index.insert(term, doc, count);
    });
    for (const term of counts.keys()) this.index.delete(term, doc);
    this.index.removeDocument(doc);
    this.index.addDocument(doc, pathTerms.length + after.termCount);
    this.tallyWindows(before, -1);
    this.tallyWindows(after, 1);
  }

  /** See `Bm25Index.idf`. */
  idf(term: number): number {
    return this.index.idf(term);
  }

  /** BM25 of all documents that hold a term of the query. */
  score(query: QueryTerms, parameters: Bm25Parameters): ScoredDocs {
    return this.index.score(query.distinct, parameters);
  }

  /** Adds the same to the documents' scores in `sums`, by number. */
  addScores(query: QueryTerms, parameters: Bm25Parameters, sums: Float64Array): void {
    this.index.addScores(query.distinct, parameters, sums);
  }

  /**
   * Looks for the query's terms inside the given documents.
   * @param linesOf the content of a document, valid until its next call; one without content has none of the terms.
   */
  closeLook(docs: ArrayLike<number>, query: QueryTerms, linesOf: (doc: number) => LineTerms | undefined): CloseLook {
    const pairs = new Float64Array(docs.length);
    const exact = new Uint32Array(docs.length);
    const longest = new Uint32Array(docs.length);
    const windows = new Float64Array(docs.length);
    const average = this.totalWindowLength / Math.max(1, this.windowCount);
    const { found, wanted } = this;
    const marked = query.distinct.filter(term => this.index.frequency(term) > 0).slice(0, MAX_MARKED_TERMS);
    // A content may hold any term of the index.
    wanted.during(marked, this.index.termLimit, () => {
      const weights = Float64Array.from(marked, term => this.idf(term));
      const counter = new NeighbourCounter(query.sequence, wanted.slots);
      for (let at = 0; at < docs.length; at++) {
        const lines = linesOf(docs[at] as number);
        if (lines === undefined) continue;
        found.find(lines, wanted);
        windows[at] = bestWindow(found, lines, weights, average);
        if (counter.hasWork) [pairs[at], exact[at], longest[at]] = counter.count(found);
      }
    });
    return { pairs, exact, longest, windows };
  }

  /** Writes the index, without the contents. Nothing may change meanwhile. */
  async save(sink: SnapshotSink, name: string): Promise<void> {
    await saveTotals(sink, `${name}.windows`, [this.windowCount, this.totalWindowLength]);
    await this.index.save(sink, name);
  }

  /** Makes a fresh index the one that was saved, whose lists it reads from the snapshot. @throws LandmarkError `store-damaged`. */
  async restore(source: SnapshotSource, name: string): Promise<void> {
    const [count = 0, length = 0] = await restoreTotals(source, `${name}.windows`, 2);
    await this.index.restore(source, name);
    this.windowCount = count;
    this.totalWindowLength = length;
  }

  /** See `Postings.rest`. */
  rest(source: SnapshotSource, name: string): Promise<() => void> {
    return this.index.rest(source, name);
  }

  /** Every term of a document once, with its count. `lines` have been read before the first visit. */
  private eachTerm(pathTerms: Uint32Array, lines: LineTerms, visit: (term: number, count: number) => void): void {
    const distinct: number[] = [];
    const countTerm = (term: number): void => {
      if (term >= this.occurrences.length) this.growTerms(term + 1);
      const count = this.occurrences[term] as number;
      if (count === 0) distinct.push(term);
      this.occurrences[term] = count + 1;
    };
    pathTerms.forEach(countTerm);
    lines.each(countTerm);
    for (const term of distinct) {
      visit(term, this.occurrences[term] ?? 0);
      this.occurrences[term] = 0;
    }
  }

  private tallyWindows({ windows }: LineTerms, sign: 1 | -1): void {
    this.windowCount += sign * windows.count;
    this.totalWindowLength += sign * windows.length;
  }

  private growTerms(least: number): void {
    const occurrences = new Uint32Array(Math.max(least, Math.ceil(this.occurrences.length * 1.5)));
    occurrences.set(this.occurrences);
    this.occurrences = occurrences;
  }
}
