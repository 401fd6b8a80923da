// What a person does with the extension in a window, with a stand-in for the engine that counts words, so that the
// answers and their order are known.
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { expect } from '@playwright/test';
import { packFakeExtension } from './fakeExtension.mjs';
import { childrenOf, whenGone } from './processes.mjs';
import { escape, search } from './searching.mjs';
import { lines, makeFolder, screenshot, STATUS, useWindow, writeTree } from './suite.mjs';

const TREE = {
  'README.md': '# Sample\n\nHow a password is kept.\n',
  'password.txt': lines(40, { 20: 'the password rules' }),
  'src/auth/login.txt': lines(300, { 250: '    compare the hashed password of the user' }),
  'src/auth/token.txt': lines(300, { 120: 'renew the token, echo $(sync~spin)' }),
  'src/render.txt': lines(100, { 90: 'draw the password box' }),
};

const names = async wb => (await wb.items()).map(item => item.label);

async function expectNames(wb, expected) {
  await expect.poll(() => names(wb)).toEqual(expected);
}

describe('searching', () => {
  const suite = useWindow(async () => ({ vsix: [await packFakeExtension()], folder: makeFolder(TREE) }));

  test('Enter lands on the line', async () => {
    const { wb } = suite;
    await expect(wb.status(STATUS)).toHaveText('Landmark');
    await search(wb, 'compare the hashed password');
    await expect(wb.focusedRow).toContainText('login.txt');
    const [first] = await wb.items();
    assert.deepEqual(
      [first.label, first.description, first.detail],
      ['login.txt', 'src/auth', '250: compare the hashed password of the user'],
    );
    await screenshot(wb, 'search results');
    await wb.accept();
    await expect(wb.activeTab).toHaveAttribute('data-resource-name', 'login.txt');
    await expect(wb.cursor).toHaveText('Ln 250, Col 5');
    await expect(wb.quick).toBeHidden();
    await screenshot(wb, 'search landed');
  });

  test("the order is the engine's, also for one word that is part of a name", async () => {
    const { wb } = suite;
    await search(wb, 'password');
    await expectNames(wb, ['README.md', 'password.txt', 'login.txt', 'render.txt']);
    await escape(wb);
  });

  test('weak matches stand under a line of their own, and source text is no icon', async () => {
    const { wb } = suite;
    await search(wb, 'renew password');
    await expect(wb.rows.first()).toContainText('weak matches');
    await wb.input.fill('renew the token echo');
    await expect(wb.focusedRow).toContainText('120: renew the token, echo $(sync~spin)');
    await escape(wb);
  });

  test('a question without an answer says so, and one that fails does not spoil the next', async () => {
    const { wb } = suite;
    await search(wb, 'zzzz');
    await expect(wb.focusedRow).toContainText('Nothing found.');
    await wb.input.fill('fail once');
    await expect(wb.focusedRow).toContainText('This question fails on purpose.');
    await wb.input.fill('compare the hashed password');
    await expect(wb.focusedRow).toContainText('login.txt');
    await escape(wb);
  });

  test('Ctrl+Enter opens to the side and leaves the rest as it was', async () => {
    const { wb } = suite;
    const before = await wb.tabs();
    await search(wb, 'renew the token');
    await expect(wb.focusedRow).toContainText('token.txt');
    await wb.input.press('Control+Enter');
    await expect(wb.quick).toBeHidden();
    await expect(wb.activeTab).toHaveAttribute('data-resource-name', 'token.txt');
    await expect(wb.cursor).toHaveText('Ln 120, Col 1');
    const after = await wb.tabs();
    assert.equal(after.length, 2);
    assert.deepEqual(after[0], before[0]);
    await wb.run('workbench.action.closeAllEditors', 'View: Close All Editors');
  });

  test('a click into the text that is shown stays there', async () => {
    const { wb } = suite;
    await search(wb, 'compare the hashed password');
    await expect(wb.activeTab).toHaveAttribute('data-resource-name', 'login.txt');
    await wb.page.getByText('const filler252 = 252;').click();
    await expect(wb.quick).toBeHidden();
    await expect(wb.cursor).toHaveText(/^Ln 252/);
    await expect(wb.activeTab).toHaveAttribute('data-resource-name', 'login.txt');
  });

  test('in a file that was changed and not saved, the moved line is found', async () => {
    const { wb } = suite;
    await wb.openFile('login.txt');
    await wb.page.keyboard.press('Control+Home');
    for (let count = 0; count < 30; count++) await wb.page.keyboard.press('Enter');
    await expect(wb.cursor).toHaveText('Ln 31, Col 1');
    await search(wb, 'compare the hashed password');
    await expect(wb.focusedRow).toContainText('login.txt');
    await wb.accept();
    await expect(wb.cursor).toHaveText('Ln 280, Col 5');
    await wb.run('workbench.action.files.revert', 'File: Revert File');
    await wb.run('workbench.action.closeAllEditors', 'View: Close All Editors');
  });
});

describe('similar files', () => {
  const suite = useWindow(async () => ({ vsix: [await packFakeExtension()], folder: makeFolder(TREE) }));

  test('from the palette, for the active editor', async () => {
    const { wb } = suite;
    await wb.openFile('token.txt');
    await wb.run('landmark.findSimilar', 'Landmark: Find Similar Files');
    await expect(wb.title).toHaveText('Files like token.txt');
    await expect.poll(async () => (await names(wb)).sort()).toEqual(['login.txt', 'password.txt', 'render.txt']);
    await screenshot(wb, 'similar files');
    await escape(wb);
  });

  /** By the Enter key: a menu does not hear a click that comes right after it was opened. */
  async function findSimilarFromMenu(target, title) {
    const { wb } = suite;
    await expect(async () => {
      await wb.page.keyboard.press('Escape');
      await target.click({ button: 'right', timeout: 2000 });
      await wb.page.getByRole('menuitem', { name: 'Find Similar Files' }).hover({ timeout: 2000 });
      await wb.page.keyboard.press('Enter');
      await expect(wb.title).toHaveText(title, { timeout: 2000 });
    }).toPass({ timeout: 20_000 });
  }

  test('from the tab menu', async () => {
    const { wb } = suite;
    await findSimilarFromMenu(wb.activeTab, 'Files like token.txt');
    await escape(wb);
  });

  test('from the Explorer', async () => {
    const { wb } = suite;
    const row = wb.page.locator('.explorer-folders-view .monaco-list-row', { hasText: 'password.txt' });
    await findSimilarFromMenu(row, 'Files like password.txt');
    await expect(wb.rows).not.toHaveCount(0);
    await wb.accept();
    await expect(wb.quick).toBeHidden();
  });
});

describe('following the workspace', () => {
  const suite = useWindow(async () => {
    const folder = makeFolder({ ...TREE, '.git/HEAD': 'ref: refs/heads/main\n', '.git/logs/HEAD': '\n' });
    const second = makeFolder({ 'other/second.txt': 'the second root has its own words\n' });
    const third = makeFolder({ 'third.txt': 'the third root too\n' });
    const workspace = join(mkdtempSync(join(tmpdir(), 'landmark-ws-')), 'two.code-workspace');
    const write = folders => writeFileSync(workspace, JSON.stringify({ folders: folders.map(path => ({ path })) }));
    write([folder, second]);
    return { vsix: [await packFakeExtension()], folder, second, third, workspace, write, remove: [second, third] };
  });

  /** Asks again until the first result is the one expected. */
  async function expectFirst(query, expected) {
    const { wb } = suite;
    await expect(async () => {
      await search(wb, query);
      const [first] = await wb.items();
      await escape(wb);
      assert.equal(`${first?.description}|${first?.label}`, expected);
    }).toPass({ timeout: 20_000 });
  }

  test('every root is searched', async () => {
    await expectFirst('second root', `${suite.given.second.split('/').at(-1)}/other|second.txt`);
    await expectFirst('hashed password', `${suite.given.folder.split('/').at(-1)}/src/auth|login.txt`);
  });

  test('a file that is written, changed, renamed, deleted', async () => {
    const { folder } = suite.given;
    const name = folder.split('/').at(-1);
    writeTree(folder, { 'src/new.txt': 'an albatross lands\n' });
    await expectFirst('albatross', `${name}/src|new.txt`);
    writeTree(folder, { 'src/new.txt': 'a pelican lands\n' });
    await expectFirst('pelican', `${name}/src|new.txt`);
    await expectFirst('albatross', '|Nothing found.');
    renameSync(join(folder, 'src/new.txt'), join(folder, 'src/renamed.txt'));
    await expectFirst('pelican', `${name}/src|renamed.txt`);
    rmSync(join(folder, 'src/renamed.txt'));
    await expectFirst('pelican', '|Nothing found.');
  });

  test('a folder that is moved in, renamed and deleted', async () => {
    const { folder } = suite.given;
    const name = folder.split('/').at(-1);
    const outside = makeFolder({ 'lib/deep/heron.txt': 'a heron wades\n' });
    renameSync(join(outside, 'lib'), join(folder, 'lib'));
    await expectFirst('heron wades', `${name}/lib/deep|heron.txt`);
    renameSync(join(folder, 'lib'), join(folder, 'library'));
    await expectFirst('heron wades', `${name}/library/deep|heron.txt`);
    rmSync(join(folder, 'library'), { recursive: true });
    await expectFirst('heron wades', '|Nothing found.');
    rmSync(outside, { recursive: true });
  });

  test('a save in the editor', async () => {
    const { wb, given } = suite;
    await wb.openFile('render.txt');
    await wb.page.keyboard.press('Control+Home');
    await wb.page.keyboard.type('flamingo ');
    await wb.page.keyboard.press('Control+KeyS');
    await expectFirst('flamingo', `${given.folder.split('/').at(-1)}/src|render.txt`);
  });

  test('a root that is added, and one that is taken away', async () => {
    const { folder, second, third, write } = suite.given;
    write([folder, second, third]);
    await expectFirst('third root', `${third.split('/').at(-1)}|third.txt`);
    write([folder, third]);
    await expectFirst('its own words', '|Nothing found.');
  });

  test('a root inside another is searched once', async () => {
    const { folder, third, write } = suite.given;
    write([folder, third, join(folder, 'src/auth')]);
    const { wb } = suite;
    await expect(async () => {
      await search(wb, 'compare hashed');
      const found = await names(wb);
      const [first] = await wb.items();
      await escape(wb);
      assert.deepEqual([found, first.description], [['login.txt'], 'auth']);
    }).toPass({ timeout: 20_000 });
  });
});

describe('while the index is built', () => {
  const suite = useWindow(async () => {
    const gate = join(mkdtempSync(join(tmpdir(), 'landmark-gate-')), 'open');
    const env = { LANDMARK_FAKE_SECONDS: '12', LANDMARK_FAKE_OPENING: gate };
    return { vsix: [await packFakeExtension()], folder: makeFolder(TREE), env, gate };
  });

  test('what was typed before the index is open is answered when it is, and marked as partial', async () => {
    const { wb, given } = suite;
    await expect(wb.status(STATUS)).toHaveText('Landmark: starting');
    await wb.page.keyboard.press('Shift+Alt+KeyL');
    await expect(wb.title).toHaveText('Search Code (opening the index…)');
    await wb.input.fill('compare the hashed password');
    writeFileSync(given.gate, '');
    await expect(wb.focusedRow).toContainText('login.txt');
    await expect(wb.rows.first()).toContainText(/partial: \d+ % indexed/);
    await screenshot(wb, 'partial index');
    await escape(wb);
  });

  test('pausing holds over a reload, resuming goes on', async () => {
    const { wb } = suite;
    await expect(wb.status(STATUS)).toHaveText(/Landmark: \d+ %/);
    await wb.run('landmark.pauseIndexing', 'Landmark: Pause Indexing');
    await expect(wb.status(STATUS)).toHaveText('Landmark: paused');
    await wb.reload({ ready: STATUS });
    await expect(wb.status(STATUS)).toHaveText('Landmark: paused');
    await screenshot(wb, 'paused');
    await wb.openFile('login.txt');
    await wb.run('landmark.findSimilar', 'Landmark: Find Similar Files');
    await expect(wb.rows.first()).toContainText(/partial: \d+ % indexed/);
    await escape(wb);
    await wb.run('landmark.resumeIndexing', 'Landmark: Resume Indexing');
    await expect(wb.status(STATUS)).toHaveText('Landmark', { timeout: 30_000 });
  });

  test('the status item leads to what can be done', async () => {
    const { wb } = suite;
    await wb.status(STATUS).click();
    await expectNames(wb, [
      'Search Code',
      'Pause Indexing',
      'Rebuild Index',
      'Clear Index',
      'Show Log',
      'Copy Diagnostics',
      'Open Settings',
    ]);
    await screenshot(wb, 'status menu');
    await escape(wb);
  });

  test('clearing asks first, then nothing is found until a rebuild', async () => {
    const { wb } = suite;
    await wb.run('landmark.clearIndex', 'Landmark: Clear Index');
    await screenshot(wb, 'clear asks');
    await wb.dialog.getByRole('button', { name: 'Clear Index' }).click();
    await expect(wb.status(STATUS)).toHaveText('Landmark: no index');
    await search(wb, 'password');
    await expect(wb.focusedRow).toContainText('The index was cleared');
    await escape(wb);
    await wb.run('landmark.rebuildIndex', 'Landmark: Rebuild Index');
    await expect(wb.status(STATUS)).toHaveText('Landmark', { timeout: 30_000 });
  });
});

describe('processes and trust', () => {
  const suite = useWindow(async () => ({
    vsix: [await packFakeExtension()],
    folder: makeFolder(TREE),
    trust: true,
  }));
  const searchProcesses = () => childrenOf(suite.vs.pid).filter(({ command }) => /dist\/search\.js/.test(command));

  test('searching works in a folder that is not trusted', async () => {
    const { wb } = suite;
    await expect(wb.page.locator('.statusbar').getByText('Restricted Mode')).toBeVisible();
    await search(wb, 'compare the hashed password');
    await expect(wb.focusedRow).toContainText('login.txt');
    await screenshot(wb, 'restricted mode');
    await escape(wb);
  });

  test('a search process that is killed comes back', async () => {
    const { wb } = suite;
    const [first] = searchProcesses();
    process.kill(first.pid, 'SIGKILL');
    await whenGone(first.pid);
    await expect(async () => {
      await search(wb, 'compare the hashed password');
      await escape(wb);
      const [second] = searchProcesses();
      assert.ok(second !== undefined && second.pid !== first.pid);
    }).toPass();
    await search(wb, 'compare the hashed password');
    await expect(wb.focusedRow).toContainText('login.txt');
    await escape(wb);
    await expect(wb.status(STATUS)).toHaveText('Landmark');
  });

  test('one that dies again comes back once more, then stays down, says why, and is started on request', async () => {
    const { wb } = suite;
    const [second] = searchProcesses();
    process.kill(second.pid, 'SIGKILL');
    await whenGone(second.pid);
    await expect(async () => {
      const [third] = searchProcesses();
      assert.ok(third !== undefined && third.pid !== second.pid && third.command.includes('--without-query-model'));
    }).toPass();
    await expect(wb.status(STATUS)).toHaveText('Landmark');
    const [third] = searchProcesses();
    process.kill(third.pid, 'SIGKILL');
    await expect(wb.status(STATUS)).toHaveText('Landmark: stopped');
    await screenshot(wb, 'stopped');
    await wb.status(STATUS).click();
    await expectNames(wb, ['Start Again', 'Show Log', 'Copy Diagnostics', 'Open Settings']);
    await wb.accept();
    await expect(wb.status(STATUS)).toHaveText('Landmark');
  });

  test('no process is left when the window is closed', async () => {
    const running = searchProcesses();
    assert.equal(running.length, 1);
    await suite.vs.stop({ keep: true });
    for (const { pid } of running) await whenGone(pid);
    assert.ok(existsSync(suite.vs.dir) && readFileSync(join(suite.vs.dir, 'server.log'), 'utf8').length > 0);
    rmSync(suite.vs.dir, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
  });
});
