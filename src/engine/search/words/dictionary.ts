import german from './de.json';
import spanish from './es.json';
import { foldWord, textWords } from './foldedText';
import french from './fr.json';
import { cognate, dictionaryForms, type LanguageCode } from './inflections';
import portuguese from './pt.json';

/** A dictionary as its file has it. */
interface DictionaryFile {
  /** Words of grammar, by spaces: they say which language a text is in, and nothing about code. */
  readonly functionWords: string;
  /** English equivalents, the usual one first, to the words that have just these; a word may be words by spaces. */
  readonly words: Readonly<Record<string, string>>;
}

const SHORTEST_HALF = 4;
/** What may stand between the halves of a German compound. */
const JOINTS = ['', 's', 'n', 'en', 'es', 'e'];

/** The English of one language's words, looked up by folded words. */
export class Dictionary {
  /** Most words of an entry. */
  readonly longest: number;
  private readonly functions: ReadonlySet<string>;
  private readonly entries: ReadonlyMap<string, readonly string[]>;
  /** The same by words with their accents: `nó` (node) is not `no`, `données` (data) are not given. */
  private readonly accented: ReadonlyMap<string, readonly string[]>;

  constructor(
    readonly code: LanguageCode,
    file: DictionaryFile,
  ) {
    const written = Object.entries(file.words).flatMap(([english, words]) =>
      words.split(', ').map(word => [word, english.split(', ')] as const),
    );
    const phrases = written.map(([word, english]) => [entryWords(word), english] as const);
    this.longest = Math.max(...phrases.map(([words]) => words.length));
    this.functions = new Set(file.functionWords.split(' ').map(foldWord));
    this.entries = new Map(phrases.map(([words, english]) => [phraseKey(words), english]));
    this.accented = new Map(written);
  }

  isFunctionWord(folded: string, written = folded): boolean {
    return this.functions.has(folded) && !this.accented.has(written.toLowerCase());
  }

  /** English of an entry of several words. */
  phrase(folded: readonly string[]): readonly string[] | undefined {
    return this.entries.get(phraseKey(folded));
  }

  /** English of one word in any form, or of a German compound by its halves; `written` has the accents. */
  word(folded: string, written = folded): readonly string[] | undefined {
    return this.form(folded, written) ?? (this.code === 'de' ? this.compound(folded) : undefined);
  }

  /** English of a word that has no entry, by its ending; see `cognate`. */
  cognate(word: string): string | undefined {
    return cognate(word, this.code);
  }

  /** All English words of the entries. */
  *english(): Generator<string> {
    for (const equivalents of this.entries.values()) {
      for (const equivalent of equivalents) yield* equivalent.toLowerCase().split(/[ -]/);
    }
  }

  private form(folded: string, written = folded): readonly string[] | undefined {
    const exact = this.accented.get(written.toLowerCase());
    if (exact !== undefined) return exact;
    for (const form of dictionaryForms(folded, written.toLowerCase(), this.code)) {
      const found = this.entries.get(form);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** `Dateigröße`, `Verbindungsabbruch`: two known words, perhaps with a joining `s` or `n`; the longest first half wins. */
  private compound(folded: string): readonly string[] | undefined {
    for (let at = folded.length - SHORTEST_HALF; at >= SHORTEST_HALF - 1; at--) {
      const first = this.half(folded.slice(0, at));
      if (first === undefined) continue;
      const second = this.form(folded.slice(at)) ?? this.compound(folded.slice(at));
      if (second !== undefined) return [`${first[0] ?? ''} ${second[0] ?? ''}`];
    }
    return undefined;
  }

  /** The first half of a compound: a word with or without a joint, or the stem of a verb. */
  private half(folded: string): readonly string[] | undefined {
    for (const joint of JOINTS) {
      const found = folded.endsWith(joint)
        ? this.entries.get(folded.slice(0, folded.length - joint.length))
        : undefined;
      if (found !== undefined) return found;
    }
    return this.entries.get(`${folded}n`) ?? this.entries.get(`${folded}en`);
  }
}

/** The words of an entry, as a text's words are read. */
function entryWords(entry: string): string[] {
  if (!/[ '’-]/.test(entry)) return [foldWord(entry)];
  return textWords(entry).map(({ folded }) => folded);
}

/** Entries of several words are met in the plural too: the last letter of each word that may be a plural is left out. */
function phraseKey(words: readonly string[]): string {
  if (words.length === 1) return words[0] ?? '';
  return words.map(word => (word.length > 3 ? word.replace(/[sx]$/, '') : word)).join(' ');
}

let loaded: readonly Dictionary[] | undefined;

/** All dictionaries, made ready on first use. */
export function dictionaries(): readonly Dictionary[] {
  loaded ??= [
    new Dictionary('fr', french),
    new Dictionary('pt', portuguese),
    new Dictionary('es', spanish),
    new Dictionary('de', german),
  ];
  return loaded;
}
