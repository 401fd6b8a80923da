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
    const neighbours = new Set<string>();
    for (const [at, second] of this.query.sequence.entries()) {
      const first = this.query.sequence[at - 1] ?? UNKNOWN_TERM;
      if (first !== UNKNOWN_TERM && second !== UNKNOWN_TERM && first !== second) neighbours.add(`${first} ${second}`);
    }
    const asksForLines = this.query.named.length > 0 || this.query.verbatim.length > 0;
    const found: MatchingLine[] = [];
    let at = 0;
    for (const [line, end] of lineEnds.entries()) {
      const start = at;
      const slots: number[] = [];
      let pairs = 0;
      let chain = 1;
      let longest = 0;
      let before = UNKNOWN_TERM;
      for (; at < end; at++) {
        const term = terms[at] ?? UNKNOWN_TERM;
        const slot = this.slotOf.get(term);
        if (slot !== undefined) {
          slots.push(slot);
          const isPair = before !== UNKNOWN_TERM && neighbours.has(`${before} ${term}`);
          chain = isPair ? chain + 1 : 1;
          if (isPair) pairs++;
          if (isPair && chain > longest) longest = chain;
        }
        before = slot === undefined ? UNKNOWN_TERM : term;
      }
      const isNamed = this.query.named.includes(line + 1);
      if (slots.length === 0 && !isNamed) continue;
      const onLine = terms.subarray(start, end);
      const isDecisive = asksForLines
        ? isNamed || this.query.verbatim.some(text => standsIn(onLine, text))
        : pastedShare(longest, this.query.sequence.length) >= MOST;
      found.push({ line, slots, pairs, isDecisive });
    }
    return found;
  }
}

function standsIn(line: Uint32Array, text: readonly number[]): boolean {
  if (text.length === 0 || text.includes(UNKNOWN_TERM)) return false;
  for (let at = 0; at + text.length <= line.length; at++) {
    if (text.every((term, offset) => line[at + offset] === term)) return true;
  }
  return false;
}
