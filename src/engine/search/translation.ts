import { looksEnglish } from './words/englishWords';
import { foldWord, textWords } from './words/foldedText';
import type { LanguageCode } from './words/inflections';
import { recognise } from './words/recognition';

/** A question in another language, word by word in English. */
export interface Translation {
  /** The language it was read as. */
  readonly language: LanguageCode;
  /** The usual English for each word, in the question's order; names and unknown words as they are. */
  readonly text: string;
  /** Further English equivalents. */
  readonly alternatives: readonly string[];
  /** Words of the question that were translated and that stand for nothing else in English. */
  readonly originals: readonly string[];
}

/**
 * Reads a query as French, Portuguese, Spanish or German. Undefined where it is none of these by every sign, so that an
 * English question or a name is never touched.
 */
export function translate(query: string): Translation | undefined {
  const found = recognise(textWords(query));
  if (found === undefined) return undefined;
  const usual: string[] = [];
  const alternatives: string[] = [];
  const originals: string[] = [];
  for (const { words, kind, english } of found.readings) {
    if (kind === 'grammar') continue;
    const [first, ...others] = english;
    usual.push(first ?? words.map(({ text }) => text).join(' '));
    alternatives.push(...others);
    if (first === undefined) continue;
    const own = words.map(({ text }) => text).filter(text => !found.dictionary.isFunctionWord(foldWord(text), text));
    originals.push(...own.filter(text => !looksEnglish(foldWord(text))));
  }
  if (usual.length === 0) return undefined;
  return {
    language: found.dictionary.code,
    text: usual.join(' '),
    alternatives: [...new Set(alternatives)],
    originals: [...new Set(originals)],
  };
}
