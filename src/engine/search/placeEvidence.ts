import { enclosingDefinition } from '../lexical/definitions';
import { pastedShare } from '../lexical/neighbours';
import { UNKNOWN_TERM } from '../lexical/queryTerms';
import type { ContentRow } from '../store/records';

/** A line that holds so much of the query in a row is where it was pasted from, or what printed it. */
const MOST = 0.6;

/** What a query is to the inside of a file. Terms are numbers of the vocabulary. */
export interface PlaceQuery {
  /** Weight (IDF) of each term that is looked for. */
  readonly weights: ReadonlyMap<number, number>;
  /** The query's own words in order, `UNKNOWN_TERM` where no file has one. */
  readonly sequence: readonly number[];
  /** Texts that were quoted, as terms in order: where one stands word by word, there is the answer. */
  readonly verbatim: readonly (readonly number[])[];
  /** Lines (1-based) that the query names, as a stack trace does. */
  readonly named: readonly number[];
  /** Terms of a defined name. */
  readonly termsOf: (name: string) => readonly number[];
}

/** A line (0-based) that holds terms of the query or is named by it. */
export interface MatchingLine {
  readonly line: number;
  /** Each term found, in order, by its place among the weights. */
  readonly slots: readonly number[];
  /** How often two words that are neighbours in the query are neighbours here. */
  readonly pairs: number;
  /** The query names this line, or what was quoted stands here; of a query that does neither, most of it in a row. */
  readonly isDecisive: boolean;
}

/** Finds what of a query stands on which lines of one content. */
export class PlaceEvidence {
  /** In order of their lines. */
  readonly lines: readonly MatchingLine[];
  /** Parallel to the weights' terms. */
  readonly weights: readonly number[];
  private readonly slotOf: ReadonlyMap<number, number>;
  private readonly slotsOfName = new Map<string, readonly number[]>();

  constructor(
    private readonly content: ContentRow,
    private readonly query: PlaceQuery,
  ) {
    this.slotOf = new Map([...query.weights.keys()].map((term, slot) => [term, slot]));
    this.weights = [...query.weights.values()];
    this.lines = this.matchingLines();
  }

  /** Slots of the words in the name of the definition that a line (0-based) stands in: the name speaks for its body. */
  slotsOfEnclosingName(line: number): readonly number[] {
    const definition = enclosingDefinition(this.content.definitions, line + 1);
    if (definition === undefined) return [];
    let slots = this.slotsOfName.get(definition.name);
    if (slots === undefined) {
      slots = [...new Set(this.query.termsOf(definition.name))].flatMap(term => this.slotOf.get(term) ?? []);
      this.slotsOfName.set(definition.name, slots);
    }
    return slots;
  }

  private matchingLines(): MatchingLine[] {
    const { terms, lineEnds } = this.content;
    const { named, verbatim, sequence } = this.query;
    const asksForLines = named.length > 0 || verbatim.length > 0;
    const isPair = this.pairsOfNeighbours();
    const width = this.weights.length;
    const found: MatchingLine[] = [];
    let start = 0;
    for (let line = 0; line < lineEnds.length; line++) {
      const end = lineEnds[line] as number;
      let slots: number[] | undefined;
      let pairs = 0;
      let chain = 1;
      let longest = 0;
      let before = -1;
      for (let at = start; at < end; at++) {
        const slot = this.slotOf.get(terms[at] as number) ?? -1;
        if (slot >= 0) {
          (slots ??= []).push(slot);
          const follows = before >= 0 && isPair[before * width + slot] === 1;
          chain = follows ? chain + 1 : 1;
          if (follows) pairs++;
          if (follows && chain > longest) longest = chain;
        }
        before = slot;
      }
      const isNamed = named.includes(line + 1);
      if (slots !== undefined || isNamed) {
        const onLine = terms.subarray(start, end);
        const isDecisive = asksForLines
          ? isNamed || verbatim.some(text => standsIn(onLine, text))
          : pastedShare(longest, sequence.length) >= MOST;
        found.push({ line, slots: slots ?? [], pairs, isDecisive });
      }
      start = end;
    }
    return found;
  }

  /** 1 for every two slots whose words are neighbours in the query, `[slots × slots]`. */
  private pairsOfNeighbours(): Uint8Array {
    const { sequence } = this.query;
    const isPair = new Uint8Array(this.weights.length ** 2);
    for (const [at, second] of sequence.entries()) {
      const first = this.slotOf.get(sequence[at - 1] ?? UNKNOWN_TERM);
      const slot = this.slotOf.get(second);
      if (first !== undefined && slot !== undefined && first !== slot) isPair[first * this.weights.length + slot] = 1;
    }
    return isPair;
  }
}

function standsIn(line: Uint32Array, text: readonly number[]): boolean {
  if (text.length === 0 || text.includes(UNKNOWN_TERM)) return false;
  for (let at = 0; at + text.length <= line.length; at++) {
    if (text.every((term, offset) => line[at + offset] === term)) return true;
  }
  return false;
}
