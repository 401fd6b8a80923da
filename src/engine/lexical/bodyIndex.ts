import { bestWindow, windowTotals } from './lineWindows';
import { NeighbourCounter } from './neighbours';
import { Occurrences } from './occurrences';
import { Postings } from './postings';
import type { QueryTerms } from './queryTerms';

/** Terms of one query that windows and pairs look at. */
const MAX_MARKED_TERMS = 254;

/** BM25: how soon repetition stops to count, and how much length does (0 to 1). */
export interface Bm25Parameters {
  readonly k1: number;
  readonly b: number;
}

/** The content of a document: the same arrays may be handed in for every copy, they are kept as they are. */
export interface BodyContent {
  readonly terms: Uint32Array;
  readonly lineEnds: Uint32Array;
}

/** Documents with a score above zero, in no particular order; parallel arrays. */
export interface ScoredDocs {
  readonly docs: Uint32Array;
  readonly scores: Float64Array;
}

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

interface Document extends BodyContent {
  readonly pathTerms: Uint32Array;
}

/**
 * Full text of all documents: BM25 over path and content, and what only the order of the terms can tell (neighbours,
 * windows of lines). Documents and terms are small integers. Removing is the exact inverse of adding.
 */
export class BodyIndex {
  private readonly postings = new Postings();
  private readonly documents: (Document | undefined)[] = [];
  private lengths = new Uint32Array(1 << 10);
  private count = 0;
  private totalLength = 0;
  private windowCount = 0;
  private totalWindowLength = 0;
  /** Work space, all zero between calls: occurrences by term, scores by document, query slot by term. */
  private occurrences = new Uint32Array(1 << 10);
  private sums = new Float64Array(1 << 10);
  private slots = new Uint8Array(1 << 10);

  /** Number of documents. */
  get size(): number {
    return this.count;
  }

  has(doc: number): boolean {
    return this.documents[doc] !== undefined;
  }

  /** Bytes of the postings and work space, without the contents that were handed in. */
  get byteLength(): number {
    const space = [this.lengths, this.occurrences, this.sums, this.slots].reduce(
      (sum, array) => sum + array.byteLength,
      0,
    );
    return this.postings.byteLength + space;
  }

  /** Adds a document under a number that is not in use; throws RangeError otherwise. */
  add(doc: number, pathTerms: Uint32Array, content: BodyContent): void {
    if (this.has(doc)) throw new RangeError(`document ${doc} is in the body index already`);
    const document: Document = { pathTerms, terms: content.terms, lineEnds: content.lineEnds };
    this.eachTerm(document, (term, count) => this.postings.insert(term, doc, count));
    if (doc >= this.lengths.length) this.growDocuments(doc + 1);
    this.documents[doc] = document;
    this.lengths[doc] = pathTerms.length + content.terms.length;
    this.tally(document, 1);
  }

  /** Takes a document out; unknown numbers are ignored. */
  remove(doc: number): void {
    const document = this.documents[doc];
    if (document === undefined) return;
    this.eachTerm(document, term => this.postings.delete(term, doc));
    this.documents[doc] = undefined;
    this.lengths[doc] = 0;
    this.tally(document, -1);
  }

  /**
   * Gives a document another content, as `remove` and `add` do together. Only what differs is touched, so that an edited
   * text costs little. @throws RangeError for a number that is not in use.
   */
  replace(doc: number, pathTerms: Uint32Array, content: BodyContent): void {
    const before = this.documents[doc];
    if (before === undefined) throw new RangeError(`document ${doc} is not in the body index`);
    const after: Document = { pathTerms, terms: content.terms, lineEnds: content.lineEnds };
    const counts = new Map<number, number>();
    this.eachTerm(before, (term, count) => counts.set(term, count));
    this.eachTerm(after, (term, count) => {
      const known = counts.get(term);
      counts.delete(term);
      if (known === count) return;
      if (known !== undefined) this.postings.delete(term, doc);
      this.postings.insert(term, doc, count);
    });
    for (const term of counts.keys()) this.postings.delete(term, doc);
    this.documents[doc] = after;
    this.lengths[doc] = pathTerms.length + content.terms.length;
    this.tally(before, -1);
    this.tally(after, 1);
  }

  /** ln(1 + (N − df + ½) / (df + ½)): never negative. */
  idf(term: number): number {
    const frequency = this.postings.frequency(term);
    return Math.log(1 + (this.count - frequency + 0.5) / (frequency + 0.5));
  }

  /** BM25 of all documents that hold a term of the query (Robertson's, with Lucene's IDF). */
  score(query: QueryTerms, parameters: Bm25Parameters): ScoredDocs {
    const { k1, b } = parameters;
    const { sums, lengths } = this;
    const perLength = this.totalLength > 0 ? (k1 * b * this.count) / this.totalLength : 0;
    const base = k1 * (1 - b);
    const touched: number[] = [];
    for (const term of query.distinct) {
      const { documents, counts } = this.postings.list(term);
      const weight = this.idf(term) * (k1 + 1);
      for (let at = 0; at < documents.length; at++) {
        const doc = documents[at] ?? 0;
        const count = counts[at] ?? 0;
        const sum = sums[doc] ?? 0;
        if (sum === 0) touched.push(doc);
        sums[doc] = sum + (weight * count) / (count + base + perLength * (lengths[doc] ?? 0));
      }
    }
    const docs = Uint32Array.from(touched);
    const scores = new Float64Array(docs.length);
    for (let at = 0; at < docs.length; at++) {
      const doc = docs[at] as number;
      scores[at] = sums[doc] as number;
      sums[doc] = 0;
    }
    return { docs, scores };
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
        occurrences.find(document.terms, this.slots);
        windows[at] = bestWindow(document.lineEnds, occurrences, weights, average);
        if (counter.hasWork) [pairs[at], exact[at], longest[at]] = counter.count(document, occurrences);
      }
    });
    return { pairs, exact, longest, windows };
  }

  /**
   * Runs `use` while every distinct term of the query has its slot in `this.slots`: 1 for the first of `marked` and so on.
   */
  private withSlots(query: QueryTerms, use: (marked: readonly number[]) => void): void {
    const marked = query.distinct.filter(term => this.postings.frequency(term) > 0).slice(0, MAX_MARKED_TERMS);
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
    for (const terms of [document.pathTerms, document.terms]) {
      for (const term of terms) {
        if (term >= this.occurrences.length) this.growTerms(term + 1);
        const count = this.occurrences[term] ?? 0;
        if (count === 0) distinct.push(term);
        this.occurrences[term] = count + 1;
      }
    }
    for (const term of distinct) {
      visit(term, this.occurrences[term] ?? 0);
      this.occurrences[term] = 0;
    }
  }

  private tally(document: Document, sign: 1 | -1): void {
    const { terms, lineEnds } = document;
    this.count += sign;
    this.totalLength += sign * (document.pathTerms.length + terms.length);
    const windows = windowTotals(lineEnds);
    this.windowCount += sign * windows.count;
    this.totalWindowLength += sign * windows.length;
  }

  private growDocuments(least: number): void {
    const length = Math.max(least, Math.ceil(this.lengths.length * 1.5));
    this.lengths = enlarged(this.lengths, new Uint32Array(length));
    this.sums = new Float64Array(length);
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
