import { type Figure, type Goal, isReached } from './report';
import { shownFigure } from './reportPage';

/** Bounds by the names of figures. */
export type Gates = Readonly<Record<string, Goal>>;

/**
 * What the short form fails on: gross losses, by ratios within one run and by counts, so that neither a slow nor a busy
 * machine decides. Measured when quiet, each of the ratios is better by half or more.
 */
const GATES: Readonly<Record<string, Gates>> = {
  indexing: {
    'embedding, tokens over the bare runtime on the same inputs': { atLeast: 0.5 },
    'whole sync, source over int8, raw text, 256-token chunks, 16 a call': { atLeast: 0.6 },
    'whole sync, source over fp32, raw text, 256-token chunks, one a call': { atLeast: 1.2 },
  },
  queries: {
    '200 files: windows embedded by an unchanged sync': { atMost: 0 },
    '600 files: windows embedded by an unchanged sync': { atMost: 0 },
    '600 files: index over source': { atMost: 4 },
    'a query in 600 files over one in 200': { atMost: 5 },
    'unchanged sync of 600 files over one of 200': { atMost: 8 },
  },
  freshness: {
    '200 files: windows embedded when reopened unchanged': { atMost: 0 },
    'windows embedded by going back to a branch': { atMost: 0 },
    'windows embedded by a branch seen before': { atMost: 0 },
  },
  graph: {
    '3,000 vectors, 50 % changed: recall@10': { atLeast: 0.98 },
    'file vectors, leading, int4 by landmark: recall@10 of what full vectors give': { atLeast: 0.8 },
    'landmarks, leading, int4: own file among the first ten': { atLeast: 0.5 },
  },
};

/** The benches of the short form. */
export const GATED_BENCHES: readonly string[] = Object.keys(GATES);

export function gatesOf(bench: string): Gates {
  return GATES[bench] ?? {};
}

/** What is grossly worse than it was, a sentence each; a figure that is not there is worse, too. */
export function faultsOf(figures: readonly Figure[], gates: Gates): string[] {
  return Object.entries(gates).flatMap(([name, goal]) => {
    const figure = figures.find(one => one.name === name);
    if (figure === undefined || figure.value === null) return [`“${name}” was not measured.`];
    if (isReached({ ...figure, goal }) === true) return [];
    const bound = goal.atLeast === undefined ? `at most ${goal.atMost}` : `at least ${goal.atLeast}`;
    return [`“${name}” is ${shownFigure(figure)}, and must be ${bound}.`];
  });
}
