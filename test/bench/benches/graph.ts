import { type Bench, type BenchOptions, say } from '../bench';
import { runChild } from '../child';
import type { ChurnInput, ChurnStage } from '../graph/churnMain';
import type { Kept, Loss, LossInput } from '../graph/lossMain';
import type { SweepInput, SweepPoint } from '../graph/sweepMain';
import type { Figure, Findings, Plot, Series } from '../report';

const USUAL_VECTORS = 100_000;
/** As the landmarks are kept. */
const DIMENSIONS = 128;
const QUERIES = 200;
const SWEEP: SweepInput = {
  vectors: 20_000,
  dimensions: DIMENSIONS,
  queries: QUERIES,
  links: [8, 16, 32],
  buildWidths: [50, 200],
  searchWidths: [10, 20, 50, 100, 200, 400],
};
const SHORT_SWEEP: SweepInput = { ...SWEEP, vectors: 1000, links: [16], buildWidths: [200], searchWidths: [50] };
const SHORT_VECTORS = 3000;
const LOSS_LINES = 20_000;
const SHORT_LINES = 1500;

export const graph: Bench = {
  name: 'graph',
  title: 'Recall of the graph, and what is lost by smaller vectors',
  run,
};

async function run({ prepare, profile, sizes, full, short }: BenchOptions): Promise<Findings | undefined> {
  if (prepare) return undefined;
  const vectors = sizes?.[0] ?? (short ? SHORT_VECTORS : USUAL_VECTORS);
  const lines = short ? SHORT_LINES : full ? 3 * LOSS_LINES : LOSS_LINES;
  const sweep = short ? SHORT_SWEEP : SWEEP;
  const loss = await runChild<LossInput, Loss>('graph/lossMain', { lines, queries: QUERIES }, profile);
  say('  loss: measured');
  const points = await runChild<SweepInput, SweepPoint[]>('graph/sweepMain', sweep, profile);
  say('  sweep: measured');
  const input: ChurnInput = { vectors, dimensions: DIMENSIONS, queries: QUERIES };
  const stages = await runChild<ChurnInput, ChurnStage[]>('graph/churnMain', input, profile);
  return {
    parameters: {
      'vectors of the graph': `${vectors}, made up, in clusters, ${DIMENSIONS} dimensions`,
      'vectors of the sweep': sweep.vectors,
      queries: QUERIES,
      'losses on': `${loss.files} files of real source, ${loss.landmarks} landmarks, ${loss.queries} of their comments as questions`,
    },
    figures: [...churnFigures(stages, vectors), ...lossFigures(loss)],
    plots: sweepPlots(points),
  };
}

function churnFigures(stages: readonly ChurnStage[], vectors: number): Figure[] {
  return stages.flatMap(({ churn, recall, searchMs, seconds }) => {
    const at = `${vectors.toLocaleString('en')} vectors, ${churn * 100} % changed`;
    return [
      { name: `${at}: recall@10`, value: recall, unit: '', ...(churn === 0.5 ? { goal: { atLeast: 0.99 } } : {}) },
      { name: `${at}: a search`, value: searchMs, unit: 'ms', note: `the changes took ${seconds.toFixed(0)} s` },
    ];
  });
}

function lossFigures({ landmark, file }: Loss): Figure[] {
  const rows = (what: string, kept: Readonly<Record<string, Kept>>): Figure[] =>
    Object.entries(kept).flatMap(([kind, { recall, found }]) => [
      { name: `${what}, ${kind}: recall@10 of what full vectors give`, value: recall, unit: '' },
      { name: `${what}, ${kind}: own file among the first ten`, value: found, unit: '' },
    ]);
  return [...rows('landmarks', landmark), ...rows('file vectors', file)];
}

function sweepPlots(points: readonly SweepPoint[]): Plot[] {
  const series = (pick: (point: SweepPoint) => { x: number; y: number }): Series[] =>
    SWEEP.links.flatMap(links =>
      SWEEP.buildWidths.map(buildWidth => {
        const line = points.filter(point => point.links === links && point.buildWidth === buildWidth);
        const built = line[0]?.buildSeconds.toFixed(0) ?? '?';
        return { name: `M ${links}, efConstruction ${buildWidth} (built in ${built} s)`, points: line.map(pick) };
      }),
    );
  return [
    {
      file: 'sweep-ef',
      title: 'Recall@10 of the graph',
      x: { label: 'ef', log: true },
      y: { label: 'recall@10' },
      series: series(({ searchWidth, recall }) => ({ x: searchWidth, y: recall })),
    },
    {
      file: 'sweep-time',
      title: 'Recall@10 of the graph',
      x: { label: 'ms a search', log: true },
      y: { label: 'recall@10' },
      series: series(({ searchMs, recall }) => ({ x: searchMs, y: recall })),
    },
  ];
}
