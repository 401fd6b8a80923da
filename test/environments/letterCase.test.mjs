// A mounted disk on which upper and lower case are the same: the engine's own tests, the command line and the editor.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, renameSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { installedCommandLine, packedProduct } from '../e2e/productPackage.mjs';
import { closeAll } from '../e2e/reading.mjs';
import { askForRetry, landOnRetry, RETRY } from '../e2e/retry.mjs';
import { expectFirst } from '../e2e/searching.mjs';
import { SOURCES } from '../e2e/sources.mjs';
import { screenshot, STATUS, useWindow, writeTree } from '../e2e/suite.mjs';
import { Workbench } from '../e2e/workbench.mjs';
import { mounts } from './disks.mjs';
import { expect, expectReady, saveLine } from './editing.mjs';

const root = join(import.meta.dirname, '../..');

describe('a disk that does not tell upper from lower case', () => {
  const disks = mounts();
  let disk;
  before(() => (disk = disks.exfat(256)));
  after(() => disks.end());

  test('the tests of the engine hold on it', () => {
    const environment = { ...process.env };
    delete environment.NODE_TEST_CONTEXT; // else it would report to this one
    const { status, stdout } = spawnSync(
      process.execPath,
      ['test/support/run.mjs', '--files', 'test/integration/letterCase.test.ts'],
      { cwd: root, encoding: 'utf8', env: { ...environment, LANDMARK_LETTER_CASE_DISK: disk } },
    );
    assert.equal(status, 0, stdout);
    assert.match(stdout, /^ℹ pass 5$/m);
  });

  describe('in the editor', () => {
    const suite = useWindow(async () => {
      const folder = join(disk, 'Harbour');
      const data = mkdtempSync(join(tmpdir(), 'landmark-data-'));
      mkdirSync(folder);
      writeTree(folder, {
        ...SOURCES,
        '.gitignore': '/Build/\n',
        'build/made.ts': 'wait longer after failed attempt\n',
      });
      execFileSync('git', ['-C', folder, 'init', '--quiet']);
      return { vsix: [packedProduct()], folder, env: { LANDMARK_DATA: data }, data, remove: [data] };
    });
    const commandLine = (...args) => installedCommandLine(suite.vs, suite.given.data, ...args);

    test('it is indexed, searched, and opened under another spelling it is the same index', async () => {
      const { wb, browser, vs, given } = suite;
      await expectReady(wb);
      await expectFirst(wb, RETRY, 'retry.ts');
      assert.equal(
        execFileSync('git', ['-C', given.folder, 'config', 'core.ignorecase'], { encoding: 'utf8' }),
        'true\n',
      );
      suite.other = await Workbench.open(browser, vs, join(disk, 'HARBOUR'), { ready: STATUS });
      await expectReady(suite.other);
      await askForRetry(suite.other);
      await landOnRetry(suite.other);
      assert.deepEqual(
        commandLine('data', 'list').folders.map(each => each.folder),
        [given.folder],
      );
    });

    test('what is saved is found, in both windows and once', async () => {
      const { wb, other, given } = suite;
      await saveLine(wb, 'retry.ts', '// a walrus waits for the ferry');
      await expectFirst(wb, 'walrus waits for the ferry', 'retry.ts');
      await expectFirst(other, 'walrus waits for the ferry', 'retry.ts');
      await saveLine(other, 'ttlCache.ts', '// a heron forgets the time');
      await expectFirst(other, 'heron forgets the time', 'ttlCache.ts');
      await expectFirst(wb, 'heron forgets the time', 'ttlCache.ts');
      await other.page.close();
      await wb.page.bringToFront();
      await closeAll(wb);
      assert.deepEqual(
        commandLine('search', given.folder, '"heron forgets"').results.map(({ path }) => path),
        ['src/cache/ttlCache.ts'],
      );
    });

    test('a file whose name changes its case alone is there once, under its new name', async () => {
      const { wb, given } = suite;
      renameSync(join(given.folder, 'src/net/retry.ts'), join(given.folder, 'src/net/Retry.ts'));
      await expectFirst(wb, 'walrus waits for the ferry', 'Retry.ts');
      assert.deepEqual(
        commandLine('search', given.folder, '"walrus waits"').results.map(({ path }) => path),
        ['src/net/Retry.ts'],
      );
    });

    test('files like a file are found', async () => {
      const { wb } = suite;
      await wb.openFile('lruCache.ts');
      await wb.run('landmark.findSimilar', 'Landmark: Find Similar Files');
      await expect(wb.rows.first()).toContainText('ttlCache.ts');
      await wb.input.press('Escape');
      await expect(wb.quick).toBeHidden();
      await closeAll(wb);
    });

    test('a file is explained by its name in any letters, and so is the rule that leaves one out', async () => {
      const { wb } = suite;
      const explain = async (path, first) => {
        await wb.run('landmark.explainFile', 'Landmark: Why Is This File (Not) Found?');
        await expect(wb.title).toHaveText('Why is a file found, or not?');
        await wb.input.fill(path);
        await wb.accept();
        await expect(wb.rows.first()).toContainText(first);
        await screenshot(wb, `letter case ${path}`);
        await wb.input.press('Escape');
        await expect(wb.quick).toBeHidden();
      };
      await explain('SRC/NET/RETRY.TS', 'src/net/Retry.ts');
      await explain('BUILD/MADE.TS', 'The rule “/Build/” in .gitignore, line 1, leaves it out.');
      const { path, state } = commandLine('explain', join(disk, 'harbour'), 'Src/Net/rETRY.ts');
      assert.deepEqual([path, state], ['src/net/Retry.ts', 'indexed']);
    });

    test('a second look finds nothing new', () => {
      const report = commandLine('index', suite.given.folder);
      assert.deepEqual([report.embedded, report.failed], [0, []]);
      assert.match(readFileSync('/proc/mounts', 'utf8'), new RegExp(`${disk} fuseblk`));
    });
  });
});
