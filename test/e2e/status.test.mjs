// What the status item, its hover and its menu tell, with the stand-in for the engine that counts words.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { expect } from '@playwright/test';
import { packFakeExtension } from './fakeExtension.mjs';
import { closeAll, expectNamed, expectRows, KINDS } from './reading.mjs';
import { escape } from './searching.mjs';
import { makeFolder, screenshot, STATUS, useWindow } from './suite.mjs';

async function expectLabels(wb, expected) {
  await expect.poll(async () => (await wb.items()).map(({ label }) => label)).toEqual(expected);
}

async function hover(wb) {
  await wb.page.mouse.move(300, 300);
  await wb.status(STATUS).hover();
  const box = wb.page.locator('.workbench-hover-container .hover-contents', { hasText: /Landmark|indexed|sections/ });
  await expect(box.first()).toBeVisible();
  return box.first();
}

describe('the status item', () => {
  const suite = useWindow(async () => ({
    vsix: [await packFakeExtension()],
    folder: makeFolder(KINDS),
    env: { LANDMARK_FAKE_FAILED: 'src/broken.txt' },
  }));

  test('its hover has counts, sizes by part, the model, the last update and ways on', async () => {
    const { wb } = suite;
    await expect(wb.status(STATUS)).toHaveText('Landmark: 1 file failed');
    await expect(async () => {
      const box = await hover(wb);
      await expect(box).toContainText(/6 files, 12 sections, 48 landmarks, updated .+/, { timeout: 1000 });
      await expect(box).toContainText('On disk: 28 kB (words 5 kB, vectors 18 kB, graph 2 kB, snapshot 3 kB)', {
        timeout: 1000,
      });
      await expect(box).toContainText('Model: words', { timeout: 1000 });
    }).toPass({ timeout: 20_000 });
    const links = wb.page.locator('.workbench-hover-container a');
    await expect(links).toHaveText([/Show Failed Files/, /Show Log/, /Copy Diagnostics/]);
    await expectNamed(wb.page.locator('.workbench-hover-container'));
    await screenshot(wb, 'status hover');
  });

  test('it is read out with its reason', async () => {
    const item = suite.wb.status(STATUS).locator('[role=button]');
    await expect(item).toHaveAttribute(
      'aria-label',
      'Landmark: 1 file failed. The other files can be searched. Press Enter for actions.',
    );
  });

  test('failed files are listed with their reasons, and each explained', async () => {
    const { wb } = suite;
    await wb.status(STATUS).click();
    await expect(wb.focusedRow).toContainText('Show Failed Files');
    await wb.accept();
    await expect(wb.title).toHaveText('Files that could not be indexed');
    await expectRows(wb, [
      'error broken.txt, src/broken.txt, src/broken.txt cannot be read with your rights: change its permissions.',
    ]);
    await expectNamed(wb.quick);
    await screenshot(wb, 'failed files');
    await wb.accept();
    await expect(wb.title).toHaveText('Why is broken.txt found, or not?');
    await expectRows(wb, [
      'error Failed, src/broken.txt, It could not be indexed.',
      'info src/broken.txt cannot be read with your rights: change its permissions.',
      'refresh Look at the File Again',
      'output Show Log',
      'edit Ask about Another File…',
    ]);
    await escape(wb);
  });

  test('the log opens', async () => {
    const { wb } = suite;
    await wb.run('landmark.showLog', 'Landmark: Show Log');
    await expect(wb.page.locator('.panel .monaco-select-box, .panel .output-view').first()).toBeVisible();
    await expect(wb.page.locator('.part.panel')).toContainText('Activated in');
    await wb.run('workbench.action.closePanel', 'View: Hide Panel');
  });

  test('diagnostics are copied: versions, settings, state and last errors, no home and no contents', async () => {
    const { wb } = suite;
    await wb.page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await wb.run('landmark.copyDiagnostics', 'Landmark: Copy Diagnostics');
    await expect(wb.notifications).toContainText('the diagnostics are on the clipboard');
    const report = await wb.page.evaluate(() => navigator.clipboard.readText());
    assert.match(report, /- landmark-code-search: \d+\.\d+\.\d+/);
    assert.match(report, /- platform: linux/);
    assert.match(report, /- landmark\.pauseWhenBusy: false/);
    assert.match(report, /- failed files: 1/);
    assert.match(
      report,
      /warning: Not indexed: src\/broken\.txt: src\/broken\.txt cannot be read with your rights: change its permissions\./,
    );
    assert.ok(!report.includes('hashed password'));
    await screenshot(wb, 'diagnostics copied');
    await wb.page.getByRole('button', { name: 'Show', exact: true }).click();
    await expect(wb.activeTab).toBeVisible();
    await closeAll(wb);
  });
});

describe('no folder', () => {
  const suite = useWindow(async () => ({ vsix: [await packFakeExtension()], folder: undefined }));

  test('the item says so and leads to one, and nothing pops up', async () => {
    const { wb } = suite;
    await expect(wb.status(STATUS)).toHaveText('Landmark: no folder');
    await wb.status(STATUS).click();
    await expectLabels(wb, ['Open Folder…', 'Show Log', 'Copy Diagnostics', 'Open Settings']);
    await screenshot(wb, 'no folder');
    await escape(wb);
    await expect(wb.notifications).toHaveCount(0);
  });
});
