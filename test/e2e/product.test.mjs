// The package as people get it: installed in a fresh profile, with its model, on a folder of source files.
import assert from 'node:assert/strict';
import { appendFileSync, mkdtempSync, renameSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { expect } from '@playwright/test';
import { installedCommandLine, loggedLines, packedProduct } from './productPackage.mjs';
import { closeAll } from './reading.mjs';
import { askForRetry, landOnRetry } from './retry.mjs';
import { makeFolder, screenshot, STATUS, useWindow, writeTree } from './suite.mjs';
import { answerTime, escape, expectFirst, search } from './searching.mjs';
import { SOURCES } from './sources.mjs';

/** The code cells of a notebook, line by line. */
const CELLS = [
  ['import math'],
  ['HOURS = 12.42', '', 'def moon_phase(day):', '    return day % 29.53'],
  ['TIDES = []', '# When is the water highest in the harbour?', 'def high_tide(day, hour):', '    return hour + day'],
];

const median = values => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];

function notebook(cells) {
  const code = cells.map(lines => ({
    cell_type: 'code',
    execution_count: null,
    metadata: {},
    outputs: [],
    source: lines.map((line, at) => (at < lines.length - 1 ? `${line}\n` : line)),
  }));
  return JSON.stringify({ cells: code, metadata: {}, nbformat: 4, nbformat_minor: 5 });
}

describe('the package', () => {
  const suite = useWindow(async () => {
    const data = mkdtempSync(join(tmpdir(), 'landmark-data-'));
    const folder = makeFolder({ ...SOURCES, 'notes/tides.ipynb': notebook(CELLS) });
    return { vsix: [packedProduct()], folder, data, env: { LANDMARK_DATA: data }, remove: [data] };
  });

  const commandLine = (...args) => installedCommandLine(suite.vs, suite.given.data, ...args);

  const logged = text => loggedLines(suite.vs, text);

  const reports = text => logged(text).map(line => JSON.parse(line.slice(line.indexOf('{'))));

  test('is not larger than 60 MB', () => {
    assert.ok(statSync(suite.given.vsix[0]).size <= 60 * 2 ** 20);
  });

  test('indexes a folder and lands on the right line', async () => {
    const { wb } = suite;
    await expect(wb.status(STATUS)).toHaveText('Landmark', { timeout: 120_000 });
    await askForRetry(wb);
    await screenshot(wb, 'product search');
    await landOnRetry(wb);
    await screenshot(wb, 'product landed');
  });

  test('a match in a notebook is opened at its cell and line', async () => {
    const { wb } = suite;
    await search(wb, 'when is the water highest');
    await expect(wb.focusedRow).toContainText('tides.ipynb');
    await expect(wb.focusedRow).toContainText('cell 3: # When is the water highest in the harbour?');
    await wb.accept();
    await expect(wb.activeTab).toHaveAttribute('data-resource-name', 'tides.ipynb');
    await expect(wb.page.locator('.statusbar').getByText('Cell 3 of 3')).toBeVisible({ timeout: 20_000 });
    await screenshot(wb, 'product notebook');
    await expect(wb.page.locator('.notebookOverlay .monaco-editor.focused')).toContainText('TIDES');
    await wb.page.keyboard.type('walrus ');
    await expect(wb.page.locator('.notebookOverlay')).toContainText(/walrus\s#\sWhen\sis\sthe\swater/);
    await closeAll(wb);
  });

  test('an answer of the real engine is there a moment after the last key', async t => {
    const { wb } = suite;
    const questions = {
      'keeps what was used last': 'lruCache.ts',
      'salted key': 'password.py',
      thumbnail: 'Thumbnail.java',
    };
    await search(wb, 'scale a picture'); // the model is loaded
    const times = [];
    for (const [question, file] of [...Object.entries(questions), ...Object.entries(questions)]) {
      await wb.input.fill('');
      await expect(wb.rows.filter({ hasText: file })).toHaveCount(0);
      times.push(await answerTime(wb, question, file));
    }
    await escape(wb);
    // The same window, without extension host and search process.
    const alone = [];
    for (const name of ['Toggle Minimap', 'Toggle Render Whitespace', 'Toggle Minimap', 'Toggle Render Whitespace']) {
      await wb.page.keyboard.press('F1');
      await expect(wb.input).toHaveValue(/^>/);
      alone.push(await answerTime(wb, `>${name}`, name));
      await escape(wb);
    }
    const { timing } = commandLine('search', suite.given.folder, 'salted key');
    const measured = [times, alone].map(each =>
      each
        .map(time => time.toFixed(0))
        .sort((a, b) => a - b)
        .join(', '),
    );
    t.diagnostic(`${measured[0]} ms; the palette ${measured[1]} ms; the engine ${timing.queryMs.toFixed(0)} ms`);
    // The goal is 100 ms. Window, extension host and search process share this machine with whatever else runs on it.
    const limit = 100 + 5 * median(alone) + 5 * timing.queryMs;
    assert.ok(median(times) < limit, `${median(times)} ms, more than ${limit} ms`);
  });

  test('the list has the order of the command line', async () => {
    const { wb, given } = suite;
    for (const query of ['cache', 'read the settings of the user', 'password']) {
      const { results } = commandLine('search', given.folder, query, '--limit', '20');
      await search(wb, query);
      const shown = await wb.items();
      await escape(wb);
      assert.ok(shown.length > 1);
      const expected = results.slice(0, shown.length).map(({ path }) => path.split('/').at(-1));
      assert.deepEqual(
        shown.map(({ label }) => label),
        expected,
        query,
      );
    }
  });

  test('finds similar files', async () => {
    const { wb } = suite;
    await wb.openFile('lruCache.ts');
    await wb.run('landmark.findSimilar', 'Landmark: Find Similar Files');
    await expect(wb.title).toHaveText('Files like lruCache.ts');
    await expect(wb.rows).not.toHaveCount(0);
    const [first] = await wb.items();
    assert.equal(first.label, 'ttlCache.ts');
    await escape(wb);
  });

  test('follows a new file, a rename without embedding, a deletion', async () => {
    const { folder } = suite.given;
    writeTree(folder, {
      'src/geo/distance.ts':
        '/** Great circle distance between two points on the globe, haversine formula. */\nexport function distance() {}\n',
    });
    await expectFirst(suite.wb, 'how far apart are two places on earth', 'distance.ts');
    const before = reports('up to date').length;
    renameSync(join(folder, 'src/geo/distance.ts'), join(folder, 'src/geo/greatCircle.ts'));
    await expectFirst(suite.wb, 'how far apart are two places on earth', 'greatCircle.ts');
    const after = reports('up to date').slice(before);
    assert.ok(after.length > 0);
    for (const { windows } of after) assert.equal(windows.embedded, 0);
    rmSync(join(folder, 'src/geo'), { recursive: true });
    await expect(async () => {
      await search(suite.wb, 'how far apart are two places on earth');
      const labels = (await suite.wb.items()).map(({ label }) => label);
      await escape(suite.wb);
      assert.ok(!labels.includes('greatCircle.ts') && !labels.includes('distance.ts'));
    }).toPass({ timeout: 30_000 });
  });

  test('embeds nothing when the window is opened again', async () => {
    const { wb } = suite;
    const before = reports('Indexed ').length;
    await wb.reload({ ready: STATUS });
    await expect(wb.status(STATUS)).toHaveText('Landmark', { timeout: 60_000 });
    await expect.poll(() => reports('Indexed ').length).toBeGreaterThan(before);
    const { embedded, windows } = reports('Indexed ').at(-1);
    assert.deepEqual([embedded, windows.embedded], [0, 0]);
  });

  test('is activated within 50 ms', () => {
    const times = logged('Activated in').map(line => Number(/in (\d+) ms/.exec(line)[1]));
    assert.ok(times.length > 0 && Math.min(...times) < 50, times.join());
    const figures = process.env.LANDMARK_FIGURES;
    const name = 'activation of the extension, least of the windows opened';
    if (figures !== undefined) appendFileSync(figures, `${JSON.stringify({ name, value: Math.min(...times) })}\n`);
  });
});

describe('a folder of 2,000 files', () => {
  const suite = useWindow(async () => {
    const data = mkdtempSync(join(tmpdir(), 'landmark-data-'));
    const many = Object.fromEntries(
      Array.from({ length: 2000 }, (_, at) => {
        const [path, text] = Object.entries(SOURCES)[at % Object.keys(SOURCES).length];
        return [`part${at % 40}/copy${at}/${path}`, text.replaceAll('export', `/* ${at} */ export`)];
      }),
    );
    return { vsix: [packedProduct()], folder: makeFolder(many), env: { LANDMARK_DATA: data }, remove: [data] };
  });

  test('can be searched at once, marked as partial', async () => {
    const { wb } = suite;
    await expect(wb.status(STATUS)).toHaveText(/Landmark: \d+ %/, { timeout: 60_000 });
    await askForRetry(wb);
    await expect(wb.rows.first()).toContainText(/partial: \d+ % indexed/);
    await screenshot(wb, 'product partial');
    await escape(wb);
    await wb.run('landmark.pauseIndexing', 'Landmark: Pause Indexing');
    await expect(wb.status(STATUS)).toHaveText('Landmark: paused');
  });
});
