import { tokenize } from '../lexical/identifiers';
import { ShortTextIndex } from '../lexical/shortTextIndex';
import type { Commit } from './gitLog';

/** Commits of one query that are looked at: the best by their subjects. */
const BEST_COMMITS = 100;
/** A commit this old counts half. */
const HALF_LIFE_DAYS = 730;
const SECONDS_A_DAY = 86_400;

/** What past commits say about a query. */
export interface HistoryScores {
  /** By path. */
  readonly scores: ReadonlyMap<string, number>;
  /** Share of the query's words in the subject of the best commit: how much the scores have to say. */
  readonly coverage: number;
}

/**
 * Past commits as a way from words to files: a commit whose subject is like the query points to the files it changed.
 * After BugLocator (Zhou et al. 2012); the squares, the root and the half-life are what did best in our measurements.
 */
export class CommitHistory {
  private readonly subjects = new ShortTextIndex({ k1: 1.2, b: 0.75 });
  private readonly newest: number;

  /** @param commits from `readHistory`. */
  constructor(private readonly commits: readonly Commit[]) {
    let newest = 0;
    for (const [index, commit] of commits.entries()) {
      this.subjects.add(index, commit.subject);
      newest = Math.max(newest, commit.time);
    }
    // Ages count from the newest commit, not from today: the same repository gives the same answers next month.
    this.newest = newest;
  }

  get size(): number {
    return this.commits.length;
  }

  /**
   * Scores files by the past commits that are like the query: Σ s² / √files · 2^(−age / 730 days), where s is the
   * commit's BM25 over the best commit's.
   * @param tokens the query's terms.
   * @param exists which paths there still are; a commit counts for these only.
   */
  score(tokens: readonly string[], exists: (path: string) => boolean): HistoryScores {
    const scores = new Map<string, number>();
    const ranked = [...this.subjects.search(tokens)].sort(([a, x], [b, y]) => y - x || a - b);
    let best = 0;
    let coverage = 0;
    let used = 0;
    for (const [index, score] of ranked) {
      if (used >= BEST_COMMITS) break;
      const commit = this.commits[index];
      const files = commit?.files.filter(exists) ?? [];
      if (commit === undefined || files.length === 0) continue;
      if (used++ === 0) coverage = shareIn(tokens, commit.subject);
      best = Math.max(best, score);
      const age = (this.newest - commit.time) / SECONDS_A_DAY;
      const share = ((score / best) ** 2 / Math.sqrt(files.length)) * 2 ** (-age / HALF_LIFE_DAYS);
      for (const file of files) scores.set(file, (scores.get(file) ?? 0) + share);
    }
    return { scores, coverage };
  }
}

/** Share of the distinct tokens that occur in a subject. */
function shareIn(tokens: readonly string[], subject: string): number {
  const present = new Set(tokenize(subject));
  const distinct = [...new Set(tokens)];
  return distinct.filter(token => present.has(token)).length / Math.max(1, distinct.length);
}
