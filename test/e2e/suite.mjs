// What the suites in the window share: one server and one page each, a workspace folder, screenshots.
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, afterEach, before } from 'node:test';
import { expect } from '@playwright/test';
import { startBrowser, startServer } from './vscode.mjs';
import { Workbench } from './workbench.mjs';

export const STATUS = 'landmark.landmark-code-search.status';

/** Writes files below a new temporary folder; a path that ends in a slash is an empty folder. */
export function makeFolder(tree) {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'landmark-ws-')));
  writeTree(folder, tree);
  return folder;
}

export function writeTree(folder, tree) {
  for (const [path, content] of Object.entries(tree)) {
    const full = join(folder, path);
    mkdirSync(path.endsWith('/') ? full : dirname(full), { recursive: true });
    if (!path.endsWith('/')) writeFileSync(full, content);
  }
}

/** So many lines of filler, some of them replaced: { 80: 'text' }. */
export function lines(count, special = {}) {
  return (
    Array.from({ length: count }, (_, at) => special[at + 1] ?? `const filler${at + 1} = ${at + 1};`).join('\n') + '\n'
  );
}

/**
 * Starts a server and a browser for the suite around it and opens a window before its tests.
 * prepare: gives { folder } or { workspace } and what startServer takes, and a list of folders to remove.
 * @returns an object that holds vs, browser, wb and given once the suite runs.
 */
export function useWindow(prepare) {
  const suite = {};
  before(async () => {
    suite.given = await prepare();
    const { folder, workspace, ready = STATUS, vsix, settings, env, trust, language } = suite.given;
    suite.vs = await startServer({ vsix, settings, env, trust });
    suite.browser = await startBrowser();
    suite.wb = await Workbench.open(suite.browser, suite.vs, folder, { ready, workspace, language });
  });
  after(async () => {
    await suite.browser?.close();
    await suite.vs?.stop();
    for (const path of [suite.given?.folder, ...(suite.given?.remove ?? [])]) {
      if (path !== undefined) rmSync(path, { recursive: true, force: true });
    }
  });
  afterEach(async t => {
    if (t.passed !== false) return;
    await screenshot(suite.wb, `failed ${t.name}`);
    await suite.wb?.page.keyboard.press('Escape'); // the next test begins without an open list
  });
  return suite;
}

/** Kept in $E2E_SHOTS, if that is set. */
export async function screenshot(wb, name) {
  const folder = process.env.E2E_SHOTS;
  if (folder === undefined || wb === undefined) return;
  mkdirSync(folder, { recursive: true });
  await wb.page.screenshot({ path: join(folder, `${name.replace(/\W+/g, '-').toLowerCase()}.png`) });
}

/** For the settings of a suite that takes pictures of both themes. */
export const FOLLOW_SYSTEM_THEME = { 'window.autoDetectColorScheme': true };

/** Two pictures of what the window of a suite shows, in a light and in a dark theme; the dark one stays. */
export async function screenshotThemes({ wb }, name) {
  if (process.env.E2E_SHOTS === undefined) return;
  for (const kind of ['light', 'dark']) {
    await wb.page.emulateMedia({ colorScheme: kind });
    await expect(wb.page.locator('.monaco-workbench')).toHaveClass(kind === 'dark' ? /\bvs-dark\b/ : /\bvs\b(?!-)/);
    await screenshot(wb, `${name} ${kind}`);
  }
}
