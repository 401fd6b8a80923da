import { baseOf } from '../files/filePaths';
import { tokenize } from '../lexical/identifiers';
import type { Vocabulary } from '../lexical/vocabulary';

/** The terms of a path as a whole, and of the names in it. */
export function pathTerms(path: string, vocabulary: Vocabulary) {
  const name = baseOf(path);
  return {
    all: Uint32Array.from(knownTerms(path, vocabulary)),
    base: knownTerms(stemOf(name), vocabulary),
    folders: knownTerms(path.slice(0, path.length - name.length), vocabulary),
  };
}

/** The terms of names, and the keys under which those who define them are found. */
export function nameTerms(names: readonly { readonly name: string }[], vocabulary: Vocabulary) {
  const terms: number[] = [];
  const keys = new Set<number>();
  for (const { name } of names) {
    const own = knownTerms(name, vocabulary);
    for (const term of own) terms.push(term);
    keys.add(nameKey(own));
  }
  return { terms, keys };
}

/** The last term of a name, which is the whole name where it has several parts; 0 for those that have no term, such as `x`. */
export function nameKey(terms: readonly number[]): number {
  const last = terms.at(-1);
  return last === undefined ? 0 : last + 1;
}

/**
 * The vocabulary's numbers of the words in a path or a name. Whoever writes the catalogue has added those of a path with the
 * file's row and those of defined names with the content's (readers must not add terms, see `Catalog.learnTerms`): none is
 * missing, then or later.
 */
export function knownTerms(text: string, vocabulary: Vocabulary): number[] {
  return tokenize(text).flatMap(term => vocabulary.idOf(term) ?? []);
}

/** `searchQuickPick.test.ts` → `searchQuickPick.test`: the last extension says the language, not the subject. */
function stemOf(name: string): string {
  const dot = name.lastIndexOf('.');
  return dot > 0 ? name.slice(0, dot) : name;
}
