import { type Bench, type BenchOptions, say } from '../bench';
import { runChild } from '../child';
import { builtFolder } from '../folder/builtFolder';
import type { Measured, MeasureInput } from '../folder/measureMain';
import type { Figure, Findings, Goal, Plot, Series } from '../report';
import { growthExponent, median, percentile } from '../statistics';

const USUAL_SIZES = [1000, 3000, 10_000, 50_000];
const SHORT_SIZES = [200, 600];
const FULL_SIZES = [1000, 3000, 10_000, 30_000, 50_000, 100_000];
type Effort = Omit<MeasureInput, 'folder'>;
/** Enough new files to have the model busy for as long as queries are asked. */
const USUAL_EFFORT: Effort = { queries: 120, freshFiles: 300, seconds: 25 };
const SHORT_EFFORT: Effort = { queries: 30, freshFiles: 0, seconds: 5 };

const QUERY_GOALS: Readonly<Record<number, { readonly idle: readonly Goal[]; readonly indexing: readonly Goal[] }>> = {
  10_000: { idle: [{ atMost: 15 }, { atMost: 30 }], indexing: [{ atMost: 40 }, { atMost: 80 }] },
};
const MEMORY_GOALS: Readonly<Record<number, Goal>> = { 10_000: { atMost: 600 }, 50_000: { atMost: 600 } };

export const queries: Bench = {
  name: 'queries',
  title: 'Queries, memory and growth in the search process, 1,000 to 100,000 files',
  run,
};

type Sized = Measured & { readonly size: number };

async function run(options: BenchOptions): Promise<Findings | undefined> {
  const usual = options.full ? FULL_SIZES : USUAL_SIZES;
  const sizes = options.sizes ?? (options.short ? SHORT_SIZES : usual);
  const effort = options.short ? SHORT_EFFORT : USUAL_EFFORT;
  const measured: Sized[] = [];
  for (const size of sizes) {
    const folder = await builtFolder(options.cache, size);
    if (options.prepare) continue;
    const input: MeasureInput = { folder, ...effort };
    const result = await runChild<MeasureInput, Measured>('folder/measureMain', input, options.profile);
    measured.push({ ...result, size });
    say(`  ${size} files: ${summary(result)}`);
  }
  if (options.prepare) return undefined;
  return {
    parameters: {
      files: sizes.join(', '),
      'queries, idle': effort.queries,
      'threads of the model while indexing': 1,
      'files that appear': effort.freshFiles,
      'vectors of the index': 'a stand-in; a query costs what the model costs',
    },
    figures: [...measured.flatMap(figuresOf), ...growthFigures(measured)],
    plots: plotsOf(measured),
  };
}

function summary({ openMs, memory, idleMs, indexing, sync }: Measured): string {
  const times = (values: readonly number[]): string =>
    `${median(values).toFixed(1)}/${percentile(values, 0.95).toFixed(1)} ms (${values.length})`;
  const while_ = `while reading ${times(indexing.lexical)}, while embedding ${times(indexing.embed)}`;
  const held = `${Math.round(memory.rssMb)} MB, heap ${Math.round(memory.heapMb)} MB`;
  return `open ${Math.round(openMs)} ms, sync ${Math.round(sync.ms)} ms, ${held}; queries ${times(idleMs)}, ${while_}`;
}

function figuresOf(result: Sized): Figure[] {
  const { size, openMs, firstQueryMs, memory, peakRssMb, sync, idleMs, indexing, stats } = result;
  const at = `${size.toLocaleString('en')} files`;
  const goals = QUERY_GOALS[size];
  const all = [...indexing.lexical, ...indexing.embed];
  const queriesAsked = (what: string, values: readonly number[], goal?: readonly Goal[]): Figure[] =>
    (['p50', 'p95'] as const).map((which, nth) => ({
      name: `${at}: query ${what}, ${which}`,
      value: values.length === 0 ? null : which === 'p50' ? median(values) : percentile(values, 0.95),
      unit: 'ms',
      ...(goal?.[nth] === undefined ? {} : { goal: goal[nth] }),
      note: `${values.length} queries`,
    }));
  const memoryGoal = MEMORY_GOALS[size];
  return [
    ...queriesAsked('idle', idleMs, goals?.idle),
    ...queriesAsked('while indexing', all, goals?.indexing),
    ...queriesAsked('while files are read', indexing.lexical),
    ...queriesAsked('while files are embedded', indexing.embed),
    {
      name: `${at}: memory of the search process`,
      value: memory.rssMb,
      unit: 'MB',
      ...(memoryGoal === undefined ? {} : { goal: memoryGoal }),
      note: 'resident, after the first query',
    },
    { name: `${at}: of it its own`, value: memory.privateMb, unit: 'MB', note: 'the rest are pages of files' },
    { name: `${at}: JavaScript heap`, value: memory.heapMb, unit: 'MB', note: 'after a collection' },
    { name: `${at}: buffers outside of the heap`, value: memory.buffersMb, unit: 'MB' },
    { name: `${at}: most memory ever`, value: peakRssMb, unit: 'MB', note: 'resident, with indexing' },
    { name: `${at}: opening`, value: openMs, unit: 'ms' },
    { name: `${at}: first query`, value: firstQueryMs, unit: 'ms', note: 'with the loading of the model' },
    { name: `${at}: unchanged sync`, value: sync.ms, unit: 'ms' },
    {
      name: `${at}: windows embedded by an unchanged sync`,
      value: sync.embeddedWindows,
      unit: '',
      goal: { atMost: 0 },
    },
    { name: `${at}: index over source`, value: indexBytes(result) / sourceBytes(result), unit: '×' },
    { name: `${at}: windows`, value: stats.windows, unit: '' },
  ];
}

/** The largest size over the smallest. */
function growthFigures(measured: readonly Sized[]): Figure[] {
  const [least, most] = [measured[0], measured.at(-1)];
  if (least === undefined || most === undefined || least === most) return [];
  const [few, many] = [least, most].map(({ size }) => size.toLocaleString('en'));
  return [
    {
      name: `a query in ${many} files over one in ${few}`,
      value: median(most.idleMs) / median(least.idleMs),
      unit: '×',
      note: 'medians, idle',
    },
    { name: `unchanged sync of ${many} files over one of ${few}`, value: most.sync.ms / least.sync.ms, unit: '×' },
  ];
}

function sourceBytes({ stats }: Sized): number {
  return stats.bytes['source'] ?? NaN;
}

function indexBytes({ stats }: Sized): number {
  const { source: _source, ...parts } = stats.bytes;
  return Object.values(parts).reduce((sum, bytes) => sum + bytes, 0);
}

function plotsOf(measured: readonly Sized[]): Plot[] {
  const line = (name: string, of: (one: Sized) => number): Series => {
    const points = measured.map(one => ({ x: one.size, y: of(one) })).filter(({ y }) => y > 0);
    const growth = points.length > 1 ? ` (~ files^${growthExponent(points).toFixed(2)})` : '';
    return { name: `${name}${growth}`, points };
  };
  const plot = (file: string, title: string, y: string, series: readonly Series[]): Plot => ({
    file,
    title,
    x: { label: 'files', log: true },
    y: { label: y, log: true },
    series,
  });
  const p95 = (values: readonly number[]): number => percentile(values, 0.95);
  return [
    plot('growth-queries', 'Time of a query', 'ms', [
      line('idle, p50', one => median(one.idleMs)),
      line('idle, p95', one => p95(one.idleMs)),
      line('while embedding, p50', one => median(one.indexing.embed)),
      line('while embedding, p95', one => p95(one.indexing.embed)),
    ]),
    plot('growth-time', 'Opening, first query, unchanged sync', 'ms', [
      line('opening', one => one.openMs),
      line('first query', one => one.firstQueryMs),
      line('unchanged sync', one => one.sync.ms),
    ]),
    plot('growth-memory', 'Memory of the search process', 'MB', [
      line('resident', one => one.memory.rssMb),
      line('its own', one => one.memory.privateMb),
      line('JavaScript heap', one => one.memory.heapMb),
      line('buffers', one => one.memory.buffersMb),
    ]),
    plot('growth-size', 'Size on disk', 'MB', [
      line('source', one => sourceBytes(one) / 1e6),
      line('index', one => indexBytes(one) / 1e6),
      ...['windows', 'catalog', 'windowGraph', 'snapshot'].map(part =>
        line(part, one => (one.stats.bytes[part] ?? 0) / 1e6),
      ),
    ]),
  ];
}
