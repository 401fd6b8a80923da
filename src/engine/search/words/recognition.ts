import { dictionaries, type Dictionary } from './dictionary';
import { isEnglishGrammar, looksEnglish } from './englishWords';
import type { TextWord } from './foldedText';

/** A run of words with what a dictionary says about it. */
export interface Reading {
  readonly words: readonly TextWord[];
  /**
   * `grammar`: a word that only says which language this is; `entry`: found in the dictionary; `ending`: English by its
   * ending alone; `other`: anything else.
   */
  readonly kind: 'grammar' | 'entry' | 'ending' | 'other';
  /** Equivalents, the usual one first; empty for `grammar` and `other`. */
  readonly english: readonly string[];
}

/** Reads words by a dictionary: the longest entry that fits wins. */
export function readWords(words: readonly TextWord[], dictionary: Dictionary): Reading[] {
  const readings: Reading[] = [];
  let at = 0;
  while (at < words.length) {
    const reading = phraseAt(words, at, dictionary) ?? wordAt(words, at, dictionary);
    readings.push(reading);
    at += reading.words.length;
  }
  return readings;
}

function phraseAt(words: readonly TextWord[], at: number, dictionary: Dictionary): Reading | undefined {
  for (let length = Math.min(dictionary.longest, words.length - at); length >= 2; length--) {
    const run = words.slice(at, at + length);
    const english = dictionary.phrase(run.map(({ folded }) => folded));
    if (english !== undefined) return { words: run, kind: 'entry', english };
  }
  return undefined;
}

function wordAt(words: readonly TextWord[], at: number, dictionary: Dictionary): Reading {
  const run = words.slice(at, at + 1);
  const { text, folded } = run[0] ?? { text: '', folded: '' };
  if (folded === '') return { words: run, kind: 'other', english: [] };
  if (dictionary.isFunctionWord(folded, text)) return { words: run, kind: 'grammar', english: [] };
  const english = dictionary.word(folded, text);
  if (english !== undefined) return { words: run, kind: 'entry', english };
  const cognate = looksEnglish(folded) ? undefined : dictionary.cognate(text);
  if (cognate !== undefined) return { words: run, kind: 'ending', english: [cognate] };
  return { words: run, kind: 'other', english: [] };
}

/** How much speaks for a language. */
interface Evidence {
  readonly dictionary: Dictionary;
  readonly readings: readonly Reading[];
  readonly weight: number;
  /** Words that the dictionary knows; decides between languages that share many words. */
  readonly covered: number;
}

const LEAST_EVIDENCE = 2;
/** What it takes where no word of grammar is among it: names alone are no sentence. */
const LEAST_WITHOUT_GRAMMAR = 3;

/**
 * The dictionary of the language that a text is in, with the text read by it; undefined for English and for names.
 * Counted are distinct words that English texts do not have; they must be more than twice the English words of grammar,
 * and the language must account for half of the words. Where two have as many, the one that knows more words is meant.
 */
export function recognise(words: readonly TextWord[]): Pick<Evidence, 'dictionary' | 'readings'> | undefined {
  const [best] = dictionaries()
    .flatMap(dictionary => evidenceFor(dictionary, words) ?? [])
    .sort((a, b) => b.weight - a.weight || b.covered - a.covered);
  return best;
}

function evidenceFor(dictionary: Dictionary, words: readonly TextWord[]): Evidence | undefined {
  const readings = readWords(words, dictionary);
  const seen = new Set<string>();
  let grammar = 0;
  let entries = 0;
  let english = 0;
  let covered = 0;
  let plain = 0;
  for (const { words: run, kind } of readings) {
    const key = run.map(({ folded }) => folded).join(' ');
    if (key === '') continue;
    plain += run.length;
    if (kind !== 'other') covered += run.length;
    if (seen.has(key)) continue;
    seen.add(key);
    if (run.length > 1) {
      if (!run.every(couldBeEnglish)) entries += run.length;
    } else if (kind === 'other') {
      if (isEnglishGrammar(key)) english++;
    } else if (!run.every(couldBeEnglish)) {
      if (kind === 'grammar') grammar++;
      else entries += kind === 'entry' ? 1 : 0.5;
    }
  }
  const weight = grammar + entries;
  const least = grammar > 0 ? LEAST_EVIDENCE : LEAST_WITHOUT_GRAMMAR;
  if (weight < least || weight <= 2 * english || covered * 2 < plain) return undefined;
  return { dictionary, readings, weight, covered };
}

/** English words are written without accents: `où` is none, `ou` might be. */
function couldBeEnglish({ text, folded }: TextWord): boolean {
  return text.toLowerCase() === folded && looksEnglish(folded);
}
