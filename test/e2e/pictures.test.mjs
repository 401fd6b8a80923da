// Takes the pictures of the walkthrough and of the README from the product itself, on a small program, in a dark and in a
// light theme; that of the question before a long run is of guest.test.mjs. With E2E_PICTURES=media/walkthrough they are
// put there; else they are only looked at, as are those in high contrast and those of the results view.
import assert from 'node:assert/strict';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { expect } from '@playwright/test';
import { packedProduct } from './productPackage.mjs';
import { RETRY } from './retry.mjs';
import { search } from './searching.mjs';
import { SOURCES } from './sources.mjs';
import { STATUS, useWindow, writeTree } from './suite.mjs';

const root = join(import.meta.dirname, '../..');
const SHOTS = process.env.E2E_SHOTS ?? join(root, 'out/shots');
const { E2E_PICTURES } = process.env;
const LARGEST_BYTES = 120_000;

const THEMES = {
  light: 'Light Modern',
  dark: 'Dark Modern',
  'contrast-light': 'Light High Contrast',
  'contrast-dark': 'Dark High Contrast',
};
/** Pictures that are shown to people, in these themes. */
const SHOWN = { themes: ['light', 'dark'], names: ['status', 'search', 'similar', 'explain'] };

/** Where in the window each picture is. */
const PLACES = {
  status: { x: 640, y: 600, width: 640, height: 200 },
  search: { x: 190, y: 0, width: 900, height: 480 },
  similar: { x: 190, y: 0, width: 900, height: 300 },
  explain: { x: 190, y: 0, width: 900, height: 300 },
  results: { x: 0, y: 0, width: 1280, height: 800 },
  walkthrough: { x: 0, y: 0, width: 1280, height: 800 },
};
const { walkthroughs } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).contributes;

describe('pictures', () => {
  const suite = useWindow(async () => {
    const top = realpathSync(mkdtempSync(join(tmpdir(), 'landmark-ws-')));
    const data = mkdtempSync(join(tmpdir(), 'landmark-data-'));
    const folder = join(top, 'harbour');
    writeTree(folder, { ...SOURCES, '.gitignore': '# written by the build\ndist/\n*.log\n', 'build.log': 'done\n' });
    return { vsix: [packedProduct()], folder, env: { LANDMARK_DATA: data }, remove: [top, data] };
  });

  async function picture(name, theme) {
    mkdirSync(SHOTS, { recursive: true });
    const path = join(SHOTS, `picture-${name}-${theme}.png`);
    await suite.wb.page.screenshot({ path, clip: PLACES[name], animations: 'disabled', caret: 'hide' });
    if (SHOWN.names.includes(name))
      assert.ok(statSync(path).size < LARGEST_BYTES, `${name} has ${statSync(path).size} bytes`);
    if (E2E_PICTURES === undefined || !SHOWN.themes.includes(theme) || !SHOWN.names.includes(name)) return;
    copyFileSync(path, join(root, E2E_PICTURES, `${name}-${theme}.png`));
  }

  async function closeAll() {
    await suite.wb.run('workbench.action.closeAllEditors', 'View: Close All Editors');
  }

  const steps = {
    async status(wb) {
      await expect(async () => {
        await wb.page.mouse.move(300, 300);
        await wb.status(STATUS).hover();
        await expect(wb.page.locator('.workbench-hover-container')).toContainText('Model:', { timeout: 2000 });
      }).toPass({ timeout: 30_000 });
    },
    async search(wb) {
      await wb.page.mouse.move(640, 790);
      await expect(async () => {
        await search(wb, RETRY);
        await expect(wb.focusedRow).toContainText('retry.ts', { timeout: 2000 });
        await expect(wb.rows.first()).not.toContainText('partial', { timeout: 2000 });
      }).toPass({ timeout: 60_000 });
      await expect(wb.activeTab).toHaveAttribute('data-resource-name', 'retry.ts');
    },
    async similar(wb) {
      await wb.openFile('lruCache.ts', { keep: false });
      await wb.run('landmark.findSimilar', 'Landmark: Find Similar Files');
      await expect(wb.rows.first()).toContainText('ttlCache.ts');
      await wb.page.mouse.move(640, 790);
    },
    async explain(wb) {
      await wb.previewFile('build.log');
      await wb.run('landmark.explainFile', 'Landmark: Why Is This File (Not) Found?');
      await expect(wb.rows.first()).toContainText('The rule “*.log” in .gitignore, line 3, leaves it out.');
      await wb.page.mouse.move(640, 790);
    },
    async results(wb) {
      await search(wb, RETRY);
      await expect(wb.focusedRow).toContainText('retry.ts');
      await wb.input.press('Alt+Enter');
      await expect(wb.page.locator('.pane-body .customview-tree [role=treeitem]').first()).toContainText('retry.ts');
      await wb.page.keyboard.press('F4');
      await expect(wb.activeTab).toHaveAttribute('data-resource-name', 'retry.ts');
      await wb.page.mouse.move(640, 790);
    },
    async walkthrough(wb) {
      await wb.run('workbench.action.openWalkthrough', 'Welcome: Open Walkthrough...');
      await wb.input.fill('Get Started with Landmark');
      await wb.rows.filter({ hasText: 'Get Started with Landmark Code Search' }).click();
      await wb.page.locator('.getting-started-step', { hasText: 'Say what the code does' }).click();
      const image = wb.page.locator('.getting-started-media img');
      await expect.poll(() => image.evaluate(each => each.naturalWidth)).toBeGreaterThan(100);
      // Beside the side bar the editor leaves the pictures out.
      await expect(async () => {
        if (!(await image.isVisible())) await wb.page.keyboard.press('Control+KeyB');
        await expect(image).toBeVisible({ timeout: 2000 });
      }).toPass({ timeout: 20_000 });
      await wb.page.mouse.move(640, 790);
    },
  };

  for (const [theme, label] of Object.entries(THEMES)) {
    test(`of every step in ${theme}`, async () => {
      const { wb } = suite;
      const ready = wb.status(STATUS).locator('[role=button][aria-label*="Ready: 1"]');
      await expect(ready).toBeVisible({ timeout: 120_000 });
      await wb.run('workbench.action.selectTheme', 'Preferences: Color Theme');
      await wb.input.fill(label);
      await expect(wb.focusedRow).toContainText(label);
      await wb.accept();
      await expect(wb.quick).toBeHidden();
      for (const [name, show] of Object.entries(steps)) {
        await show(wb);
        await picture(name, theme);
        await wb.page.keyboard.press('Escape');
        await expect(wb.quick).toBeHidden();
        if (name === 'results' || name === 'walkthrough')
          await wb.run('workbench.view.explorer', 'View: Show Explorer');
        if (name !== 'status') await closeAll();
      }
    });
  }

  test('the walkthrough leads through its steps, each with a picture', async () => {
    const { wb } = suite;
    await steps.walkthrough(wb);
    await expect(wb.page.locator('.getting-started-step')).toHaveCount(walkthroughs[0].steps.length);
    const image = wb.page.locator('.getting-started-media img');
    await expect(image).toHaveAttribute('alt', /^The list of results over the code/);
  });

  test('every step names pictures that ship', () => {
    for (const { media } of walkthroughs[0].steps) {
      const paths = typeof media.image === 'string' ? [media.image] : Object.values(media.image);
      for (const path of paths) assert.ok(statSync(join(root, path)).size < LARGEST_BYTES, path);
    }
  });
});
