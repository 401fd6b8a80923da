import { tokenize } from '../lexical/identifiers';
import { UNKNOWN_TERM } from '../lexical/queryTerms';
import type { Vocabulary } from '../lexical/vocabulary';
import type { Corpus } from './corpus';
import type { Scores } from './fusion';
import ranking from './ranking.json';

/** A name as code writes it, in the middle of a sentence. */
export interface MentionedName {
  readonly name: string;
  /** What stands in front of it: `Arr` of `Arr::forget()`. */
  readonly qualifier?: string;
}

const WORD = String.raw`[\p{L}_$][\p{L}\p{N}_$]*`;
/** `Arr::forget()`, `Source.Value`, `Gson#getAdapter`, `app->run`, `parse_line`, `readAll()`. */
const MENTION = new RegExp(
  String.raw`(?<![\p{L}\p{N}_$./\\-])(?:(${WORD})(::|\.|#|->))*(${WORD})(\(\))?(?![\p{L}\p{N}_$/\\-])`,
  'gu',
);
/** Written together from several words: `camelCase`, `PascalCase`, `snake_case`, `_private`. */
const COMPOUND = /[\p{Ll}\p{N}]\p{Lu}|\p{Lu}{2,}\p{Ll}|[^_]_+[^_]|^_+[^_]/u;
const SHORTEST = 3;

/** The names of code that a sentence mentions, in order, each once. */
export function mentionedNames(query: string): MentionedName[] {
  const found = new Map<string, MentionedName>();
  for (const [whole, qualifier, separator, name = '', call] of query.matchAll(MENTION)) {
    const isQualified = qualifier !== undefined && (separator !== '.' || !isFileName(name));
    if (name.length < SHORTEST || !(isQualified || call !== undefined || COMPOUND.test(name))) continue;
    if (!found.has(whole)) found.set(whole, isQualified ? { name, qualifier } : { name });
  }
  return [...found.values()];
}

/** `config.yaml` is no member of `config`. */
function isFileName(name: string): boolean {
  return /^(?:[a-z]{1,4}|java|scala|swift|proto|ipynb)$/.test(name);
}

/**
 * Lifts, in place, the one file that defines a name which the query mentions, that defines its qualifier and holds it, or that
 * holds it at all: the parts of a name are common words that many files share, the whole often is not. What several
 * files do tells them apart too little (up to 2, 3 and 5 measured worse).
 */
export function mentionBonus(
  query: string,
  corpus: Corpus,
  vocabulary: Vocabulary,
  allowed: Uint8Array | undefined,
  sum: Scores,
): void {
  const bonuses = new Map<number, number>();
  const lift = (docs: Iterable<number>, bonus: number): void => {
    // No more of them are looked for.
    const [only, second] = docs;
    if (only === undefined || second !== undefined || allowed?.[only] === 0) return;
    bonuses.set(only, Math.max(bonuses.get(only) ?? 0, bonus));
  };
  for (const { name, qualifier } of mentionedNames(query)) {
    const holders = holdersOf(name, corpus, vocabulary);
    lift(holders, ranking.mention.holds);
    lift(corpus.definersOf(name), ranking.mention.defines);
    if (qualifier === undefined) continue;
    const holding = new Set(holders);
    lift(among(corpus.definersOf(qualifier), holding), ranking.mention.qualified);
  }
  for (const [doc, bonus] of bonuses) sum[doc] = (sum[doc] ?? 0) + bonus;
}

/** Documents that hold a name as a whole, in any case. */
function holdersOf(name: string, corpus: Corpus, vocabulary: Vocabulary): number[] {
  // Without spaces in front of it, what follows a name in Chinese or Thai is taken for a part of it.
  const term = vocabulary.idOf(tokenize(name).at(-1) ?? '') ?? UNKNOWN_TERM;
  if (term === UNKNOWN_TERM) return [];
  return [...corpus.body.score({ tokens: [name], sequence: [term], distinct: [term] }, { k1: 1.2, b: 0.75 }).docs];
}

function* among(docs: Iterable<number>, wanted: ReadonlySet<number>): Generator<number> {
  for (const doc of docs) if (wanted.has(doc)) yield doc;
}
