// After Escape everything is as it was before the search: tabs and their order, the preview tab, the active editor, its
// cursor and scroll position, focus. With a stand-in for the engine, so that the answers are known.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { expect } from '@playwright/test';
import { packFakeExtension } from './fakeExtension.mjs';
import { lines, makeFolder, screenshot, useWindow } from './suite.mjs';

const QUERY = 'compare hashed password';

describe('Escape', () => {
  const suite = useWindow(async () => ({
    vsix: [await packFakeExtension()],
    folder: makeFolder({
      'one.txt': lines(200),
      'two.txt': lines(200),
      'three.txt': lines(200, { 150: 'here we compare the hashed password, too' }),
      'four.txt': lines(200),
      'login.txt': lines(300, { 250: 'compare the hashed password of the user' }),
      'token.txt': lines(300, { 120: 'compare a hashed password' }),
    }),
  }));

  /** What a person sees, and what must be the same again. */
  async function look() {
    const { wb } = suite;
    const tabs = await wb.tabs();
    const isOpen = tabs.flat().length > 0;
    return {
      tabs,
      cursor: isOpen ? await wb.cursor.textContent() : '',
      firstLine: isOpen ? await wb.firstVisibleLine() : 0,
    };
  }

  /** The look once it does not change any more. */
  async function settledLook() {
    let now = await look();
    await expect(async () => {
      const before = now;
      now = await look();
      assert.deepEqual(now, before);
      assert.ok(Number.isFinite(now.firstLine));
    }).toPass({ intervals: [200] });
    return now;
  }

  /** Searches, moves over every result until each has been shown, and escapes. */
  async function searchAndEscape({ moves = ['token.txt', 'login.txt', 'three.txt'] } = {}) {
    const { wb } = suite;
    await wb.page.keyboard.press('Shift+Alt+KeyL');
    await wb.input.fill(QUERY);
    await expect(wb.focusedRow).toContainText('login.txt');
    await expect(wb.rows).toHaveCount(3);
    await expect(wb.activeTab).toHaveAttribute('data-resource-name', 'login.txt');
    for (const name of moves) {
      await expect(async () => {
        if ((await wb.focusedRow.getByText(name).count()) === 0) await wb.input.press('ArrowDown');
        await expect(wb.focusedRow).toContainText(name, { timeout: 500 });
      }).toPass();
      await expect(wb.activeTab).toHaveAttribute('data-resource-name', name);
    }
    await wb.input.press('Escape');
    await expect(wb.quick).toBeHidden();
  }

  async function expectUnchanged(before) {
    await expect.poll(look).toEqual(before);
  }

  async function closeAll() {
    await suite.wb.run('workbench.action.revertAndCloseActiveEditor', 'View: Revert and Close Editor').catch(() => {});
    await suite.wb.run('workbench.action.closeAllEditors', 'View: Close All Editors');
    await expect(suite.wb.page.locator('[role=tab][data-resource-name]')).toHaveCount(0);
  }

  /** Puts the cursor on a line of the active editor, which scrolls there. */
  async function goTo(line) {
    const { wb } = suite;
    await wb.page.keyboard.press('Control+KeyG');
    await wb.input.fill(`:${line}`);
    await wb.input.press('Enter');
    await expect(wb.cursor).toHaveText(`Ln ${line}, Col 1`);
  }

  test('with no editor open', async () => {
    const before = await settledLook();
    assert.deepEqual(before.tabs.flat(), []);
    await searchAndEscape();
    await expectUnchanged(before);
  });

  test('with a kept tab, scrolled', async () => {
    await suite.wb.openFile('one.txt');
    await goTo(120);
    const before = await settledLook();
    assert.ok(before.firstLine > 90 && before.firstLine <= 120);
    await searchAndEscape();
    await expectUnchanged(before);
    await screenshot(suite.wb, 'escape kept tab');
  });

  test('focus goes back to the editor', async () => {
    await suite.wb.page.keyboard.press('ArrowDown');
    await expect(suite.wb.cursor).toHaveText('Ln 121, Col 1');
  });

  test('with an earlier preview tab on top', async () => {
    await suite.wb.previewFile('four.txt');
    const before = await settledLook();
    assert.deepEqual(
      before.tabs[0].map(tab => [tab.name, tab.preview, tab.active]),
      [
        ['one.txt', false, false],
        ['four.txt', true, true],
      ],
    );
    await searchAndEscape();
    await expectUnchanged(before);
  });

  test('with an earlier preview tab between others, not on top', async () => {
    const { wb } = suite;
    await wb.openFile('two.txt');
    await wb.page.locator('[role=tab][data-resource-name="one.txt"]').click();
    await goTo(60);
    await wb.previewFile('four.txt');
    await wb.page.locator('[role=tab][data-resource-name="two.txt"]').click();
    await goTo(90);
    const before = await settledLook();
    assert.equal(before.tabs[0].find(tab => tab.preview)?.name, 'four.txt');
    assert.notEqual(before.tabs[0].at(-1).name, 'four.txt');
    await searchAndEscape();
    await expectUnchanged(before);
  });

  test('with a result that is open already, on top or not', async () => {
    const { wb } = suite;
    await closeAll();
    await wb.openFile('three.txt');
    await goTo(20);
    const onTop = await settledLook();
    await searchAndEscape();
    await expectUnchanged(onTop);
    await wb.openFile('one.txt');
    await goTo(70);
    const behind = await settledLook();
    await searchAndEscape();
    await expectUnchanged(behind);
    // The one behind was scrolled to its result and back.
    await wb.page.locator('[role=tab][data-resource-name="three.txt"]').click();
    await expect.poll(async () => (await look()).firstLine).toBe(onTop.firstLine);
    await expect(wb.cursor).toHaveText('Ln 20, Col 1');
  });

  test('with a selection, and a file that is not saved', async () => {
    const { wb } = suite;
    await closeAll();
    await wb.openFile('two.txt');
    await goTo(110);
    await wb.page.keyboard.type('x');
    await wb.page.keyboard.press('Shift+ArrowDown');
    await wb.page.keyboard.press('Shift+ArrowRight');
    await expect(wb.cursor).toHaveText(/^Ln 111, Col 3 .*selected/);
    const before = await settledLook();
    assert.deepEqual(
      before.tabs[0].map(tab => [tab.name, tab.dirty]),
      [['two.txt', true]],
    );
    await searchAndEscape();
    await expectUnchanged(before);
    await wb.page.keyboard.press('Control+KeyZ');
    await closeAll();
  });

  test('in two groups', async () => {
    const { wb } = suite;
    await wb.openFile('one.txt');
    await goTo(100);
    await wb.run('workbench.action.splitEditorRight', 'View: Split Editor Right');
    await wb.openFile('two.txt');
    await goTo(50);
    const before = await settledLook();
    assert.equal(before.tabs.length, 2);
    await searchAndEscape();
    await expectUnchanged(before);
  });
});
