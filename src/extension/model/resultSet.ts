import type { Place, SimilarResponse } from '../../engine/types';
import {
  anyText,
  finiteNumber,
  flag,
  lineRange,
  listOf,
  oneOf,
  optional,
  positiveInteger,
  record,
} from '../../util/shapes';
import type { FolderAnswer } from './resultRows';
import { mergeHits } from '../../tools/mergeHits';
import type { SearchScope } from './searchScope';

/** What was asked, so that it can be asked again. */
export type Question =
  | { readonly kind: 'search'; readonly query: string; readonly scope: SearchScope }
  /** `file`: absolute path of the file whose like was looked for. */
  | { readonly kind: 'similar'; readonly file: string };

export interface ResultPlace {
  readonly place: Place;
  /** Of a similar file: the lines of the file asked about that the place is like. */
  readonly from?: readonly [number, number];
}

export interface ResultFile {
  /** The engine's folder. */
  readonly folder: string;
  readonly path: string;
  readonly weak: boolean;
  /** Other paths with the same content. */
  readonly copies: readonly string[];
  readonly places: readonly ResultPlace[];
  readonly relation?: 'test' | 'tested' | 'copy';
}

/** An answer as it is kept and shown: plain data in the order of the answer. */
export interface ResultSet {
  readonly question: Question;
  /** Share of the files that was indexed when the question was asked, 0 to 1. */
  readonly complete: number;
  readonly files: readonly ResultFile[];
}

export function searchResults(
  query: string,
  scope: SearchScope,
  answers: readonly FolderAnswer[],
  limit: number,
): ResultSet {
  const files = mergeHits(answers)
    .slice(0, limit)
    .map(({ folder, hit }): ResultFile => ({
      folder,
      path: hit.path,
      weak: hit.weak,
      copies: hit.copies ?? [],
      places: hit.places.map(place => ({ place })),
    }));
  const complete = Math.min(1, ...answers.map(({ response }) => response.complete));
  return { question: { kind: 'search', query, scope }, complete, files };
}

/** Tests first, then copies, then what is like the file; no file twice. */
export function similarResults(file: string, folder: string, response: SimilarResponse): ResultSet {
  const { complete, results, copies = [], testPartners = [] } = response;
  const partners = testPartners.map(({ relation, ...hit }) => ({ ...hit, relation }));
  const partnerPaths = new Set(partners.map(({ path }) => path));
  const like = results.filter(({ path }) => !partnerPaths.has(path));
  const [firstCopy, ...otherCopies] = copies;
  return {
    question: { kind: 'similar', file },
    complete,
    files: [
      ...partners.map(hit => ({ ...similarFile(folder, hit), relation: hit.relation })),
      ...(firstCopy === undefined
        ? []
        : [{ folder, path: firstCopy, weak: false, copies: otherCopies, places: [], relation: 'copy' as const }]),
      ...like.map(hit => similarFile(folder, hit)),
    ],
  };
}

function similarFile(folder: string, { path, copies, regions }: SimilarResponse['results'][number]): ResultFile {
  const places = regions.map(({ from, to: [startLine, endLine], score }): ResultPlace => ({
    place: { startLine, endLine, score, line: startLine, lineText: '' },
    from,
  }));
  return { folder, path, weak: false, copies, places };
}

/** For `resultSetFrom`; counts up when the shape changes. */
const STORED_VERSION = 1;

const storedPlace = record({
  place: record({
    startLine: positiveInteger,
    endLine: positiveInteger,
    score: finiteNumber,
    line: positiveInteger,
    lineText: anyText,
    symbol: optional(anyText),
    cell: optional(finiteNumber),
  }),
  from: optional(lineRange),
});
const rooted = record({ root: anyText, path: anyText });
const storedSet = record({
  question: record({
    kind: oneOf('search', 'similar'),
    query: optional(anyText),
    file: optional(anyText),
    scope: optional(
      record({ folder: optional(rooted), sameLanguageAs: optional(anyText), openFiles: optional(listOf(rooted)) }),
    ),
  }),
  complete: finiteNumber,
  files: listOf(
    record({
      folder: anyText,
      path: anyText,
      weak: flag,
      copies: listOf(anyText),
      places: listOf(storedPlace),
      relation: optional(oneOf('test', 'tested', 'copy')),
    }),
  ),
});
const stored = record({ version: oneOf(String(STORED_VERSION)), set: storedSet });

export function toStored(set: ResultSet): unknown {
  return { version: String(STORED_VERSION), set };
}

/** What was stored by an earlier window; undefined where it cannot be read as a whole. */
export function resultSetFrom(value: unknown): ResultSet | undefined {
  if (stored(value, 'results') !== undefined) return undefined;
  const { set } = value as { set: ResultSet };
  const { question } = set as { question: Readonly<Record<string, unknown>> };
  const isWhole = question['kind'] === 'search' ? 'query' in question && 'scope' in question : 'file' in question;
  return isWhole ? set : undefined;
}
