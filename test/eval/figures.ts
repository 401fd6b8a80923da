import { readFileSync } from 'node:fs';
import type { EvaluationReport } from '../../src/engine/folderEngine';

/** What the evaluation's own figures need of a case. */
export interface AskedCase {
  readonly id: string;
  readonly leaks_name?: boolean;
}

/** Figures of one set of cases; those of a part that has none are undefined. */
export interface Figures {
  readonly cases: number;
  readonly mrr: number;
  readonly first: number;
  /** Share of cases with a right file among the first three. */
  readonly firstThree: number;
  readonly place: number | undefined;
  /** Over the cases that do not hold the name of a right file. */
  readonly withoutName: { readonly cases: number; readonly mrr: number; readonly first: number } | undefined;
  /** MRR@10 of each arm alone, and of plain BM25. */
  readonly arms: Readonly<Record<string, number>>;
}

export type Rank = number | null;

export function readCases(path: string): AskedCase[] {
  return readFileSync(path, 'utf8')
    .split('\n')
    .filter(line => line.trim() !== '')
    .map(line => JSON.parse(line) as AskedCase);
}

/** 1 / rank within the first ten, else 0. */
export function reciprocal(rank: Rank): number {
  return rank !== null && rank <= 10 ? 1 / rank : 0;
}

export function figuresOf(report: EvaluationReport, cases: readonly AskedCase[]): Figures {
  const ranks = report.queries.map(({ rank }) => rank);
  const leaking = new Set(cases.filter(one => one.leaks_name === true).map(({ id }) => id));
  const unnamed = report.queries.filter(({ id }) => !leaking.has(id)).map(({ rank }) => rank);
  return {
    cases: ranks.length,
    mrr: report.metrics['mrr@10'],
    first: report.metrics['acc@1'],
    firstThree: mean(ranks.map(rank => (rank !== null && rank <= 3 ? 1 : 0))),
    place: report.metrics['place@1'],
    withoutName:
      unnamed.length === 0 || leaking.size === 0
        ? undefined
        : {
            cases: unnamed.length,
            mrr: mean(unnamed.map(reciprocal)),
            first: mean(unnamed.map(rank => (rank === 1 ? 1 : 0))),
          },
    arms: Object.fromEntries(Object.entries(report.arms).map(([arm, metrics]) => [arm, metrics['mrr@10']])),
  };
}

export function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}
