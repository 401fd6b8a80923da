import { tokenize } from './identifiers';
import type { Vocabulary } from './vocabulary';
import { shorterForms } from './wordForms';

/** Terms of a query that are looked at; a longer text (a pasted log) is cut, its beginning says what it is about. */
const MAX_QUERY_TERMS = 200;

/** Stands in a sequence for a term that no file has. */
export const UNKNOWN_TERM = -1;

/** A query as terms of a vocabulary. */
export interface QueryTerms {
  /** All terms in order. */
  readonly tokens: readonly string[];
  /** Their numbers, `UNKNOWN_TERM` where the vocabulary has none; parallel to `tokens`. */
  readonly sequence: readonly number[];
  /** The known numbers, each once, in order of first use, then those of shorter forms of its words that occur. */
  readonly distinct: readonly number[];
}

/** Reads a query; the vocabulary does not grow. */
export function queryTerms(query: string, vocabulary: Vocabulary): QueryTerms {
  const tokens = tokenize(query).slice(0, MAX_QUERY_TERMS);
  const sequence = tokens.map(token => vocabulary.idOf(token) ?? UNKNOWN_TERM);
  const forms = tokens.flatMap(shorterForms).map(form => vocabulary.idOf(form) ?? UNKNOWN_TERM);
  return { tokens, sequence, distinct: [...new Set([...sequence, ...forms])].filter(id => id !== UNKNOWN_TERM) };
}

/** The query's own words alone, without the shorter forms that a search looks for besides. */
export function ownTerms(terms: QueryTerms): QueryTerms {
  return { ...terms, distinct: [...new Set(terms.sequence)].filter(id => id !== UNKNOWN_TERM) };
}

/** Number of each distinct word of the query, `UNKNOWN_TERM` once for every word that no file has. */
export function distinctWords({ tokens, sequence }: QueryTerms): number[] {
  return [...new Map(tokens.map((token, at) => [token, sequence[at] ?? UNKNOWN_TERM])).values()];
}
