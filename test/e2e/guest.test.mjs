// How indexing behaves as a guest: it asks before a long first run.
import { describe, test } from 'node:test';
import { expect } from '@playwright/test';
import { packFakeExtension } from './fakeExtension.mjs';
import { KINDS } from './reading.mjs';
import { escape, search } from './searching.mjs';
import { makeFolder, screenshot, STATUS, useWindow } from './suite.mjs';

describe('a good guest', () => {
  const suite = useWindow(async () => ({
    vsix: [await packFakeExtension()],
    folder: makeFolder(KINDS),
    env: { LANDMARK_FAKE_SECONDS: '4', LANDMARK_FAKE_FILES: '12000' },
  }));

  test('asks before a long first run, and answers from words meanwhile', async () => {
    const { wb } = suite;
    await expect(wb.notifications).toContainText(
      /1[12],\d{3} files with 4\d MB of text wait to be indexed by meaning\./,
    );
    await expect(wb.notifications).toContainText(/about \d+ minutes? in the background and 1\d\d MB of disk/);
    await expect(wb.status(STATUS)).toHaveText('Landmark: words only');
    await screenshot(wb, 'long run asked');
    await wb.page.getByRole('button', { name: 'Not Now' }).click();
    await search(wb, 'hashed password');
    await expect(wb.focusedRow).toContainText('login.txt');
    await escape(wb);
  });

  test('"not now" holds over a reload without another question', async () => {
    const { wb } = suite;
    await wb.reload({ ready: STATUS });
    await expect(wb.status(STATUS)).toHaveText('Landmark: words only');
    await expect(wb.notifications).toHaveCount(0);
  });

  test('it begins when one says so, and shows how far it is', async () => {
    const { wb } = suite;
    await wb.status(STATUS).click();
    await expect(wb.focusedRow).toContainText('Index Now');
    await expect(wb.focusedRow).toContainText(/That takes about \d+ minutes in the background and \d+ MB of disk\./);
    await expect(wb.input).toHaveAttribute('placeholder', /^[\d,]+ files with \d+ MB of text [^.]+\.$/);
    await screenshot(wb, 'long run menu');
    await wb.accept();
    await expect(wb.status(STATUS)).toHaveText(/Landmark: \d+ %/);
    await expect(wb.status(STATUS)).toHaveText('Landmark', { timeout: 30_000 });
    await expect(wb.notifications).toHaveCount(0);
  });
});
