/** Greatest count that is kept apart from greater ones: BM25 has long levelled off there. */
const MAX_COUNT = 0xffff;

/**
 * For every term the documents that hold it with their counts, in ascending order of documents. All lists share two
 * arrays: a list owns a stretch whose length is a power of two and moves to one of twice the length when it is full;
 * stretches left behind are used again. About eight bytes an entry, where a Map an entry took sixty.
 */
export class Postings {
  private documents = new Uint32Array(1 << 12);
  private counts = new Uint16Array(1 << 12);
  private used = 0;
  private starts = new Uint32Array(1 << 10);
  private lengths = new Uint32Array(1 << 10);
  /** Log2 of the stretch's length plus one; 0 = no stretch. */
  private classes = new Uint8Array(1 << 10);
  /** Free stretches by their class. */
  private readonly free: number[][] = [];

  /** Number of documents that hold a term. */
  frequency(term: number): number {
    return this.lengths[term] ?? 0;
  }

  /** Bytes of the arrays. */
  get byteLength(): number {
    return [this.documents, this.counts, this.starts, this.lengths, this.classes].reduce(
      (sum, array) => sum + array.byteLength,
      0,
    );
  }

  /** Adds a document to a term's list; it must not be there. */
  insert(term: number, document: number, count: number): void {
    this.makeRoom(term);
    const start = this.starts[term] ?? 0;
    const length = this.lengths[term] ?? 0;
    const at = this.position(start, length, document);
    if (at < start + length) {
      this.documents.copyWithin(at + 1, at, start + length);
      this.counts.copyWithin(at + 1, at, start + length);
    }
    this.documents[at] = document;
    this.counts[at] = Math.min(count, MAX_COUNT);
    this.lengths[term] = length + 1;
  }

  /** Takes a document out of a term's list; it must be there. */
  delete(term: number, document: number): void {
    const start = this.starts[term] ?? 0;
    const length = this.lengths[term] ?? 0;
    const at = this.position(start, length, document);
    if (at >= start + length || this.documents[at] !== document) {
      throw new RangeError(`document ${document} is not in the list of term ${term}`);
    }
    this.documents.copyWithin(at, at + 1, start + length);
    this.counts.copyWithin(at, at + 1, start + length);
    this.lengths[term] = length - 1;
    if (length === 1) this.release(term);
  }

  /** Views of a term's list, valid until the next change. */
  list(term: number): { readonly documents: Uint32Array; readonly counts: Uint16Array } {
    const start = this.starts[term] ?? 0;
    const end = start + this.frequency(term);
    return { documents: this.documents.subarray(start, end), counts: this.counts.subarray(start, end) };
  }

  /** Where a document stands or belongs in `[start, start + length]`. New documents mostly belong at the end. */
  private position(start: number, length: number, document: number): number {
    let low = start;
    let high = start + length;
    if (length > 0 && (this.documents[high - 1] ?? 0) < document) return high;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.documents[middle] ?? 0) < document) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  private makeRoom(term: number): void {
    if (term >= this.starts.length) this.growTerms(term + 1);
    const length = this.lengths[term] ?? 0;
    const size = this.classes[term] ?? 0;
    if (size > 0 && length < 1 << (size - 1)) return;
    const start = this.starts[term] ?? 0;
    const moved = this.claim(size + 1);
    this.documents.copyWithin(moved, start, start + length);
    this.counts.copyWithin(moved, start, start + length);
    this.release(term);
    this.starts[term] = moved;
    this.classes[term] = size + 1;
  }

  private release(term: number): void {
    const size = this.classes[term] ?? 0;
    if (size === 0) return;
    (this.free[size] ??= []).push(this.starts[term] ?? 0);
    this.classes[term] = 0;
  }

  private claim(size: number): number {
    const again = this.free[size]?.pop();
    if (again !== undefined) return again;
    const start = this.used;
    this.used += 1 << (size - 1);
    if (this.used > this.documents.length) {
      const length = Math.max(this.used, Math.ceil(this.documents.length * 1.5));
      this.documents = enlarged(this.documents, new Uint32Array(length));
      this.counts = enlarged(this.counts, new Uint16Array(length));
    }
    return start;
  }

  private growTerms(least: number): void {
    const length = Math.max(least, Math.ceil(this.starts.length * 1.5));
    this.starts = enlarged(this.starts, new Uint32Array(length));
    this.lengths = enlarged(this.lengths, new Uint32Array(length));
    this.classes = enlarged(this.classes, new Uint8Array(length));
  }
}

function enlarged<T extends Uint32Array | Uint16Array | Uint8Array>(from: T, to: T): T {
  to.set(from);
  return to;
}
