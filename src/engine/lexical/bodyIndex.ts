import { Bm25Index, type Bm25Parameters, type ScoredDocs } from './bm25Index';
import type { LineTerms } from './lineTerms';
import { bestWindow } from './lineWindows';
import { NeighbourCounter } from './neighbours';
import { Occurrences } from './occurrences';
import type { QueryTerms } from './queryTerms';

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

interface Document {
  readonly pathTerms: Uint32Array;
  /** Copies share one. */
  readonly lines: LineTerms;
}

/**
 * Full text of all documents: BM25 over path and content, and what only the order of the terms can tell (neighbours,
 * windows of lines). Documents and terms are small integers. Removing is the exact inverse of adding.
 */
export class BodyIndex {
  private readonly index = new Bm25Index();
  private readonly documents: (Document | undefined)[] = [];
  private windowCount = 0;
  private totalWindowLength = 0;
  /** Work space, all zero between calls: occurrences by term, query slot by term. */
  private occurrences = new Uint32Array(1 << 10);
  private slots = new Uint8Array(1 << 10);

  /** Number of documents. */
  get size(): number {
    return this.index.size;
  }

  has(doc: number): boolean {
    return this.documents[doc] !== undefined;
  }

  /** Adds a document under a number that is not in use; throws RangeError otherwise. */
  add(doc: number, pathTerms: Uint32Array, lines: LineTerms): void {
    if (this.has(doc)) throw new RangeError(`document ${doc} is in the body index already`);
    const document: Document = { pathTerms, lines };
    this.eachTerm(document, (term, count) => this.index.insert(term, doc, count));
    this.documents[doc] = document;
    this.tally(doc, document, 1);
  }

  /** Takes a document out; unknown numbers are ignored. */
  remove(doc: number): void {
    const document = this.documents[doc];
    if (document === undefined) return;
    this.eachTerm(document, term => this.index.delete(term, doc));
    this.documents[doc] = undefined;
    this.tally(doc, document, -1);
  }

  /**
   * Gives a document another content, as `remove` and `add` do together. Only what differs is touched, so that an edited
   * text costs little. @throws RangeError for a number that is not in use.
   */
  replace(doc: number, pathTerms: Uint32Array, lines: LineTerms): void {
    const before = this.documents[doc];
    if (before === undefined) throw new RangeError(`document ${doc} is not in the body index`);
    const after: Document = { pathTerms, lines };
    const counts = new Map<number, number>();
    this.eachTerm(before, (term, count) => counts.set(term, count));
    this.eachTerm(after, (term, count) => {
      const known = counts.get(term);
      counts.delete(term);
      if (known === count) return;
      if (known !== undefined) this.index.delete(term, doc);
      this.index.insert(term, doc, count);
    });
    for (const term of counts.keys()) this.index.delete(term, doc);
    this.documents[doc] = after;
    this.tally(doc, before, -1);
    this.tally(doc, after, 1);
  }

  /** See `Bm25Index.idf`. */
  idf(term: number): number {
    return this.index.idf(term);
  }

  /** BM25 of all documents that hold a term of the query. */
  score(query: QueryTerms, parameters: Bm25Parameters): ScoredDocs {
    return this.index.score(query.distinct, parameters);
  }

  /** Looks for the query's terms inside the given documents; unknown documents have none. */
  closeLook(docs: ArrayLike<number>, query: QueryTerms): CloseLook {
    const pairs = new Float64Array(docs.length);
    const exact = new Uint32Array(docs.length);
    const longest = new Uint32Array(docs.length);
    const windows = new Float64Array(docs.length);
    const average = this.totalWindowLength / Math.max(1, this.windowCount);
    const occurrences = new Occurrences();
    this.withSlots(query, marked => {
      const weights = Float64Array.from(marked, term => this.idf(term));
      const counter = new NeighbourCounter(query.sequence, this.slots);
      for (let at = 0; at < docs.length; at++) {
        const document = this.documents[docs[at] ?? -1];
        if (document === undefined) continue;
        occurrences.find(document.lines, this.slots);
        windows[at] = bestWindow(occurrences, weights, average);
        if (counter.hasWork) [pairs[at], exact[at], longest[at]] = counter.count(occurrences);
      }
    });
    return { pairs, exact, longest, windows };
  }

  /**
   * Runs `use` while every distinct term of the query has its slot in `this.slots`: 1 for the first of `marked` and so on.
   */
  private withSlots(query: QueryTerms, use: (marked: readonly number[]) => void): void {
    const marked = query.distinct.filter(term => this.index.frequency(term) > 0).slice(0, MAX_MARKED_TERMS);
    for (const [index, term] of marked.entries()) this.slots[term] = index + 1;
    try {
      use(marked);
    } finally {
      for (const term of marked) this.slots[term] = 0;
    }
  }

  /** Every term of a document once, with its count. */
  private eachTerm(document: Document, visit: (term: number, count: number) => void): void {
    const distinct: number[] = [];
    const countTerm = (term: number): void => {
      if (term >= this.occurrences.length) this.growTerms(term + 1);
      const count = this.occurrences[term] as number;
      if (count === 0) distinct.push(term);
      this.occurrences[term] = count + 1;
    };
    document.pathTerms.forEach(countTerm);
    document.lines.each(countTerm);
    for (const term of distinct) {
      visit(term, this.occurrences[term] ?? 0);
      this.occurrences[term] = 0;
    }
  }

  private tally(doc: number, { pathTerms, lines }: Document, sign: 1 | -1): void {
    if (sign === 1) this.index.addDocument(doc, pathTerms.length + lines.termCount);
    else this.index.removeDocument(doc);
    this.windowCount += sign * lines.windows.count;
    this.totalWindowLength += sign * lines.windows.length;
  }

  private growTerms(least: number): void {
    const length = Math.max(least, Math.ceil(this.occurrences.length * 1.5));
    this.occurrences = enlarged(this.occurrences, new Uint32Array(length));
    this.slots = new Uint8Array(length);
  }
}

function enlarged(from: Uint32Array<ArrayBuffer>, to: Uint32Array<ArrayBuffer>): Uint32Array<ArrayBuffer> {
  to.set(from);
  return to;
}
