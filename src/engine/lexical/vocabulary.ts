import { detached } from './detached';
import { splitIdentifier } from './identifiers';
import { TermTable } from './termTable';

/** Identifiers remembered with their terms; a repository repeats a few tens of thousands of them all the time. */
const REMEMBERED_IDENTIFIERS = 1 << 16;

/** A longer identifier is hardly met again and would only fill the memory. */
const LONGEST_REMEMBERED = 128;

/** Terms and their numbers: append-only, numbered from 0 in the order of first use, so numbers can be stored. */
export class Vocabulary {
  private readonly terms = new TermTable();
  private readonly known = new Map<string, readonly number[]>();

  /** @param terms the terms of an earlier vocabulary in their order; throws where one stands there twice. */
  constructor(terms: Iterable<string> = []) {
    for (const term of terms) {
      const { size } = this;
      if (this.add(term) < size) throw new RangeError(`the vocabulary has the term "${term}" twice`);
    }
  }

  get size(): number {
    return this.terms.size;
  }

  /** The number of a term, if it has one. */
  idOf(term: string): number | undefined {
    return this.terms.numberOf(term);
  }

  /** The term of a number; throws for a number that was never given out. */
  termOf(id: number): string {
    if (!(Number.isInteger(id) && id >= 0 && id < this.terms.size)) {
      throw new RangeError(`the vocabulary has ${this.terms.size} terms, there is no term ${id}`);
    }
    return this.terms.textOf(id);
  }

  /** The number of a term, a new one if need be. */
  add(term: string): number {
    return this.terms.add(term);
  }

  /** The same by the UTF-8 bytes of the term, which are copied: for the stored ones, of which there are many. */
  addBytes(term: Uint8Array): number {
    return this.terms.addBytes(term);
  }

  /** The terms from a number on: what was added since a store held that many. */
  termsFrom(start: number): string[] {
    return Array.from({ length: Math.max(0, this.size - start) }, (_, at) => this.terms.textOf(start + at));
  }

  /** The numbers of the terms of one identifier (see `splitIdentifier`), new ones if need be. */
  addIdentifier(identifier: string): readonly number[] {
    const known = this.known.get(identifier);
    if (known !== undefined) return known;
    const ids = splitIdentifier(identifier).map(term => this.add(term));
    if (identifier.length > LONGEST_REMEMBERED) return ids;
    if (this.known.size >= REMEMBERED_IDENTIFIERS) this.known.clear();
    this.known.set(detached(identifier), ids);
    return ids;
  }
}
