import { enclosingDefinition } from '../lexical/definitions';
import { pastedShare } from '../lexical/neighbours';
import { UNKNOWN_TERM } from '../lexical/queryTerms';
import type { ContentRow } from '../store/records';
import type { NamedWords, PlaceQuery } from './placeQuery';

/** A line that holds so much of the query in a row is where it was pasted from, or what printed it. */
const MOST = 0.6;
const NO_NAME: NamedWords = { slots: [], share: 0 };

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
  /**
   * By slot: the geometric mean of its IDF over files and its IDF over the lines of this content. What half of a file is
   * about does not tell its lines apart, however rare it is elsewhere.
   */
  readonly weights: readonly number[];

  private readonly allWeights: number;

  /** @param named lines (1-based) that the query names, as a stack trace does. */
  constructor(
    private readonly content: ContentRow,
    private readonly query: PlaceQuery,
    named: readonly number[],
  ) {
    this.lines = this.matchingLines(named);
    this.weights = this.weightsHere();
    this.allWeights = sum(this.weights);
  }

  /** The words of the query in the name of the definition that a line (0-based) stands in: a name speaks for its body. */
  enclosingName(line: number): NamedWords {
    const definition = enclosingDefinition(this.content.definitions, line + 1);
    return definition === undefined ? NO_NAME : this.query.wordsOfName(definition.name);
  }

  /**
   * How far a name is what the query is about, in [0, 1]: the share of the query's weight that the name has, times the share
   * of the name's words that the query has.
   */
  matchOf({ slots, share }: NamedWords): number {
    return slots.length === 0 ? 0 : (share * sum(slots.map(slot => this.weights[slot] ?? 0))) / this.allWeights;
  }

  private weightsHere(): number[] {
    const { lineCount } = this.content;
    const holding = new Uint32Array(this.query.weights.length);
    const lastSeen = new Int32Array(holding.length).fill(-1);
    for (const { line, slots } of this.lines) {
      for (const slot of slots) {
        if (lastSeen[slot] !== line) holding[slot]!++;
        lastSeen[slot] = line;
      }
    }
    return this.query.weights.map((weight, slot) => {
      const count = holding[slot] ?? 0;
      return Math.sqrt(weight * Math.log1p((lineCount - count + 0.5) / (count + 0.5)));
    });
  }

  private matchingLines(named: readonly number[]): MatchingLine[] {
    const { terms, lineEnds } = this.content;
    const { query } = this;
    const asksForLines = named.length > 0 || query.verbatim.length > 0;
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
        const slot = query.slotOf(terms[at] as number);
        if (slot >= 0) {
          (slots ??= []).push(slot);
          const follows = before >= 0 && query.isPair(before, slot);
          chain = follows ? chain + 1 : 1;
          if (follows) pairs++;
          if (follows && chain > longest) longest = chain;
        }
        before = slot;
      }
      const isNamed = named.includes(line + 1);
      if (slots !== undefined || isNamed) {
        const isDecisive = asksForLines
          ? isNamed || query.verbatim.some(text => standsIn(terms.subarray(start, end), text))
          : pastedShare(longest, query.length) >= MOST;
        found.push({ line, slots: slots ?? [], pairs, isDecisive });
      }
      start = end;
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

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
