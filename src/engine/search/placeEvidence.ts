import { enclosingDefinition } from '../lexical/definitions';
import { pastedShare } from '../lexical/neighbours';
import { UNKNOWN_TERM } from '../lexical/queryTerms';
import type { ContentRow } from '../store/records';
import type { PlaceQuery } from './placeQuery';

/** A line that holds so much of the query in a row is where it was pasted from, or what printed it. */
const MOST = 0.6;

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

  /** @param named lines (1-based) that the query names, as a stack trace does. */
  constructor(
    private readonly content: ContentRow,
    private readonly query: PlaceQuery,
    named: readonly number[],
  ) {
    this.lines = this.matchingLines(named);
  }

  /** Slots of the words in the name of the definition that a line (0-based) stands in: the name speaks for its body. */
  slotsOfEnclosingName(line: number): readonly number[] {
    const definition = enclosingDefinition(this.content.definitions, line + 1);
    return definition === undefined ? [] : this.query.slotsOfName(definition.name);
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
