// What the tests of every environment do in the window.
import { expect as hasty } from '@playwright/test';
import { STATUS } from '../e2e/suite.mjs';

/** These tests start much, and may share the machine with more. */
export const expect = hasty.configure({ timeout: 30_000 });

/** The folder is indexed, vectors and all. */
export async function expectReady(wb) {
  await expect(wb.status(STATUS)).toHaveText('Landmark', { timeout: 180_000 });
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
