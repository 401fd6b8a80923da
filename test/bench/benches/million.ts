import { type Bench, type BenchOptions, say } from '../bench';
import { runChild } from '../child';
import type { MillionInput, MillionRun } from '../million/millionMain';
import type { Figure, Findings, Goal } from '../report';

const MILLION = 1_000_000;
/** What is indexed unless all is asked for; its times are then scaled up by lines, its sizes are ratios. */
const USUAL_LINES = 100_000;
/** A second, slower run is shorter. */
const SHORT_LINES = 2000;
const SECOND_SHARE = 0.25;

const GOALS: Readonly<Record<keyof MillionRun['seconds'], Goal | undefined>> = {
  lexical: undefined,
  paths: { atMost: 60 },
  firstWindows: { atMost: 240 },
  complete: { atMost: 720 },
};
const NAMES: Readonly<Record<keyof MillionRun['seconds'], string>> = {
  lexical: 'words of all files can be asked for',
  paths: 'words and paths of all files can be asked for',
  firstWindows: 'first windows of all files are embedded',
  complete: 'complete',
};
const MINUTE = 60;

export const million: Bench = {
  name: 'million',
  title: 'A million lines of real source, and the size of their index',
  run,
};

async function run({ cache, full, prepare, profile, sizes, short }: BenchOptions): Promise<Findings | undefined> {
  if (prepare) return undefined;
  const lines = sizes?.[0] ?? (full ? MILLION : short ? SHORT_LINES : USUAL_LINES);
  const index = (threads: number, share: number): Promise<MillionRun> =>
    runChild<MillionInput, MillionRun>('million/millionMain', { cache, lines: lines * share, threads }, profile);
  const two = await index(2, 1);
  say(`  two threads: ${Math.round(two.seconds.complete)} s`);
  const one = await index(1, full ? 1 : SECOND_SHARE);
  return {
    parameters: {
      'lines with two threads': two.lines,
      'lines with one thread': one.lines,
      files: two.files,
      'source MB': round(two.bytes / 1e6),
      tokens: two.tokens,
      text: `source of the installed packages, ${two.digest}`,
      scaled: lines < MILLION ? 'times are scaled up to a million by lines' : 'no',
    },
    figures: [...timeFigures(two, 2, true), ...timeFigures(one, 1, false), ...sizeFigures(two)],
  };
}

function timeFigures(run: MillionRun, threads: number, withGoals: boolean): Figure[] {
  const scale = Math.max(1, MILLION / run.lines);
  return (['lexical', 'paths', 'firstWindows', 'complete'] as const).map(phase => ({
    name: `a million lines, ${threads === 1 ? 'one thread' : `${threads} threads`}: ${NAMES[phase]}`,
    value: run.seconds[phase] * scale,
    unit: 's',
    ...(withGoals && GOALS[phase] !== undefined ? { goal: GOALS[phase] } : {}),
    note: `${run.seconds[phase].toFixed(1)} s for ${run.lines.toLocaleString('en')} lines; ${round((run.seconds[phase] * scale) / MINUTE)} min`,
  }));
}

function sizeFigures({ bytes, bytesByPart, windows, landmarks, searchMb, embedderMb, tokens }: MillionRun): Figure[] {
  const { windows: vectors = NaN, catalog = NaN, windowGraph = NaN, snapshot = 0 } = bytesByPart;
  const share = (name: string, part: number, goal?: Goal): Figure => ({
    name: `size over source: ${name}`,
    value: part / bytes,
    unit: '×',
    ...(goal === undefined ? {} : { goal }),
    note: `${round(part / 1e6)} MB`,
  });
  return [
    share('all', vectors + catalog + windowGraph + snapshot, { atMost: 1 }),
    share('stored vectors', vectors, { atMost: 0.5 }),
    share('catalogue', catalog),
    share('graph of windows', windowGraph),
    share('snapshot', snapshot),
    { name: 'bytes of source for a landmark', value: bytes / landmarks, unit: 'B' },
    { name: 'tokens of a window', value: tokens / windows, unit: '' },
    { name: 'most memory of the search process while indexing', value: searchMb, unit: 'MB' },
    { name: 'most memory of the embedder process while indexing', value: embedderMb, unit: 'MB' },
  ];
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
