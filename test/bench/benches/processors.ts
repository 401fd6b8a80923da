import { cosine } from '../../../src/engine/vectors/vectorMath';
import { goldenCases } from '../../support/golden';
import { type Bench, type BenchOptions, say } from '../bench';
import { runChild } from '../child';
import type { Embedded, EmbedInput } from '../processors/embedMain';
import { type Mask, MASKS, maskedRuntime } from '../processors/maskedRuntime';
import { otherRuntimes } from '../processors/otherRuntimes';
import type { Figure, Findings, Goal } from '../report';
import { mean, median, percentile } from '../statistics';

const REPEATS = 3;
const EVERY_WINDOW = 8;
const NEAREST = 10;
/** As the tests ask it of every machine. */
const SAME: Goal = { atLeast: 0.99 };
const NAMES: Readonly<Record<Mask, string>> = {
  vnni: 'without VNNI',
  avx512: 'without VNNI and AVX-512',
  avx: 'without VNNI, AVX-512, AVX2 and AVX',
};

export const processors: Bench = {
  name: 'processors',
  title: 'Vectors and speed of the model with fewer instructions, and by the runtimes of Intel Macs and Alpine',
  run,
};

/** A way to run the model: its name, the environment, and a runtime that is not the usual one. */
interface Way {
  readonly name: string;
  readonly env: NodeJS.ProcessEnv;
  readonly runtime?: string;
}

async function run({ cache, full, short, prepare }: BenchOptions): Promise<Findings | undefined> {
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    say('  Instructions can be left out on Linux with an x64 processor only.');
    return undefined;
  }
  const environment = maskedRuntime(cache);
  const ways: Way[] = [
    { name: 'all', env: {} },
    ...MASKS.map(mask => ({ name: NAMES[mask], env: environment(mask) })),
    ...otherRuntimes(cache).map(({ name, folder }) => ({ name, env: {}, runtime: folder })),
  ];
  if (prepare) return undefined;
  const everyWindow = full ? 1 : short ? 10 * EVERY_WINDOW : EVERY_WINDOW;
  const repeats = short ? 1 : REPEATS;
  const found: Embedded[][] = ways.map(() => []);
  // In turn, so that a busy machine is busy for all of them.
  for (let repeat = 0; repeat < repeats; repeat++) {
    for (const [at, { env, runtime }] of ways.entries()) {
      const input: EmbedInput = { everyWindow, ...(runtime === undefined ? {} : { runtime }) };
      found[at]?.push(await runChild<EmbedInput, Embedded>('processors/embedMain', input, false, env));
    }
    say(`  ${repeat + 1} of ${repeats}`);
  }
  const [whole = [], ...others] = found;
  const [first] = whole;
  if (first === undefined) return undefined;
  return {
    parameters: {
      repeats,
      windows: first.windows.length,
      questions: first.questions.length,
      threads: 1,
      'features are left out by':
        'a copy of ONNX Runtime whose cpuid instructions are answered by test/bench/processors/mask.c',
    },
    figures: [
      { name: 'tokens a processor second', value: median(whole.map(speed)), unit: 'tokens/s' },
      { name: 'least cosine to the reference', value: Math.min(...toReference(first)), unit: '', goal: SAME },
      ...others.flatMap((embedded, at) => figuresOf(ways[at + 1]?.name ?? '', whole, embedded)),
    ],
  };
}

function figuresOf(name: string, whole: readonly Embedded[], embedded: readonly Embedded[]): Figure[] {
  const [one, all] = [embedded[0], whole[0]];
  if (one === undefined || all === undefined) return [];
  const windows = one.windows.map((vector, at) => similarity(vector, all.windows[at]));
  const [first, nearest] = sameAnswers(one, all);
  const ratios = embedded.map((each, at) => speed(each) / speed(whole[at] ?? each));
  return [
    { name: `${name}: tokens a processor second over all instructions`, value: median(ratios), unit: '×' },
    { name: `${name}: tokens a processor second`, value: median(embedded.map(speed)), unit: 'tokens/s' },
    { name: `${name}: least cosine to the reference`, value: Math.min(...toReference(one)), unit: '', goal: SAME },
    { name: `${name}: cosine of windows to all instructions, mean`, value: mean(windows), unit: '', goal: SAME },
    { name: `${name}: cosine of windows to all instructions, p5`, value: percentile(windows, 0.05), unit: '', goal: SAME },
    { name: `${name}: questions with the same nearest window`, value: first, unit: '', note: 'share' },
    { name: `${name}: of the nearest ${NEAREST} the same`, value: nearest, unit: '', note: 'share' },
  ];
} // prettier-ignore

function speed({ tokens, processorSeconds }: Embedded): number {
  return tokens / processorSeconds;
}

function toReference({ golden }: Embedded): number[] {
  const expected = goldenCases().flatMap(({ vector }) => (vector === undefined ? [] : [vector]));
  return golden.map((vector, at) => similarity(vector, expected[at]));
}

/** Shares of questions with the same nearest window, and of the nearest windows that both have. */
function sameAnswers(one: Embedded, other: Embedded): readonly [first: number, nearest: number] {
  const pairs = one.questions.map(
    (question, at) => [answers(question, one), answers(other.questions[at], other)] as const,
  );
  const first = mean(pairs.map(([a, b]) => (a[0] === b[0] ? 1 : 0)));
  const nearest = mean(pairs.map(([a, b]) => a.filter(window => b.includes(window)).length / NEAREST));
  return [first, nearest];
}

function answers(question: readonly number[] | undefined, { windows }: Embedded): number[] {
  const scores = windows.map((window, at) => [at, similarity(question, window)] as const);
  return scores.sort((a, b) => b[1] - a[1] || a[0] - b[0]).slice(0, NEAREST).map(([at]) => at); // prettier-ignore
}

function similarity(a: readonly number[] = [], b: readonly number[] = []): number {
  return cosine(Float32Array.from(a), Float32Array.from(b));
}
