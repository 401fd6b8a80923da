// The question for `retry.ts` of `sources.mjs` that the tests of the whole package ask, and where it leads.
import { expect as hasty } from '@playwright/test';
import { search } from './searching.mjs';
import { SOURCES } from './sources.mjs';

/** In other words than the file's own. */
export const RETRY = 'wait longer after every failed attempt';

const FILE = 'retry.ts';
/** The function with its comment, 1-based. */
const FIRST = SOURCES['src/net/retry.ts'].split('\n').findIndex(line => line.includes('/** Runs a task')) + 1;
const LAST = FIRST + 12;

/** These tests start much, and may share the machine with more. */
const expect = hasty.configure({ timeout: 30_000 });

/** Asks in the search box and waits until the file comes first. */
export async function askForRetry(wb) {
  await search(wb, RETRY);
  await expect(wb.focusedRow).toContainText(FILE);
}

/** Takes the answer: the file is opened with the cursor in the function. */
export async function landOnRetry(wb) {
  await wb.accept();
  await expect(wb.activeTab).toHaveAttribute('data-resource-name', FILE);
  const line = async () => Number(/Ln (\d+)/.exec(await wb.cursor.textContent())?.[1]);
  await expect.poll(line).toBeGreaterThanOrEqual(FIRST);
  expect(await line()).toBeLessThanOrEqual(LAST);
}
