import { appendFileSync } from 'node:fs';
import fc from 'fast-check';

/** What can be asked for in a longer form: by `npm run soak`, through the environment. */
export interface Amounts {
  /** Cases of each property. */
  readonly cases?: number;
  /** Most seconds for each property. */
  readonly caseSeconds?: number;
  /** Most seconds for each other random test, which then ends early. */
  readonly testSeconds?: number;
  /** Processes killed at random moments. */
  readonly kills?: number;
  /** Copies of the data taken while a process is stopped. */
  readonly images?: number;
  /** Random operations against the plain model. */
  readonly operations?: number;
  /** Runs of the model over which memory is watched. */
  readonly inferences?: number;
  /** Added to the seeds of all random tests. */
  readonly seed?: number;
  /** Cases of properties that an earlier run has tried, which this one goes on from. */
  readonly tried?: Readonly<Record<string, number>>;
}

/** So many cases are tried and noted at a time: who interrupts a soak loses no more than these. */
const PIECE = 50_000;

const asked = JSON.parse(process.env['LANDMARK_SOAK'] ?? '{}') as Amounts;
const notes = process.env['LANDMARK_SOAK_NOTES'];

/** How much of something a test does: as usual, or as much as a soak asks for. */
export function amount(kind: Exclude<keyof Amounts, 'seed' | 'tried'>, usual: number): number {
  return asked[kind] ?? usual;
}

/** The seed of a random test; another one in each soak that says so. */
export function seedFrom(usual: number): number {
  return usual + (asked.seed ?? 0);
}

/** Tells whether the test that calls it now may go on: always, unless a soak has given it a time. */
export function soakTime(): () => boolean {
  return within(asked.testSeconds);
}

function within(seconds = Infinity): () => boolean {
  const until = performance.now() + 1000 * seconds;
  return () => performance.now() < until;
}

/** Keeps what a test has seen, for the table of a soak. */
export function noteFigures(name: string, figures: Readonly<Record<string, number>>): void {
  if (notes !== undefined) appendFileSync(notes, `${JSON.stringify({ name, ...figures })}\n`);
}

/**
 * Where a property goes on: pieces of cases with a seed each, after those that an earlier run has tried, until there are
 * enough or the time is over.
 */
export function* pieces(name: string, seed: number, usual: number): Generator<{ seed: number; cases: number }> {
  const cases = amount('cases', usual);
  const mayGoOn = within(asked.caseSeconds);
  for (let from = asked.tried?.[name] ?? 0; from < cases && mayGoOn(); from += PIECE) {
    yield { seed: seedFrom(seed) + from, cases: Math.min(PIECE, cases - from) };
  }
}

/** Checks a property on so many random cases, more in a soak. Throws with the smallest case that breaks it. */
export function holds<Ts>(name: string, seed: number, usual: number, property: fc.IProperty<Ts>): void {
  for (const piece of pieces(name, seed, usual)) judge(name, piece.seed, fc.check(property, parametersOf<Ts>(piece)));
}

/** The same for a property that has to be waited for. */
export async function holdsLater<Ts>(
  name: string,
  seed: number,
  usual: number,
  property: fc.IAsyncProperty<Ts>,
): Promise<void> {
  for (const piece of pieces(name, seed, usual))
    judge(name, piece.seed, await fc.check(property, parametersOf<Ts>(piece)));
}

function parametersOf<Ts>({ seed, cases }: { seed: number; cases: number }): fc.Parameters<Ts> {
  const limit = amount('caseSeconds', 0) * 1000;
  return { seed, numRuns: cases, ...(limit > 0 ? { interruptAfterTimeLimit: limit } : {}) };
}

function judge<Ts>(name: string, seed: number, details: fc.RunDetails<Ts>): void {
  noteFigures(name, { cases: details.numRuns, seed });
  if (!details.failed) return;
  throw new Error(`${name}: ${fc.defaultReportMessage(details) ?? ''}`, { cause: details.errorInstance });
}
