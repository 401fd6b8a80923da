const MARKS = /\p{M}/gu;

/** A word as the dictionaries compare it: lower case, without accents, `ß` and ligatures as two letters. */
export function foldWord(word: string): string {
  const lower = word.toLowerCase().replace(/ß/g, 'ss').replace(/œ/g, 'oe').replace(/æ/g, 'ae').replace(/’/g, "'");
  return lower.normalize('NFD').replace(MARKS, '');
}

/** One word of a text. */
export interface TextWord {
  /** As it is written. */
  readonly text: string;
  /** See `foldWord`; empty for what belongs to code rather than to a language: names, numbers, abbreviations. */
  readonly folded: string;
}

/** Ends of a chunk that belong to the sentence; `¿` and `¡` stand in front of one. */
const EDGES = /^[^\p{L}\p{N}_$#@./\\-]+|[^\p{L}\p{N}_$+#*]+$/gu;
const PLAIN = /^[\p{L}\p{M}]+(?:['’-][\p{L}\p{M}]+)*$/u;
const CAPITAL_INSIDE = /\p{Ll}\p{Lu}|^\p{Lu}{2,}/u;
/** `l'erreur`, `jusqu'à`: short words that lose their vowel, and stay words of their own. */
const ELIDED = /^(?:[cdjlmnst]|qu|jusqu|lorsqu|puisqu|quelqu|aujourd)['’](?=.{2})/iu;

/** A longer chunk is no word. */
const LONGEST_WORD = 64;
/** Words that are read; a longer text is cut, as the terms of a query are. */
const MOST_WORDS = 200;

/** The words of a text in order, of a long one the first. */
export function textWords(text: string): TextWord[] {
  return chunksOf(text).flatMap(chunk => {
    if (chunk.length > LONGEST_WORD) return [{ text: chunk, folded: '' }];
    const word = chunk.replace(EDGES, '');
    if (word === '') return [];
    if (!PLAIN.test(word) || CAPITAL_INSIDE.test(word)) return [{ text: word, folded: '' }];
    return plainWords(word);
  });
}

function chunksOf(text: string): string[] {
  return text.normalize('NFC').trim().split(/\s+/, MOST_WORDS);
}

function plainWords(word: string): TextWord[] {
  const [elided] = ELIDED.exec(word) ?? [];
  if (elided !== undefined) return [asWord(elided), ...plainWords(word.slice(elided.length))];
  return word.split('-').map(asWord);
}

function asWord(text: string): TextWord {
  return { text, folded: foldWord(text) };
}
