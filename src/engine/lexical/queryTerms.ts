import { withoutFunctionWords } from './functionWords';
import { tokenize } from './identifiers';
import type { Vocabulary } from './vocabulary';

/** Terms of a query that are looked at; a longer text (a pasted log) is cut, its beginning says what it is about. */
const MAX_QUERY_TERMS = 200;

/** Stands in a sequence for a term that no file has. */
export const UNKNOWN_TERM = -1;

/** A query as terms of a vocabulary. */
export interface QueryTerms {
  /** Its terms in order, without the words of its grammar. */
  readonly tokens: readonly string[];
  /** Their numbers, `UNKNOWN_TERM` where the vocabulary has none; parallel to `tokens`. */
  readonly sequence: readonly number[];
  /** The known numbers, each once, in order of first use. */
  readonly distinct: readonly number[];
}

/** Reads a query; the vocabulary does not grow. */
export function queryTerms(query: string, vocabulary: Vocabulary): QueryTerms {
  const tokens = withoutFunctionWords(tokenize(query).slice(0, MAX_QUERY_TERMS));
  const sequence = tokens.map(token => vocabulary.idOf(token) ?? UNKNOWN_TERM);
  return { tokens, sequence, distinct: [...new Set(sequence)].filter(id => id !== UNKNOWN_TERM) };
}
