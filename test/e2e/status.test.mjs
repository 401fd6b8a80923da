// What the status item, its hover and its menu tell, why a file is found or not, and how indexing behaves as a guest:
// with the stand-in for the engine that counts words.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { expect } from '@playwright/test';
import { packFakeExtension } from './fakeExtension.mjs';
import { escape, search } from './searching.mjs';
import { makeFolder, screenshot, STATUS, useWindow, writeTree } from './suite.mjs';

const TREE = {
  '.gitignore': '# written by the build\n\n*.log\n',
  'README.md': '# Sample\n\nHow a password is kept.\n',
  'src/login.txt': 'compare the hashed password of the user\n',
  'src/broken.txt': 'this one fails on purpose\n',
  'build.log': 'written by the build\n',
  'keys.pem': 'never read\n',
};

async function expectLabels(wb, expected) {
  await expect.poll(async () => (await wb.items()).map(({ label }) => label)).toEqual(expected);
}

/** Closes all editors without saving. */
async function closeAll(wb) {
  await wb.run('workbench.action.closeAllEditors', 'View: Close All Editors');
  const unsaved = wb.dialog.getByRole('button', { name: "Don't Save" });
  await expect(async () => {
    if (await unsaved.isVisible()) await unsaved.click({ timeout: 1000 });
    await expect(wb.page.locator('[role=tab][data-resource-name]')).toHaveCount(0, { timeout: 1000 });
  }).toPass({ timeout: 20_000 });
}

/** The rows as a screen reader has them: the icon's name, the label, the path, the sentence. */
async function expectRows(wb, expected) {
  const said = () => wb.rows.evaluateAll(rows => rows.map(row => row.getAttribute('aria-label').replace(/\s+/g, ' ')));
  await expect.poll(said).toEqual(expected);
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
    folder: makeFolder(TREE),
    env: { LANDMARK_FAKE_FAILED: 'src/broken.txt' },
  }));

  test('its hover has counts, sizes by part, the model, the last update and ways on', async () => {
    const { wb } = suite;
    await expect(wb.status(STATUS)).toHaveText('Landmark: 1 file failed');
    await expect(async () => {
      const box = await hover(wb);
      await expect(box).toContainText(/6 files, 12 sections, 48 landmarks, updated .+/, { timeout: 1000 });
      await expect(box).toContainText('On disk: 25 kB (words 5 kB, vectors 18 kB, graphs 2 kB)', { timeout: 1000 });
      await expect(box).toContainText('Model: words', { timeout: 1000 });
    }).toPass({ timeout: 20_000 });
    const links = wb.page.locator('.workbench-hover-container a');
    await expect(links).toHaveText([/Show Failed Files/, /Show Log/, /Copy Diagnostics/]);
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
    await expectRows(wb, ['error broken.txt, src/broken.txt, src/broken.txt fails on purpose.']);
    await screenshot(wb, 'failed files');
    await wb.accept();
    await expect(wb.title).toHaveText('Why is broken.txt found, or not?');
    await expectRows(wb, [
      'error Failed, src/broken.txt, It could not be indexed.',
      'info src/broken.txt fails on purpose.',
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
    assert.match(report, /warning: Not indexed: src\/broken\.txt: src\/broken\.txt fails on purpose\./);
    assert.ok(!report.includes('hashed password'));
    await screenshot(wb, 'diagnostics copied');
    await wb.page.getByRole('button', { name: 'Show', exact: true }).click();
    await expect(wb.activeTab).toBeVisible();
    await closeAll(wb);
  });
});

describe('why is this file found, or not', () => {
  const suite = useWindow(async () => ({ vsix: [await packFakeExtension()], folder: makeFolder(TREE) }));

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
      await explain();
      await expect(wb.rows.first()).toContainText('Left out', { timeout: 2000 });
    }).toPass({ timeout: 20_000 });
    await wb.rows.filter({ hasText: 'Open the Setting' }).click();
    await expect(wb.page.locator('.settings-editor')).toContainText('Exclude');
    await screenshot(wb, 'explain setting');
    await closeAll(wb);
  });
});

describe('a good guest', () => {
  const suite = useWindow(async () => ({
    vsix: [await packFakeExtension()],
    folder: makeFolder(TREE),
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
    await screenshot(wb, 'long run menu');
    await wb.accept();
    await expect(wb.status(STATUS)).toHaveText(/Landmark: \d+ %/);
    await expect(wb.status(STATUS)).toHaveText('Landmark', { timeout: 30_000 });
    await expect(wb.notifications).toHaveCount(0);
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
