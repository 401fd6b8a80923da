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
}

const asked = JSON.parse(process.env['LANDMARK_SOAK'] ?? '{}') as Amounts;
const notes = process.env['LANDMARK_SOAK_NOTES'];

/** How much of something a test does: as usual, or as much as a soak asks for. */
export function amount(kind: Exclude<keyof Amounts, 'seed'>, usual: number): number {
  return asked[kind] ?? usual;
}

/** The seed of a random test; another one in each soak that says so. */
export function seedFrom(usual: number): number {
  return usual + (asked.seed ?? 0);
}

/** Tells whether the test that calls it now may go on: always, unless a soak has given it a time. */
export function soakTime(): () => boolean {
  const until = performance.now() + 1000 * (asked.testSeconds ?? Infinity);
  return () => performance.now() < until;
}

/** Keeps what a test has seen, for the table of a soak. */
export function noteFigures(name: string, figures: Readonly<Record<string, number>>): void {
  if (notes !== undefined) appendFileSync(notes, `${JSON.stringify({ name, ...figures })}\n`);
}

/** Checks a property on so many random cases, more in a soak. Throws with the smallest case that breaks it. */
export function holds<Ts>(name: string, seed: number, usual: number, property: fc.IProperty<Ts>): void {
  judge(name, seed, fc.check(property, parametersFor<Ts>(seed, usual)));
}

/** The same for a property that has to be waited for. */
export async function holdsLater<Ts>(
  name: string,
  seed: number,
  usual: number,
  property: fc.IAsyncProperty<Ts>,
): Promise<void> {
  judge(name, seed, await fc.check(property, parametersFor<Ts>(seed, usual)));
}

function parametersFor<Ts>(seed: number, usual: number): fc.Parameters<Ts> {
  const limit = amount('caseSeconds', 0) * 1000;
  const parameters = { seed: seedFrom(seed), numRuns: amount('cases', usual) };
  return limit > 0 ? { ...parameters, interruptAfterTimeLimit: limit } : parameters;
}

function judge<Ts>(name: string, seed: number, details: fc.RunDetails<Ts>): void {
  noteFigures(name, { cases: details.numRuns, seed: seedFrom(seed) });
  if (!details.failed) return;
  throw new Error(`${name}: ${fc.defaultReportMessage(details) ?? ''}`, { cause: details.errorInstance });
}
