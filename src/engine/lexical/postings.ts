import { BlobTable } from '../store/blobTable';
import { preparedRest, type SnapshotSink, type SnapshotSource } from '../store/snapshot';

/** Greatest count that is kept apart from greater ones: BM25 has long levelled off there. */
const MAX_COUNT = 0xffff;
/** Bytes of an entry of a list as it is written: four of the document, two of the count. */
const ENTRY = 6;

/** A term's list, ascending by document; parallel arrays. */
export interface PostingList {
  readonly documents: Uint32Array;
  readonly counts: Uint16Array;
}

/**
 * For every term the documents that hold it with their counts, in ascending order of documents. A list rests in a
 * snapshot until it changes. All others share two arrays: a list owns a stretch whose length is a power of two and moves to
 * one of twice the length when it is full; stretches left behind are used again. About eight bytes an entry, where a Map an
 * entry took sixty; beside its entries a list takes nine bytes, one that rests four to eight, and every term four more once
 * the first list has changed.
 */
export class Postings {
  private readonly resting = new BlobTable();
  private documents = new Uint32Array(1 << 12);
  private counts = new Uint16Array(1 << 12);
  private used = 0;
  /** By term the place of its list in the three arrays below; 0 = it rests, or there is none. */
  private places = new Uint32Array(1 << 10);
  /** Every term with a place is below this. */
  private termLimit = 0;
  /** The first place is no list's and stays empty. */
  private placeCount = 1;
  private starts = new Uint32Array(1 << 8);
  private lengths = new Uint32Array(1 << 8);
  /** Log2 of the stretch's length plus one; 0 = no stretch. */
  private classes = new Uint8Array(1 << 8);
  /** Free stretches by their class. */
  private readonly free: number[][] = [];

  /** Number of documents that hold a term; reads nothing. */
  frequency(term: number): number {
    const place = this.places[term] ?? 0;
    return place > 0 ? (this.lengths[place] as number) : this.resting.lengthOf(term) / ENTRY;
  }

  /** Every term that some document holds is below this. */
  get limit(): number {
    return Math.max(this.termLimit, this.resting.limit);
  }

  /** Bytes of the arrays, without those of resting lists. */
  get byteLength(): number {
    return [this.documents, this.counts, this.places, this.starts, this.lengths, this.classes].reduce(
      (sum, array) => sum + array.byteLength,
      0,
    );
  }

  /** Adds a document to a term's list; it must not be there. @throws LandmarkError `store-damaged`, before any change. */
  insert(term: number, document: number, count: number): void {
    let place = this.placeOf(term);
    if (place === 0) place = this.newPlace(term);
    this.makeRoom(place);
    const start = this.starts[place] as number;
    const length = this.lengths[place] as number;
    const at = this.position(start, length, document);
    if (at < start + length) {
      this.documents.copyWithin(at + 1, at, start + length);
      this.counts.copyWithin(at + 1, at, start + length);
    }
    this.documents[at] = document;
    this.counts[at] = Math.min(count, MAX_COUNT);
    this.lengths[place] = length + 1;
  }

  /**
   * Takes a document out of a term's list.
   * @throws RangeError where it is not there, LandmarkError `store-damaged`; before any change.
   */
  delete(term: number, document: number): void {
    const place = this.placeOf(term);
    const start = this.starts[place] as number;
    const length = this.lengths[place] as number;
    const at = this.position(start, length, document);
    if (at >= start + length || this.documents[at] !== document) {
      throw new RangeError(`document ${document} is not in the list of term ${term}`);
    }
    this.documents.copyWithin(at, at + 1, start + length);
    this.counts.copyWithin(at, at + 1, start + length);
    this.lengths[place] = length - 1;
    if (length === 1) this.release(place);
  }

  /** Views of a term's list, valid until the next call of anything but `frequency`. @throws LandmarkError `store-damaged`. */
  list(term: number): PostingList {
    const place = this.places[term] ?? 0;
    if (place === 0) return viewsOf(this.resting.get(term));
    const start = this.starts[place] as number;
    const end = start + (this.lengths[place] as number);
    return { documents: this.documents.subarray(start, end), counts: this.counts.subarray(start, end) };
  }

  /** Writes all lists. Nothing may change meanwhile. */
  async save(sink: SnapshotSink, name: string): Promise<void> {
    let buffer = new ArrayBuffer(1 << 16);
    const get = (term: number): Uint8Array | undefined => {
      if ((this.places[term] ?? 0) === 0) return this.resting.get(term);
      const { documents, counts } = this.list(term);
      const length = documents.length * ENTRY;
      if (length === 0) return undefined;
      if (length > buffer.byteLength) buffer = new ArrayBuffer(length * 2);
      const blob = new Uint8Array(buffer, 0, length);
      const written = viewsOf(blob);
      written.documents.set(documents);
      written.counts.set(counts);
      return blob;
    };
    await sink.blobs(`${name}.lists`, { limit: this.limit, get });
  }

  /** Lets all lists rest in a snapshot; for postings that hold none yet. */
  async restore(source: SnapshotSource, name: string): Promise<void> {
    (await this.rest(source, name))();
  }

  /** Gets ready to let all lists rest in a snapshot of just these. @returns does it, at once. */
  rest(source: SnapshotSource, name: string): Promise<() => void> {
    return preparedRest(source, `${name}.lists`, {
      rest: (from, index) => {
        this.forget();
        this.resting.rest(from, index);
      },
    });
  }

  /** Gives the memory of the lists back that do not rest. */
  private forget(): void {
    this.documents = new Uint32Array(1 << 12);
    this.counts = new Uint16Array(1 << 12);
    this.used = 0;
    this.places = new Uint32Array(1 << 10);
    this.termLimit = 0;
    this.placeCount = 1;
    this.starts = new Uint32Array(1 << 8);
    this.lengths = new Uint32Array(1 << 8);
    this.classes = new Uint8Array(1 << 8);
    this.free.length = 0;
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

  /** The place of a list that is about to change, which no longer rests then; 0 where the term never had one. */
  private placeOf(term: number): number {
    const place = this.places[term] ?? 0;
    return place > 0 || this.resting.lengthOf(term) === 0 ? place : this.wake(term);
  }

  private wake(term: number): number {
    const { documents, counts } = this.list(term);
    const { length } = documents;
    const place = this.newPlace(term);
    // With room for one more: most lists change by growing.
    const size = 33 - Math.clz32(length);
    const start = this.claim(size);
    this.documents.set(documents, start);
    this.counts.set(counts, start);
    this.starts[place] = start;
    this.lengths[place] = length;
    this.classes[place] = size;
    return place;
  }

  private newPlace(term: number): number {
    const place = this.placeCount++;
    if (place >= this.starts.length) this.growPlaces();
    if (term >= this.places.length) {
      const length = Math.max(term + 1, Math.ceil(this.places.length * 1.5));
      this.places = enlarged(this.places, new Uint32Array(length));
    }
    this.places[term] = place;
    this.termLimit = Math.max(this.termLimit, term + 1);
    return place;
  }

  private makeRoom(place: number): void {
    const length = this.lengths[place] as number;
    const size = this.classes[place] as number;
    if (size > 0 && length < 1 << (size - 1)) return;
    const start = this.starts[place] as number;
    const moved = this.claim(size + 1);
    this.documents.copyWithin(moved, start, start + length);
    this.counts.copyWithin(moved, start, start + length);
    this.release(place);
    this.starts[place] = moved;
    this.classes[place] = size + 1;
  }

  private release(place: number): void {
    const size = this.classes[place] as number;
    if (size === 0) return;
    (this.free[size] ??= []).push(this.starts[place] as number);
    this.classes[place] = 0;
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

  private growPlaces(): void {
    const length = Math.ceil(this.starts.length * 1.5);
    this.starts = enlarged(this.starts, new Uint32Array(length));
    this.lengths = enlarged(this.lengths, new Uint32Array(length));
    this.classes = enlarged(this.classes, new Uint8Array(length));
  }
}

/** A list as it is written: all documents, then all counts. */
function viewsOf(blob: Uint8Array | undefined): PostingList {
  if (blob === undefined) return { documents: new Uint32Array(), counts: new Uint16Array() };
  const length = Math.floor(blob.length / ENTRY);
  return {
    documents: new Uint32Array(blob.buffer, blob.byteOffset, length),
    counts: new Uint16Array(blob.buffer, blob.byteOffset + length * 4, length),
  };
}

function enlarged<T extends Uint32Array | Uint16Array | Uint8Array>(from: T, to: T): T {
  to.set(from);
  return to;
}
