// A disk that another system changes without a word to this one, as the drives of Windows are below /mnt in WSL: what
// changes there is found when the window is opened or comes to the front. With the line ends and paths of Windows.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, watch } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { packedProduct } from '../e2e/productPackage.mjs';
import { askForRetry, landOnRetry } from '../e2e/retry.mjs';
import { escape, expectFirst, search } from '../e2e/searching.mjs';
import { SOURCES } from '../e2e/sources.mjs';
import { screenshot, STATUS, useWindow, writeTree } from '../e2e/suite.mjs';
import { mounts } from './disks.mjs';
import { expect, expectReady, saveLine } from './editing.mjs';

const inWindows = text => text.replaceAll('\n', '\r\n');

describe('a disk that another system changes', () => {
  const disks = mounts();
  let beneath;
  const heard = [];
  const suite = useWindow(async () => {
    beneath = disks.subfolder('beneath');
    mkdirSync(join(beneath, 'Eigene Dateien'));
    writeTree(
      join(beneath, 'Eigene Dateien'),
      Object.fromEntries(Object.entries(SOURCES).map(([path, text]) => [path, inWindows(text)])),
    );
    const folder = join(disks.mirror(beneath), 'Eigene Dateien');
    const data = mkdtempSync(join(tmpdir(), 'landmark-data-'));
    const env = { LANDMARK_DATA: data, WSL_DISTRO_NAME: 'Debian', WSL_INTEROP: '/run/WSL/8_interop' };
    return { vsix: [packedProduct()], folder, env, remove: [data] };
  });
  after(() => disks.end());

  test('it is indexed, and a match is on its line', async () => {
    const { wb } = suite;
    await expectReady(wb);
    await askForRetry(wb);
    assert.ok((await wb.items()).every(({ detail }) => !detail.includes('\r')));
    await landOnRetry(wb);
    await expect(wb.page.locator('.statusbar').getByText('CRLF')).toBeVisible();
  });

  test('a question with the paths of Windows leads to its file and line', async () => {
    const { wb } = suite;
    for (const [question, name, line] of [
      ['src\\net\\retry.ts:12', 'retry.ts', 12],
      ['at C:\\Users\\me\\Eigene Dateien\\src\\net\\httpServer.ts:6:3', 'httpServer.ts', 6],
    ]) {
      await search(wb, question);
      await expect(wb.focusedRow).toContainText(name);
      await wb.accept();
      await expect(wb.activeTab).toHaveAttribute('data-resource-name', name);
      await expect(wb.cursor).toHaveText(new RegExp(`^Ln ${line}\\b`));
    }
  });

  test('what the editor saves is found, with the line ends as they were', async () => {
    const { wb } = suite;
    await saveLine(wb, 'ttlCache.ts', '// a heron forgets the time');
    await expectFirst(wb, 'heron forgets the time', 'ttlCache.ts');
    assert.match(
      readFileSync(join(beneath, 'Eigene Dateien/src/cache/ttlCache.ts'), 'utf8'),
      /^\/\/ a heron forgets the time\r\n/,
    );
  });

  test('what changes beneath is found when the window comes to the front, though no event tells of it', async () => {
    const { wb, given } = suite;
    const listener = watch(given.folder, { recursive: false }, (_, name) => heard.push(name));
    writeTree(join(beneath, 'Eigene Dateien'), {
      'distance.ts': inWindows('/** Great circle distance between two points on the globe. */\nexport {};\n'),
    });
    await search(wb, 'distance between two points on the globe');
    assert.notEqual((await wb.items())[0]?.label, 'distance.ts');
    await escape(wb);
    await comeToFront(wb.page);
    await expect(async () => {
      await search(wb, 'distance between two points on the globe');
      const [row] = await wb.items();
      await escape(wb);
      assert.equal(row.label, 'distance.ts');
    }).toPass({ timeout: 240_000, intervals: [10_000] });
    listener.close();
    assert.deepEqual(heard, []);
    await screenshot(wb, 'silent disk');
  });

  test('what changed while no window was open is found at once when one is', async () => {
    const { wb } = suite;
    rmSync(join(beneath, 'Eigene Dateien/distance.ts'));
    writeTree(join(beneath, 'Eigene Dateien'), {
      'src/tide.ts': inWindows('/** When the water is highest. */\nexport {};\n'),
    });
    await wb.reload({ ready: STATUS });
    await expectReady(wb);
    await expectFirst(wb, 'when is the water highest', 'tide.ts');
    await search(wb, 'distance between two points on the globe');
    assert.ok((await wb.items()).every(({ label }) => label !== 'distance.ts'));
    await escape(wb);
  });
});

/** As when the user comes back from another program: the browser of a test never leaves the front by itself. */
async function comeToFront(page) {
  await page.evaluate(async () => {
    const moment = () => new Promise(resolve => setTimeout(resolve, 500));
    let isFront = false;
    document.hasFocus = () => isFront;
    window.dispatchEvent(new Event('blur'));
    await moment();
    isFront = true;
    window.dispatchEvent(new Event('focus'));
  });
}
