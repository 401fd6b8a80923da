import type { Corpus, CorpusDocument } from './corpus';
import ranking from './ranking.json';
import type { PartScores } from './partScorer';
import { distinctWords, type QueryTerms, UNKNOWN_TERM } from '../lexical/queryTerms';

/** What of a ranking says how far to trust it. All in [0, 1], but for `landmark`, which a cosine below 0 makes negative. */
export interface ConfidenceFeatures {
  /** How far the first score is above the second and the fifth, relative to the first. */
  readonly gap2: number;
  readonly gap5: number;
  /** Share of the parts, but for the path's, whose own best document is the first. */
  readonly agree: number;
  /** Share of the query's words, weighted by rarity, that the first document holds; and that any document holds. */
  readonly coverage: number;
  readonly known: number;
  /** Best cosine of the first document's landmarks; without vectors a usual one, which speaks neither for nor against it. */
  readonly landmark: number;
}

/** The mean over the questions that the weights were fitted on. */
const USUAL_LANDMARK = 0.5;

/**
 * Chance that one of the first three files is right: logistic regression over the ranking's features, fitted on commit
 * subjects, questions in people's words and questions about other repositories (of repositories that it was not fitted on: AUC 0.835).
 */
export function confidence(features: ConfidenceFeatures): number {
  const { bias, ...weights } = ranking.confidence;
  let sum = bias;
  for (const [name, weight] of Object.entries(weights) as [keyof ConfidenceFeatures, number][]) {
    sum += weight * features[name];
  }
  return 1 / (1 + Math.exp(-sum));
}

/**
 * @param scores fused scores, best first.
 * @param landmarks cosines of the first document's landmarks; none, or NaN, where it has no vectors.
 */
export function confidenceFeatures(
  scores: readonly number[],
  first: CorpusDocument,
  parts: PartScores['parts'],
  terms: QueryTerms,
  corpus: Corpus,
  landmarks: ArrayLike<number> = [],
): ConfidenceFeatures {
  const best = scores[0] ?? 0;
  const gapTo = (at: number): number => (best > 0 ? (best - (scores[at] ?? 0)) / best : 0);
  let agreeing = 0;
  // The vector of the path is in those of file and landmark already.
  const witnesses = [...parts].filter(([name]) => name !== 'path');
  for (const [, part] of witnesses) if (isFirst(part, first.doc)) agreeing++;
  const held = corpus.rowOf(first)?.terms;
  const distinct = distinctWords(terms);
  let all = 0;
  let covered = 0;
  let known = 0;
  for (const term of distinct) {
    const idf = corpus.body.idf(term);
    all += idf;
    if (held?.includes(term) === true) covered += idf;
    if (term !== UNKNOWN_TERM) known++;
  }
  return {
    gap2: gapTo(1),
    gap5: gapTo(4),
    agree: agreeing / Math.max(1, witnesses.length),
    coverage: all > 0 ? covered / all : 0,
    known: known / Math.max(1, distinct.length),
    landmark: nearest(landmarks) ?? USUAL_LANDMARK,
  };
}

function nearest(cosines: ArrayLike<number>): number | undefined {
  const known = Array.from(cosines).filter(cosine => !Number.isNaN(cosine));
  return known.length === 0 ? undefined : Math.max(...known);
}

/** Has no document a better score? False where all have none. */
function isFirst(scores: Float64Array, doc: number): boolean {
  const own = scores[doc] ?? 0;
  if (!(own > 0)) return false;
  for (let other = 0; other < scores.length; other++) if ((scores[other] as number) > own) return false;
  return true;
}
