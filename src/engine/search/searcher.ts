import { performance } from 'node:perf_hooks';
import { throwIfAborted } from '../../util/errors';
import type { FileClass } from '../files/fileClass';
import { extensionOf } from '../files/languages';
import { linesInCell } from '../files/notebook';
import { commentLines } from '../lexical/comments';
import { enclosingSymbol } from '../lexical/definitions';
import type { QueryTerms } from '../lexical/queryTerms';
import type { Vocabulary } from '../lexical/vocabulary';
import type { ContentRow, Definition } from '../store/records';
import type { ArmName, Place, SearchHit, SearchNote, SearchRequest } from '../types';
import { Int4Query } from '../vectors/int4Products';
import { bestDocs } from './bestDocs';
import { confidence, confidenceFeatures } from './confidence';
import type { Corpus, CorpusDocument } from './corpus';
import { demotionFor } from './demotion';
import { filterDocuments } from './documentFilter';
import { DraftReader } from './drafts';
import { exactNameBonus } from './exactName';
import { armShares, asksForVectors, fuse, type Scores } from './fusion';
import { type LocatedPlace, locatePlaces } from './locator';
import { mentionBonus } from './mentionedNames';
import type { PartScorer, PartScores } from './partScorer';
import { PlaceQuery } from './placeQuery';
import { type QueryReading, readQuery } from './queryReading';
import { parseQuery, type QueryText } from './queryText';
import ranking from './ranking.json';
import { ScoreSpace } from './scoreSpace';
import { readSourceLines, type SourceLines } from './sourceLines';
import { type NamedLine, namedLineBonus, namedLines } from './stackTrace';
import type { VectorTable } from './vectorTable';

const DEFAULT_LIMIT = 10;
const MAX_PLACES = 3;
/** Documents that are put in order: nobody reads further. */
const MOST_RANKED = 300;
/** Files whose scores say how far to trust the first. */
const TRUSTED_BY = 5;

export interface SearcherParts {
  readonly folder: string;
  readonly maxFileSize: number | undefined;
  readonly corpus: Corpus;
  readonly vectors: VectorTable;
  readonly vocabulary: () => Vocabulary;
  readonly scorer: PartScorer;
  /** L2-normalised vector of a query; undefined when the model cannot run or the query has no words for it. */
  readonly queryVector: (query: string, signal?: AbortSignal) => Promise<Float32Array | undefined>;
}

export interface SearchOutcome {
  readonly results: readonly SearchHit[];
  readonly queryMs: number;
  /** See `readQuery` and `filterDocuments`. */
  readonly notes: readonly SearchNote[];
}

/** A ranking of files before places are looked for. */
export interface RankedFiles extends PartScores {
  /** Lets the arrays of `parts` be used again. Whoever does not call it leaves them to the garbage collector. */
  readonly release: () => void;
  readonly terms: QueryTerms;
  readonly placeQuery: PlaceQuery;
  /** Of the query; undefined where there is none. */
  readonly vector: Int4Query | undefined;
  /** Files that the query names with a line. */
  readonly named: readonly NamedLine[];
  /** See `readQuery` and `filterDocuments`. */
  readonly notes: readonly SearchNote[];
  /** Best first; files of the same content stand together as one entry. */
  readonly files: readonly {
    readonly document: CorpusDocument;
    readonly score: number;
    readonly copies: readonly string[];
  }[];
}

/** A query as it is ranked: read once, with its vector. */
interface AskedQuery {
  /** What the numbers of terms stand for. */
  readonly vocabulary: Vocabulary;
  readonly vector: Int4Query | undefined;
  readonly query: string;
  readonly parsed: QueryText;
  readonly reading: QueryReading;
  /** Undefined = all. */
  readonly arms: ReadonlySet<ArmName> | undefined;
}

/** Answers questions from what is in memory. */
export class Searcher {
  private readonly draftReader = new DraftReader();
  private readonly space = new ScoreSpace();

  constructor(private readonly parts: SearcherParts) {}

  async search(request: SearchRequest, signal?: AbortSignal): Promise<SearchOutcome> {
    const started = performance.now();
    const limit = request.limit ?? DEFAULT_LIMIT;
    const ranked = await this.rank(request.query, { ...request, limit: Math.max(limit, TRUSTED_BY) }, signal);
    const best = ranked.files[0]?.score ?? 0;
    const doubtful = this.confidenceIn(ranked) < ranking.weak.confidenceBelow;
    const shown = ranked.files.slice(0, limit);
    const shares = shown.map(({ document }) => armShares(ranked.parts, document.doc));
    ranked.release();
    const results = await Promise.all(
      shown.map(async ({ document, score, copies }, at): Promise<SearchHit> => ({
        path: document.path,
        score,
        weak: doubtful || score < ranking.weak.scoreBelow * best,
        arms: shares[at] ?? {},
        places: await this.places(ranked, document, MAX_PLACES, signal),
        ...(copies.length > 0 ? { copies } : {}),
        ...(document.draft === undefined ? {} : { draft: document.draft.draft.id }),
      })),
    );
    throwIfAborted(signal);
    return { results, queryMs: performance.now() - started, notes: ranked.notes };
  }

  /** Ranks the files that score above zero, some hundred without a limit. */
  async rank(query: string, options: Omit<SearchRequest, 'query'>, signal?: AbortSignal): Promise<RankedFiles> {
    const arms = options.arms === undefined ? undefined : new Set<ArmName>(options.arms);
    const parsed = parseQuery(query);
    const reading = readQuery(parsed.text);
    const forModel = asksForVectors(arms) ? reading.modelText : undefined;
    const numbers = forModel === undefined ? undefined : await this.parts.queryVector(forModel, signal);
    const vector = numbers && new Int4Query(numbers);
    throwIfAborted(signal);
    // From here on nothing is waited for: the drafts are in the corpus only meanwhile.
    const read = this.draftReader.read(options.drafts ?? [], this.parts.vocabulary());
    const { vocabulary } = read;
    const asked = { query, parsed, reading, arms, vector, vocabulary };
    const ranked = this.parts.corpus.withDrafts(read, () => this.rankNow(asked, options));
    const weightOf = (term: number): number => this.parts.corpus.body.idf(term);
    return { ...ranked, placeQuery: new PlaceQuery(ranked.terms, vocabulary, weightOf, parsed.exact) };
  }

  private rankNow(
    { query, parsed, reading, arms, vector, vocabulary }: AskedQuery,
    options: Omit<SearchRequest, 'query'>,
  ): Omit<RankedFiles, 'placeQuery'> {
    const { corpus, scorer } = this.parts;
    const { modelText, note: readAs } = reading;
    const terms = reading.termsIn(vocabulary);
    const { allowed, note: givenUp } = filterDocuments(parsed, options, corpus, vocabulary);
    const space = this.space.lease();
    const scored = scorer.score({ terms, vector }, allowed, arms, space);
    const sum = fuse(scored.parts, space.take(corpus.docLimit));
    if (arms === undefined || arms.has('definition')) {
      exactNameBonus(parsed.text, corpus, allowed, sum);
      mentionBonus(parsed.text, corpus, vocabulary, allowed, sum);
    }
    for (const [doc, share] of scored.pasted) sum[doc] = (sum[doc] ?? 0) + ranking.pasted * share ** 2;
    const named = namedLines(query, corpus);
    namedLineBonus(named, allowed, sum);
    const files = this.order(sum, demotionFor(modelText ?? parsed.text, terms.tokens), options.limit ?? MOST_RANKED);
    return {
      ...scored,
      release: () => space.release(),
      terms,
      vector,
      named,
      files,
      notes: [readAs, givenUp].filter(note => note !== undefined),
    };
  }

  /** Chance that one of the first three files is right. */
  private confidenceIn({ files, parts, terms, vector }: RankedFiles): number {
    const first = files[0]?.document;
    if (first === undefined) return 0;
    const landmarks = vector && this.parts.vectors.landmarkSimilarities(first.content, vector);
    const scores = files.slice(0, TRUSTED_BY).map(({ score }) => score);
    return confidence(confidenceFeatures(scores, first, parts, terms, this.parts.corpus, landmarks));
  }

  /** The best places of one ranked file, with their text where the file on disk is still the indexed one. */
  async places(ranked: RankedFiles, document: CorpusDocument, count: number, signal?: AbortSignal): Promise<Place[]> {
    const { draft } = document;
    if (draft !== undefined) {
      const { lines, row } = draft;
      const located = this.locate(ranked, document, row, new Float32Array(), lines, count);
      const source = { lines, cellStartLines: draft.draft.cellStartLines };
      // Where nothing in it speaks for any line, only the vectors of the saved text know a place.
      if ((located[0]?.score ?? 0) > 0 || document.hash === '') {
        return located.map(place => ({ ...placeWithText(place, row.definitions, source), live: true }));
      }
    }
    const { folder, maxFileSize } = this.parts;
    const similarities = this.landmarkSimilarities(ranked.vector, document);
    const source = await readSourceLines(folder, document.path, document.hash, maxFileSize, signal);
    // Not before: the system reads the files of an answer while the rows of others are unpacked.
    const row = this.parts.corpus.content(document.hash);
    if (row === undefined) return [];
    // The cells of a notebook are known from the file alone.
    if (source === undefined && document.language === 'notebook') return [];
    const located = this.locate(ranked, document, row, similarities, source?.lines ?? [], count);
    return located.map(place => placeWithText(place, row.definitions, source));
  }

  private locate(
    ranked: RankedFiles,
    document: CorpusDocument,
    row: ContentRow,
    similarities: Float32Array,
    lines: readonly string[],
    count: number,
  ): LocatedPlace[] {
    const named = ranked.named.find(({ doc }) => doc === document.doc)?.lines;
    const comments = commentLines(lines, extensionOf(document.path));
    return locatePlaces(row, ranked.placeQuery, similarities, count, { ...(named && { named }), comments });
  }

  /** Cosine of each landmark of a document, with its path, with a query, NaN where not embedded; empty without a vector. */
  private landmarkSimilarities(query: Int4Query | undefined, { content, doc }: CorpusDocument): Float32Array {
    if (query === undefined) return new Float32Array();
    const { vectors } = this.parts;
    return vectors.landmarkSimilarities(content, query, { doc, similarity: vectors.paths.similarity(doc, query) });
  }

  /** Demotes by kind of file, groups copies, sorts: the best few, best first, ties by path. */
  private order(sum: Scores, factorOf: (fileClass: FileClass) => number, count: number): RankedFiles['files'] {
    const { corpus } = this.parts;
    const factor = (document: CorpusDocument | undefined): number => factorOf(document?.fileClass ?? 'source');
    const scored = (docs: Iterable<number>): Scored[] =>
      [...docs].flatMap(doc => {
        const document = corpus.document(doc);
        const score = (sum[doc] ?? 0) * factor(document);
        return document === undefined || score <= 0 ? [] : [{ document, score }];
      });
    const copiesOf = ({ draft, hash, doc }: CorpusDocument): string[] => {
      const same = corpus.docsOf(hash);
      // An unsaved text is no copy of anything.
      if (draft !== undefined || same.length === 1) return [];
      const others = scored(same).filter(({ document }) => document.doc !== doc && document.draft === undefined);
      return others.sort(better).map(({ document }) => document.path);
    };
    const files: RankedFiles['files'][number][] = [];
    const seen = new Set<number>();
    for (const best of scored(bestDocs(sum, MOST_RANKED, doc => factor(corpus.document(doc)))).sort(better)) {
      if (files.length >= count) break;
      const { content, draft } = best.document;
      if (draft === undefined && seen.has(content)) continue;
      if (draft === undefined) seen.add(content);
      files.push({ ...best, copies: copiesOf(best.document) });
    }
    return files;
  }
}

/** A place with the text of its best line and the definition around; in a notebook its lines become those of the cell. */
function placeWithText(
  place: LocatedPlace,
  definitions: readonly Definition[],
  source: SourceLines | undefined,
): Place {
  const lineText = source?.lines[place.line - 1]?.trim() ?? '';
  const symbol = symbolAt(definitions, place, lineText);
  const cells = source?.cellStartLines;
  return {
    ...(cells === undefined ? place : { ...place, ...linesInCell(cells, place) }),
    lineText,
    ...(symbol === undefined ? {} : { symbol }),
  };
}

/** Begins a comment, or goes on with one, in most languages. */
const COMMENT = /^(\/\/|\/\*|\*|#(?!include|define|if|endif)|--|;;|<!--|@)/;

/** The definition that a place's best line stands in; a comment in front of a definition belongs to it. */
function symbolAt(definitions: readonly Definition[], place: LocatedPlace, lineText: string): string | undefined {
  const next = definitions.find(({ line }) => line > place.line);
  const leads = COMMENT.test(lineText) && next !== undefined && next.line <= place.endLine;
  return leads ? next.name : enclosingSymbol(definitions, place.line);
}

interface Scored {
  readonly document: CorpusDocument;
  readonly score: number;
}

function better(a: Scored, b: Scored): number {
  if (a.score !== b.score) return b.score - a.score;
  return a.document.path < b.document.path ? -1 : 1;
}
