import { extensionOf, languageOf } from '../files/languages';
import { ownTerms, queryTerms, UNKNOWN_TERM } from '../lexical/queryTerms';
import type { Vocabulary } from '../lexical/vocabulary';
import type { Corpus } from './corpus';
import type { SearchNote, SearchRequest } from '../types';
import type { QueryText } from './queryText';
import { scopeFilter } from './scope';

export interface FilteredDocuments {
  /** By document number, 1 = in; undefined = all. */
  readonly allowed: Uint8Array | undefined;
  /** Where a filter had to be given up, or leaves nothing because it names nothing. */
  readonly note?: SearchNote;
}

/**
 * The documents that a query may be answered from, before anything is ranked. Quoted text that no file holds narrows
 * nothing, since an empty answer helps nobody; the note says so.
 */
export function filterDocuments(
  query: QueryText,
  { scope, files, sameLanguageAs }: Pick<SearchRequest, 'scope' | 'files' | 'sameLanguageAs'>,
  corpus: Corpus,
  vocabulary: Vocabulary,
): FilteredDocuments {
  const scopes = [scope === undefined || scope === '' ? [] : [scope], query.paths].filter(list => list.length > 0);
  const { languages, without, exact, withoutPaths, withoutLanguages } = query;
  const filters = [scopes, languages, without, exact, withoutPaths, withoutLanguages];
  if (filters.every(list => list.length === 0) && files === undefined && sameLanguageAs === undefined)
    return { allowed: undefined };
  const allowed = new Uint8Array(corpus.docLimit);
  for (const { doc } of corpus.documents()) allowed[doc] = 1;
  const keep = (test: (doc: number, path: string, language: string | undefined) => boolean): void => {
    for (const { doc, path, language } of corpus.documents()) if (!test(doc, path, language)) allowed[doc] = 0;
  };
  if (files !== undefined) {
    const named = new Set(files);
    keep((_, path) => named.has(path));
  }
  if (sameLanguageAs !== undefined) {
    const wanted = kindOf(sameLanguageAs, languageOf(sameLanguageAs));
    keep((_, path, language) => kindOf(path, language) === wanted);
  }
  const paths = [...corpus.documents()].map(({ path }) => path);
  for (const list of scopes) {
    const inAny = anyScope(list, paths);
    if (!paths.some(inAny)) return { allowed: allowed.fill(0), note: { kind: 'scope-empty', scopes: list } };
    keep((_, path) => inAny(path));
  }
  const leftOut = anyScope(withoutPaths, paths);
  keep((_, path, language) => !leftOut(path) && !withoutLanguages.includes(language ?? ''));
  if (languages.length > 0) keep((_, __, language) => language !== undefined && languages.includes(language));
  for (const word of without) {
    const holders = holdersOf(word, corpus, vocabulary);
    keep(doc => !holders.has(doc));
  }
  const missing: string[] = [];
  for (const phrase of exact) {
    const holders = holdersOf(phrase, corpus, vocabulary);
    if ([...holders].some(doc => allowed[doc] === 1)) keep(doc => holders.has(doc));
    else missing.push(phrase);
  }
  if (missing.length === 0) return { allowed };
  return { allowed, note: { kind: 'quotes-not-found', quotes: missing } };
}

function kindOf(path: string, language: string | undefined): string {
  return language ?? `.${extensionOf(path)}`;
}

function anyScope(scopes: readonly string[], paths: readonly string[]): (path: string) => boolean {
  const filters = scopes.map(scope => scopeFilter(scope, paths));
  return path => filters.some(inScope => inScope(path));
}

/** Documents that hold a text's terms next to each other on one line; a single term anywhere, the path included. */
function holdersOf(text: string, corpus: Corpus, vocabulary: Vocabulary): ReadonlySet<number> {
  const terms = ownTerms(queryTerms(text, vocabulary));
  const { sequence } = terms;
  if (sequence.length === 0 || sequence.includes(UNKNOWN_TERM)) return new Set();
  const { docs } = corpus.body.score(terms, { k1: 1.2, b: 0.75 });
  if (sequence.length === 1) return new Set(docs);
  const { exact } = corpus.closeLook(docs, terms);
  return new Set(docs.filter((_, at) => (exact[at] ?? 0) > 0));
}
