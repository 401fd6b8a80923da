import { detached } from './detached';
import { splitIdentifier } from './identifiers';

/** Identifiers remembered with their terms; a repository repeats a few tens of thousands of them all the time. */
const REMEMBERED_IDENTIFIERS = 1 << 16;

/** A longer identifier is hardly met again and would only fill the memory. */
const LONGEST_REMEMBERED = 128;

/** Terms and their numbers: append-only, numbered from 0 in the order of first use, so numbers can be stored. */
export class Vocabulary {
  private readonly terms: string[] = [];
  private readonly numbers = new Map<string, number>();
  private readonly known = new Map<string, readonly number[]>();

  /** @param terms the terms of an earlier vocabulary in their order; throws where one stands there twice. */
  constructor(terms: Iterable<string> = []) {
    for (const term of terms) {
      if (this.numbers.has(term)) throw new RangeError(`the vocabulary has the term "${term}" twice`);
      this.add(term);
    }
  }

  get size(): number {
    return this.terms.length;
  }

  /** The number of a term, if it has one. */
  idOf(term: string): number | undefined {
    return this.numbers.get(term);
  }

  /** The term of a number; throws for a number that was never given out. */
  termOf(id: number): string {
    const term = this.terms[id];
    if (term === undefined)
      throw new RangeError(`the vocabulary has ${this.terms.length} terms, there is no term ${id}`);
    return term;
  }

  /** The number of a term, a new one if need be. */
  add(term: string): number {
    const known = this.numbers.get(term);
    if (known !== undefined) return known;
    const own = detached(term);
    const id = this.terms.length;
    this.terms.push(own);
    this.numbers.set(own, id);
    return id;
  }

  /** The terms from a number on: what was added since a store held that many. */
  termsFrom(start: number): string[] {
    return this.terms.slice(start);
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
