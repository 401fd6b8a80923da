import type { ArmName } from '../types';
import ranking from './ranking.json';

/** The parts that are scored and fused; an arm is made of one part or several. */
export type PartName = keyof typeof ranking.weights;

export const PARTS_OF_ARM: Readonly<Record<ArmName, readonly PartName[]>> = {
  file: ['file'],
  landmark: ['landmark'],
  path: ['path'],
  lexical: ['body', 'phrase', 'window', 'base', 'folder'],
  history: ['history'],
  definition: ['definition'],
};

/** Whether arms need the vector of the query; undefined = all arms. */
export function asksForVectors(arms: Iterable<ArmName> | undefined): boolean {
  return arms === undefined || [...arms].some(arm => arm === 'file' || arm === 'landmark' || arm === 'path');
}

/** Weight of each part in the sum, from the one data file. */
export const WEIGHTS: Readonly<Record<PartName, number>> = ranking.weights;

/** Scores by document number, `[documents]`, 0 = nothing; for similarities NaN = not looked at. */
export type Scores = Float64Array;

/**
 * Divides by the best score, in place. With lexical scores, which have no upper bound but a meaningful zero, this beat
 * z-scores and reciprocal ranks in our measurements.
 */
export function normaliseByBest(scores: Scores): Scores {
  const best = largest(scores);
  if (best > 0) for (let at = 0; at < scores.length; at++) scores[at] = (scores[at] ?? 0) / best;
  return scores;
}

/**
 * Maps cosines to [0, 1] in place by (c − floor) / (best − floor): cosines have a floor well above zero that says
 * nothing about the query. NaN becomes 0.
 * @param floor see `similarityFloor`; of the whole index where `scores` are those of few candidates.
 */
export function normaliseSimilarities(scores: Scores, floor = similarityFloor(scores)): Scores {
  let best = floor;
  for (let at = 0; at < scores.length; at++) {
    const score = scores[at] as number;
    if (score > best) best = score;
  }
  const range = best - floor;
  for (let at = 0; at < scores.length; at++) {
    const score = scores[at] ?? NaN;
    scores[at] = range > 0 && score > floor ? (score - floor) / range : 0;
  }
  return scores;
}

/** The best of scores that are not negative; 0 when there is none. */
export function largest(scores: ArrayLike<number>): number {
  let best = 0;
  for (let at = 0; at < scores.length; at++) {
    const score = scores[at] as number;
    if (score > best) best = score;
  }
  return best;
}

/** Below this many documents their median may be the answer itself. */
const FEW = 8;
/** What a document that has nothing to do with the query scores, about: the usual median of a larger index. */
const USUAL_FLOOR = 0.15;

/** The similarity that says nothing about a query: the median of the documents, a usual one where they are few. */
export function similarityFloor(scores: Scores): number {
  return knownCount(scores) < FEW ? Math.min(USUAL_FLOOR, median(scores)) : median(scores);
}

/** With this share of the documents embedded, similarities tell all that they can. */
const NEARLY_ALL = 0.9;

/**
 * How much a similarity counts that is known of some documents only, in [0, 1]: while an index is built, the best of the
 * few that are embedded is not the best of all, and must not go before what the words find.
 */
export function weightOfKnown(similarities: Scores): number {
  return Math.min(1, knownCount(similarities) / Math.max(1, NEARLY_ALL * similarities.length));
}

function knownCount(similarities: Scores): number {
  let count = 0;
  for (let at = 0; at < similarities.length; at++) if (!Number.isNaN(similarities[at])) count++;
  return count;
}

/** Median of the numbers that are not NaN; 0 when there is none. */
export function median(scores: Scores): number {
  // Sorted, what is not a number stands at the end.
  const sorted = scores.slice().sort();
  const known = knownCount(scores);
  const middle = known >> 1;
  if (known === 0) return 0;
  const upper = sorted[middle] ?? 0;
  return known % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? upper)) / 2;
}

/** Weighted sum of normalised parts, added to `sum`. */
export function fuse(parts: ReadonlyMap<PartName, Scores>, sum: Scores, weights = WEIGHTS): Scores {
  for (const [part, scores] of parts) {
    const weight = weights[part];
    for (let at = 0; at < sum.length; at++) sum[at] = (sum[at] ?? 0) + weight * (scores[at] ?? 0);
  }
  return sum;
}

/** What each arm gave one document, in [0, 1]. */
export function armShares(parts: ReadonlyMap<PartName, Scores>, doc: number): Partial<Record<ArmName, number>> {
  const shares: Partial<Record<ArmName, number>> = {};
  for (const [arm, names] of Object.entries(PARTS_OF_ARM) as [ArmName, readonly PartName[]][]) {
    let sum = 0;
    let weight = 0;
    for (const name of names) {
      const scores = parts.get(name);
      if (scores === undefined) continue;
      sum += WEIGHTS[name] * (scores[doc] ?? 0);
      weight += WEIGHTS[name];
    }
    if (weight > 0) shares[arm] = sum / weight;
  }
  return shares;
}
