import type { TestContext } from 'node:test';

const pending = new WeakMap<TestContext, (() => unknown)[]>();

/** Runs the work after the test, last in first out (`context.after` runs first in first out): users go before what they use. */
export function cleanUp(context: TestContext, work: () => unknown): void {
  const known = pending.get(context);
  if (known !== undefined) {
    known.push(work);
    return;
  }
  const works = [work];
  pending.set(context, works);
  context.after(async () => {
    for (let next = works.pop(); next !== undefined; next = works.pop()) await next();
  });
}
