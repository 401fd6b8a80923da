import { languageOf } from '../files/languages';

/** A query taken apart: what is asked for, and what narrows the files it is asked of. */
export interface QueryText {
  /** What the arms see: the query without its filters, quoted text without the quotes. */
  readonly text: string;
  /** Texts in double quotes: a file must hold each, word by word. */
  readonly exact: readonly string[];
  /** Words after a minus: a file must hold none. */
  readonly without: readonly string[];
  /** Folders or globs after `path:`; a file must be in one of them. */
  readonly paths: readonly string[];
  /** Languages after `lang:`, by name or by extension; a file must be in one of them. */
  readonly languages: readonly string[];
  /** The same after `-path:` and `-lang:`; a file must be in none. */
  readonly withoutPaths: readonly string[];
  readonly withoutLanguages: readonly string[];
}

/** `path:` and `lang:`, perhaps with a minus, with a value that may be quoted, a quoted text, or a word with a minus in front. */
const PART =
  /(?<!\S)(-?path|-?lang):(?:"([^"]*)"|(\S+))|"([^"]+)"|(?<=\S\s+|^\S*\s+)-([\p{L}_$][\p{L}\p{N}_$]*)(?!\S)/gu;

/**
 * Reads the query language: `path:src -path:vendor "exact words" -word lang:python`. Everything else is plain words. A
 * minus counts only inside a query and in front of a plain word, so that `--force` and `-1` stay what they are.
 */
export function parseQuery(query: string): QueryText {
  const exact: string[] = [];
  const without: string[] = [];
  const paths: string[] = [];
  const languages: string[] = [];
  const withoutPaths: string[] = [];
  const withoutLanguages: string[] = [];
  const text = query.replace(
    PART,
    (_, key?: string, quoted?: string, plain?: string, phrase?: string, word?: string) => {
      if (phrase !== undefined) {
        exact.push(phrase);
        return ` ${phrase} `;
      }
      if (word !== undefined) without.push(word);
      const value = quoted ?? plain ?? '';
      if (key === 'path') paths.push(value);
      if (key === '-path') withoutPaths.push(value);
      if (key === 'lang') languages.push(languageName(value));
      if (key === '-lang') withoutLanguages.push(languageName(value));
      return ' ';
    },
  );
  return { text: text.replace(/\s+/g, ' ').trim(), exact, without, paths, languages, withoutPaths, withoutLanguages };
}

/** `py`, `.py` and `Python` are one language. */
function languageName(value: string): string {
  const name = value.toLowerCase().replace(/^\./, '');
  return languageOf(`x.${name}`) ?? name;
}
