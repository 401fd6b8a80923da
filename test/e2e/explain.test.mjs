// Why a file is found or not, with the stand-in for the engine, which judges files by the real rules.
import { describe, test } from 'node:test';
import { expect } from '@playwright/test';
import { packFakeExtension } from './fakeExtension.mjs';
import { closeAll, expectNamed, expectRows, KINDS } from './reading.mjs';
import { escape } from './searching.mjs';
import { makeFolder, screenshot, useWindow, writeTree } from './suite.mjs';

describe('why is this file found, or not', () => {
  const suite = useWindow(async () => ({ vsix: [await packFakeExtension()], folder: makeFolder(KINDS) }));

  const explain = async () => {
    await suite.wb.run('landmark.explainFile', 'Landmark: Why Is This File (Not) Found?');
    await expect(suite.wb.title).toHaveText(/^Why is .* found, or not\?$/);
  };

  test('the active file: indexed at which content, and with changes that are not saved', async () => {
    const { wb } = suite;
    await wb.openFile('login.txt');
    await explain();
    const indexed = ['pass Indexed, src/login.txt, It is found as it is on disk.', 'info 2 sections are embedded.'];
    const rest = ['info Content on disk: c0ffeec0ffee', 'files Find Similar Files', 'edit Ask about Another File…'];
    await expectRows(wb, [...indexed, ...rest]);
    await screenshot(wb, 'explain indexed');
    await escape(wb);
    await wb.page.keyboard.type('newer');
    await explain();
    const newer = 'info The editor holds changes that are not saved: the index has the file as it is on disk.';
    await expectRows(wb, [...indexed, newer, ...rest]);
    await escape(wb);
    await closeAll(wb);
  });

  test('from the Explorer: the rule, its file and its line, which opens there', async () => {
    const { wb } = suite;
    const row = wb.page.locator('.explorer-folders-view .monaco-list-row', { hasText: 'build.log' });
    await expect(async () => {
      await wb.page.keyboard.press('Escape');
      await row.click({ button: 'right', timeout: 2000 });
      await wb.page.getByRole('menuitem', { name: 'Why Is This File (Not) Found?' }).hover({ timeout: 2000 });
      await wb.page.keyboard.press('Enter');
      await expect(wb.title).toHaveText('Why is build.log found, or not?', { timeout: 2000 });
    }).toPass({ timeout: 20_000 });
    await expectRows(wb, [
      'circle-slash Left out, build.log, The rule “*.log” in .gitignore, line 3, leaves it out.',
      'go-to-file Open .gitignore at Line 3',
      'edit Ask about Another File…',
    ]);
    await expectNamed(wb.quick);
    await screenshot(wb, 'explain ignored');
    await wb.rows.filter({ hasText: 'Open .gitignore' }).click();
    await expect(wb.activeTab).toHaveAttribute('data-resource-name', '.gitignore');
    await expect(wb.cursor).toHaveText(/^Ln 3/);
    await closeAll(wb);
  });

  test('a typed path: a secret, and one that is not there', async () => {
    const { wb } = suite;
    await wb.run('landmark.explainFile', 'Landmark: Why Is This File (Not) Found?');
    await expect(wb.title).toHaveText('Why is a file found, or not?');
    await wb.input.fill('keys.pem');
    await wb.accept();
    await expect(wb.title).toHaveText('Why is keys.pem found, or not?');
    await expect(wb.rows.first()).toContainText('never read');
    await wb.rows.filter({ hasText: 'Another File' }).click();
    await expect(wb.input).toHaveValue('keys.pem');
    await wb.input.fill('src/nowhere.ts');
    await wb.accept();
    await expect(wb.title).toHaveText('Why is nowhere.ts found, or not?');
    await expect(wb.rows.first()).toContainText('Not found');
    await escape(wb);
  });

  test('a setting that leaves it out is opened', async () => {
    const { wb, given } = suite;
    writeTree(given.folder, { '.vscode/settings.json': '{ "landmark.exclude": ["README.md"] }' });
    await wb.openFile('README.md');
    await expect(async () => {
      if (await wb.quick.isVisible()) await escape(wb);
      await explain();
      await expect(wb.rows.first()).toContainText('Left out', { timeout: 2000 });
    }).toPass({ timeout: 20_000 });
    await wb.rows.filter({ hasText: 'Open the Setting' }).click();
    await expect(wb.page.locator('.settings-editor')).toContainText('Exclude');
    await screenshot(wb, 'explain setting');
    // Newer editors show the settings in front of the window, where no command is heard; older ones in a tab.
    await wb.page.keyboard.press('Escape');
    const isGone = await expect(wb.page.locator('.settings-editor'))
      .toBeHidden({ timeout: 3000 })
      .then(
        () => true,
        () => false,
      );
    if (!isGone) await closeAll(wb);
  });
});
