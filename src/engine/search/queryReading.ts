import { tokenize } from '../lexical/identifiers';
import { queryTerms, type QueryTerms } from '../lexical/queryTerms';
import type { Vocabulary } from '../lexical/vocabulary';
import type { SearchNote } from '../types';
import { translate } from './translation';

/** What the arms are given of a query: the model knows English only, and files are mostly written in it. */
export interface QueryReading {
  /** For the lexical arms, in the numbers of a vocabulary. */
  readonly termsIn: (vocabulary: Vocabulary) => QueryTerms;
  /** For the model; undefined where it cannot read the query. */
  readonly modelText: string | undefined;
  /** Where that is not the query itself. */
  readonly note?: SearchNote;
}

/**
 * Reads the text of a query. A question in a language that can be translated becomes English; of its own words those
 * that the index has are looked for besides. A question in another script is left to the words.
 */
export function readQuery(text: string): QueryReading {
  const ownTermsIn = (vocabulary: Vocabulary): QueryTerms => queryTerms(text, vocabulary);
  if (isForeignScript(text)) {
    return { termsIn: ownTermsIn, modelText: undefined, note: { kind: 'unknown-script' } };
  }
  const translation = translate(text);
  if (translation === undefined) return { termsIn: ownTermsIn, modelText: text };
  return {
    termsIn: vocabulary => {
      const occurs = (word: string): boolean => tokenize(word).some(term => vocabulary.idOf(term) !== undefined);
      const besides = [...translation.alternatives, ...translation.originals].filter(occurs);
      return queryTerms([translation.text, ...besides].join(' '), vocabulary);
    },
    modelText: translation.text,
    note: { kind: 'translated', language: translation.language, text: translation.text },
  };
}

const LETTERS = /\p{L}/gu;
const LATIN_LETTERS = /\p{Script=Latin}/gu;

/** Are most letters of a script that the model knows letter by letter at best? */
function isForeignScript(text: string): boolean {
  const letters = text.match(LETTERS)?.length ?? 0;
  const latin = text.match(LATIN_LETTERS)?.length ?? 0;
  return latin * 2 < letters;
}
