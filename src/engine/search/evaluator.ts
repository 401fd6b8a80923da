import { setImmediate } from 'node:timers/promises';
import { throwIfAborted } from '../../util/errors';
import type { EvaluationCase, EvaluationReport, SimilarCase } from '../folderEngine';
import { ownTerms, queryTerms } from '../lexical/queryTerms';
import type { Vocabulary } from '../lexical/vocabulary';
import { ARM_NAMES, type ArmName } from '../types';
import { bestDocs } from './bestDocs';
import type { Corpus } from './corpus';
import { averageMetrics, firstRank, type QueryScore, rangesMeet, scoreRanking } from './evaluation';
import type { RankedFiles, Searcher } from './searcher';
import type { SimilarFiles } from './similarFiles';

/** Plain BM25 over path and content with the usual parameters: the baseline beside the arms. */
const BASELINE = 'bm25';
const BASELINE_PARAMETERS = { k1: 1.2, b: 0.75 };
const CANDIDATES = 50;

/** Scores a folder's search on questions with known answers, arm by arm and all together. */
export async function evaluateCases(
  searcher: Searcher,
  corpus: Corpus,
  vocabulary: Vocabulary,
  cases: readonly EvaluationCase[],
  arms: readonly ArmName[] | undefined,
  signal?: AbortSignal,
  onCase?: (done: number) => void,
): Promise<EvaluationReport> {
  const together: QueryScore[] = [];
  const alone = new Map<string, QueryScore[]>();
  const recall = new Map<string, number[]>();
  const queries: { id: string; rank: number | null }[] = [];
  for (const one of cases) {
    throwIfAborted(signal);
    await setImmediate();
    const ranked = await searcher.rank(one.query, { ...(arms === undefined ? {} : { arms }) }, signal);
    const paths = rankedPaths(ranked, one.relevant);
    const place = await placeHit(searcher, ranked, one, signal);
    together.push({ metrics: scoreRanking(paths, one.relevant), ...(place === undefined ? {} : { place }) });
    queries.push({ id: one.id, rank: firstRank(paths, one.relevant) });
    add(recall, 'all', recallAt(paths, one.relevant, CANDIDATES));
    for (const [stage, docs] of stagesOf(ranked)) {
      const found = docs.flatMap(doc => corpus.document(doc)?.path ?? []);
      add(recall, stage, recallAt(found, one.relevant, CANDIDATES));
    }
    for (const arm of arms ?? ARM_NAMES) {
      const single = await searcher.rank(one.query, { arms: [arm] }, signal);
      add(alone, arm, { metrics: scoreRanking(rankedPaths(single, one.relevant), one.relevant) });
    }
    onCase?.(queries.length);
    add(alone, BASELINE, { metrics: scoreRanking(baseline(one.query, corpus, vocabulary), one.relevant) });
  }
  return {
    metrics: averageMetrics(together),
    arms: mapValues(alone, averageMetrics),
    'recall@50': mapValues(recall, mean),
    queries,
  };
}

/** Scores finding files like a given one. */
export async function evaluateSimilarCases(
  similar: SimilarFiles,
  corpus: Corpus,
  cases: readonly SimilarCase[],
  signal?: AbortSignal,
): Promise<EvaluationReport> {
  const scores: QueryScore[] = [];
  const queries: { id: string; rank: number | null }[] = [];
  for (const one of cases) {
    throwIfAborted(signal);
    await setImmediate();
    const document = corpus.at(one.file);
    const row = corpus.content(document?.hash ?? '');
    // A file that is not indexed has no like: a miss, and no reason to stop.
    const ranked = document === undefined || row === undefined ? [] : similar.rank(document, row);
    const paths = ranked.flatMap(({ doc }) => corpus.document(doc)?.path ?? []);
    scores.push({ metrics: scoreRanking(paths, one.relevant) });
    queries.push({ id: one.id, rank: firstRank(paths, one.relevant) });
  }
  return { metrics: averageMetrics(scores), arms: {}, 'recall@50': {}, queries };
}

/** The first documents of every stage, those of the vectors by what they score. */
function stagesOf({ stages, parts }: RankedFiles): [string, readonly number[]][] {
  const byVectors = (['file', 'path', 'landmark'] as const).flatMap(part => {
    const scores = parts.get(part);
    return scores === undefined ? [] : [[part, bestDocs(scores, CANDIDATES)] as [string, readonly number[]]];
  });
  return [...stages, ...byVectors];
}

/** One path for each entry; of copies the one that is asked for. */
function rankedPaths(ranked: RankedFiles, relevant: readonly string[]): string[] {
  return ranked.files.map(({ document, copies }) => {
    if (copies.length === 0 || relevant.includes(document.path)) return document.path;
    return copies.find(path => relevant.includes(path)) ?? document.path;
  });
}

/** Does the best place of the first relevant file found meet a line range that answers? Undefined where that is not known. */
async function placeHit(
  searcher: Searcher,
  ranked: RankedFiles,
  one: EvaluationCase,
  signal: AbortSignal | undefined,
): Promise<boolean | undefined> {
  if (one.hunks === undefined) return undefined;
  const found = ranked.files.find(({ document }) => one.relevant.includes(document.path));
  const hunks = one.hunks[found?.document.path ?? ''];
  if (found === undefined || hunks === undefined) return undefined;
  const [place] = await searcher.places(ranked, found.document, 1, signal);
  if (place === undefined) return false;
  return hunks.some(hunk => rangesMeet(hunk, [place.startLine, place.endLine]));
}

function baseline(query: string, corpus: Corpus, vocabulary: Vocabulary): string[] {
  const terms = ownTerms(queryTerms(query, vocabulary));
  const { docs, scores } = corpus.body.score(terms, BASELINE_PARAMETERS);
  const found = Array.from(docs, (doc, at) => ({ path: corpus.document(doc)?.path ?? '', score: scores[at] ?? 0 }));
  found.sort((a, b) => b.score - a.score || (a.path < b.path ? -1 : 1));
  return found.map(({ path }) => path);
}

function recallAt(paths: readonly string[], relevant: readonly string[], count: number): number {
  const found = new Set(paths.slice(0, count));
  return relevant.filter(path => found.has(path)).length / relevant.length;
}

function add<T>(map: Map<string, T[]>, key: string, value: T): void {
  const present = map.get(key);
  if (present === undefined) map.set(key, [value]);
  else present.push(value);
}

function mapValues<T, U>(map: ReadonlyMap<string, T>, of: (value: T) => U): Record<string, U> {
  return Object.fromEntries([...map].map(([key, value]) => [key, of(value)]));
}

function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}
