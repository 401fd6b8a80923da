// What the tests of every environment do in the window.
import { expect as hasty } from '@playwright/test';
import { search } from '../e2e/searching.mjs';
import { STATUS } from '../e2e/suite.mjs';

/** A question for `retry.ts` in other words than its own. */
export const RETRY = 'wait longer after every failed attempt';

/** These tests start much, and may share the machine with more. */
export const expect = hasty.configure({ timeout: 30_000 });

/** The folder is indexed, vectors and all. */
export async function expectReady(wb) {
  await expect(wb.status(STATUS)).toHaveText('Landmark', { timeout: 180_000 });
}

/** Asks for `retry.ts` in words and lands on its function. */
export async function landOnRetry(wb) {
  await search(wb, RETRY);
  await expect(wb.focusedRow).toContainText('retry.ts');
  await wb.accept();
  await expect(wb.activeTab).toHaveAttribute('data-resource-name', 'retry.ts');
  await expect(wb.cursor).toHaveText(/^Ln ([6-9]|1\d)\b/);
}

/** Writes a line at the top of a file in the editor and saves it. */
export async function saveLine(wb, name, line) {
  await wb.openFile(name);
  await expect(async () => {
    await wb.page.keyboard.press('Control+Home');
    await expect(wb.cursor).toHaveText('Ln 1, Col 1', { timeout: 1000 });
  }).toPass({ timeout: 20_000 });
  await wb.page.keyboard.type(`${line}\n`);
  await wb.page.keyboard.press('Control+KeyS');
  await expect.poll(async () => (await wb.tabs()).flat().find(tab => tab.active)?.dirty).toBe(false);
}
