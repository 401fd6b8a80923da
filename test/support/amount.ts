import { appendFileSync } from 'node:fs';
import fc from 'fast-check';

/** What can be asked for in a longer form: by `npm run soak`, through the environment. */
export interface Amounts {
  /** Cases of each property. */
  readonly cases?: number;
  /** Most seconds for each property. */
  readonly caseSeconds?: number;
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

/** Keeps what a test has seen, for the table of a soak. */
export function noteFigures(name: string, figures: Readonly<Record<string, number>>): void {
  if (notes !== undefined) appendFileSync(notes, `${JSON.stringify({ name, ...figures })}\n`);
}

/** Checks a property on so many random cases, more in a soak. Throws with the smallest case that breaks it. */
export function holds<Ts>(name: string, seed: number, usual: number, property: fc.IProperty<Ts>): void {
  const limit = amount('caseSeconds', 0) * 1000;
  const details = fc.check(property, {
    seed: seedFrom(seed),
    numRuns: amount('cases', usual),
    ...(limit > 0 ? { interruptAfterTimeLimit: limit } : {}),
  });
  noteFigures(name, { cases: details.numRuns, seed: seedFrom(seed) });
  if (details.failed) {
    throw new Error(`${name}: ${fc.defaultReportMessage(details) ?? ''}`, { cause: details.errorInstance });
  }
}
