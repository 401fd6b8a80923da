import type { Metrics } from '../folderEngine';

/** Rank of the first relevant path (1-based), or null. */
export function firstRank(ranked: readonly string[], relevant: readonly string[]): number | null {
  const wanted = new Set(relevant);
  const at = ranked.findIndex(path => wanted.has(path));
  return at < 0 ? null : at + 1;
}

/** What one query scored; `place` is undefined when nothing could be judged. */
export interface QueryScore {
  readonly metrics: Omit<Metrics, 'place@1'>;
  readonly place?: boolean;
}

/**
 * Metrics of one ranking over its first ten results: MRR, success at 1, recall at 1, 5 and 10 (found over all relevant)
 * and nDCG with binary gain. A copy counts as the path it is a copy of.
 */
export function scoreRanking(ranked: readonly string[], relevant: readonly string[]): QueryScore['metrics'] {
  const wanted = new Set(relevant);
  const hits = ranked.slice(0, 10).map(path => wanted.has(path));
  const first = hits.indexOf(true);
  const found = (n: number): number => hits.slice(0, n).filter(Boolean).length / wanted.size;
  const gain = (at: number): number => 1 / Math.log2(at + 2);
  const dcg = hits.reduce((sum, hit, at) => sum + (hit ? gain(at) : 0), 0);
  let ideal = 0;
  for (let at = 0; at < Math.min(10, wanted.size); at++) ideal += gain(at);
  return {
    'mrr@10': first < 0 ? 0 : 1 / (first + 1),
    'acc@1': hits[0] === true ? 1 : 0,
    'recall@1': found(1),
    'recall@5': found(5),
    'recall@10': found(10),
    'ndcg@10': dcg / ideal,
  };
}

/** Means over queries; `place@1` over those where it could be judged. */
export function averageMetrics(scores: readonly QueryScore[]): Metrics {
  const mean = (of: (score: QueryScore) => number): number =>
    scores.length === 0 ? 0 : scores.reduce((sum, score) => sum + of(score), 0) / scores.length;
  const judged = scores.filter(score => score.place !== undefined);
  const metrics = {
    'mrr@10': mean(score => score.metrics['mrr@10']),
    'acc@1': mean(score => score.metrics['acc@1']),
    'recall@1': mean(score => score.metrics['recall@1']),
    'recall@5': mean(score => score.metrics['recall@5']),
    'recall@10': mean(score => score.metrics['recall@10']),
    'ndcg@10': mean(score => score.metrics['ndcg@10']),
  };
  if (judged.length === 0) return metrics;
  return { ...metrics, 'place@1': judged.filter(score => score.place).length / judged.length };
}

/** Do two inclusive line ranges meet? */
export function rangesMeet(a: readonly [number, number], b: readonly [number, number]): boolean {
  return a[0] <= b[1] && b[0] <= a[1];
}
