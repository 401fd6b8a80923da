import { LandmarkError } from './errors';

/** For the end of a switch over a closed set: does not compile while a case is missing. */
export function assertNever(value: never, what: string): never {
  throw new LandmarkError('internal', `Unexpected ${what}: ${String(value)}.`);
}

/** @returns the value, which the surrounding code has made sure is there; `what` names it in the error. */
export function assertDefined<T>(value: T, what: string): NonNullable<T> {
  if (value === undefined || value === null)
    throw new LandmarkError('internal', `Expected ${what}, got ${String(value)}.`);
  return value;
}
