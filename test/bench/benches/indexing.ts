import { availableParallelism } from 'node:os';
import type { Bench, BenchOptions } from '../bench';
import { runChild } from '../child';
import type { IndexingInput, IndexingRound, Work } from '../inference/indexingMain';
import type { Figure, Findings } from '../report';
import { median } from '../statistics';

type Effort = Pick<IndexingInput, 'rounds' | 'bytes' | 'slowShare'>;
const USUAL_EFFORT: Effort = { rounds: 5, bytes: 250_000, slowShare: 0.25 };
const SHORT_EFFORT: Effort = { rounds: 2, bytes: 12_000, slowShare: 0.4 };
/** As the command line chooses them. */
const MOST_THREADS = 8;

export const indexing: Bench = {
  name: 'indexing',
  title: 'Indexing beside the bare runtime and beside plain ways with the same weights',
  run,
};

async function run({ cache, prepare, profile, short }: BenchOptions): Promise<Findings | undefined> {
  if (prepare) return undefined;
  const threads = Math.min(availableParallelism(), MOST_THREADS);
  const effort = short ? SHORT_EFFORT : USUAL_EFFORT;
  const input: IndexingInput = { cache, ...effort, threads };
  const rounds = await runChild<IndexingInput, IndexingRound[]>('inference/indexingMain', input, profile);
  return {
    parameters: {
      rounds: effort.rounds,
      'source of a round': `${effort.bytes / 1000} KB`,
      threads,
      text: 'source of the installed packages',
    },
    figures: indexingFigures(rounds),
  };
}

/** Medians of the rounds' ratios. */
export function indexingFigures(rounds: readonly IndexingRound[]): Figure[] {
  const tokensPerSecond = ({ tokens, seconds }: Work): number => tokens / seconds;
  const bytesPerSecond = ({ bytes, seconds }: Work): number => bytes / seconds;
  const of = (value: (round: IndexingRound) => number): number => median(rounds.map(value));
  const speed = (name: string, work: (round: IndexingRound) => Work): Figure[] => [
    { name: `${name}: tokens`, value: of(round => tokensPerSecond(work(round))), unit: 'tokens/s' },
    { name: `${name}: source`, value: of(round => bytesPerSecond(work(round)) / 1000), unit: 'KB/s' },
  ];
  return [
    {
      name: 'embedding, tokens over the bare runtime on the same inputs',
      value: of(({ embedding, runtime }) => tokensPerSecond(embedding) / tokensPerSecond(runtime)),
      unit: '×',
      goal: { atLeast: 0.9 },
      note: 'from the first window to the last, with the stores',
    },
    {
      name: 'whole sync, tokens over the bare runtime on the same inputs',
      value: of(({ product, runtime }) => tokensPerSecond(product) / tokensPerSecond(runtime)),
      unit: '×',
      note: 'with walking, words, tokens, graphs',
    },
    {
      name: 'whole sync, source over int8, raw text, 256-token chunks, 16 a call',
      value: of(({ product, batched }) => bytesPerSecond(product) / bytesPerSecond(batched)),
      unit: '×',
      goal: { atLeast: 1.4 },
    },
    {
      name: 'whole sync, source over fp32, raw text, 256-token chunks, one a call',
      value: of(({ product, single }) => bytesPerSecond(product) / bytesPerSecond(single)),
      unit: '×',
      goal: { atLeast: 6 },
      note: 'the int8 weights multiplied out to 32-bit numbers',
    },
    {
      name: 'prepared tokens over raw ones',
      value: of(({ product, batched }) => product.tokens / batched.tokens),
      unit: '×',
    },
    ...speed('product, whole sync', ({ product }) => product),
    ...speed('product, embedding', ({ embedding }) => embedding),
    ...speed('bare runtime', ({ runtime }) => runtime),
    ...speed('int8, raw, 16 a call', ({ batched }) => batched),
    ...speed('fp32, raw, one a call', ({ single }) => single),
    {
      name: 'most memory of the embedder process',
      value: Math.max(...rounds.map(({ embedderMb }) => embedderMb)),
      unit: 'MB',
    },
  ];
}
