import { tokenize } from '../lexical/identifiers';
import { queryTerms, type QueryTerms, UNKNOWN_TERM } from '../lexical/queryTerms';
import type { Vocabulary } from '../lexical/vocabulary';

/** The words of a name that a query looks for. */
export interface NamedWords {
  /** Of those words, each once. */
  readonly slots: readonly number[];
  /** How many of the name's words they are, in [0, 1]. */
  readonly share: number;
}

/**
 * What a query is to the insides of files, made once for all of them. Terms are numbers of the vocabulary; every term that
 * is looked for has a slot, its place among the weights.
 */
export class PlaceQuery {
  /** Weight (IDF) by slot. */
  readonly weights: readonly number[];
  /** How many words the query has. */
  readonly length: number;
  /** Texts that were quoted, as terms in order: where one stands word by word, there is the answer. */
  readonly verbatim: readonly (readonly number[])[];
  /** Slot by term, plus one; 0 or nothing = not looked for. */
  private readonly slots: Uint16Array;
  private readonly slotOfWord: ReadonlyMap<string, number>;
  /** 1 for every two slots whose words are neighbours in the query, `[slots × slots]`. */
  private readonly pairs: Uint8Array;
  private readonly names = new Map<string, NamedWords>();

  /** @param quoted texts. */
  constructor(
    { distinct, sequence }: QueryTerms,
    vocabulary: Vocabulary,
    weightOf: (term: number) => number,
    quoted: readonly string[] = [],
  ) {
    this.weights = distinct.map(weightOf);
    this.length = sequence.length;
    this.verbatim = quoted.map(text => queryTerms(text, vocabulary).sequence);
    this.slots = new Uint16Array(Math.max(-1, ...distinct) + 1);
    for (const [slot, term] of distinct.entries()) this.slots[term] = slot + 1;
    this.slotOfWord = new Map(distinct.map((term, slot) => [vocabulary.termOf(term), slot]));
    this.pairs = this.pairsOf(sequence);
  }

  /** -1 = the term is not looked for. */
  slotOf(term: number): number {
    return (this.slots[term] ?? 0) - 1;
  }

  /** Whether the terms of two slots are neighbours in the query, in this order. */
  isPair(first: number, second: number): boolean {
    return this.pairs[first * this.weights.length + second] === 1;
  }

  /** What of a defined name is looked for. */
  wordsOfName(name: string): NamedWords {
    const known = this.names.get(name);
    if (known !== undefined) return known;
    const words = [...new Set(tokenize(name))];
    const slots = words.flatMap(word => this.slotOfWord.get(word) ?? []);
    const found = { slots, share: slots.length / Math.max(1, words.length) };
    this.names.set(name, found);
    return found;
  }

  private pairsOf(sequence: readonly number[]): Uint8Array {
    const pairs = new Uint8Array(this.weights.length ** 2);
    for (const [at, term] of sequence.entries()) {
      const first = this.slotOf(sequence[at - 1] ?? UNKNOWN_TERM);
      const second = this.slotOf(term);
      if (first >= 0 && second >= 0 && first !== second) pairs[first * this.weights.length + second] = 1;
    }
    return pairs;
  }
}
