import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { Housekeeping } from '../../src/engine/indexing/housekeeping';
import { windowKey } from '../../src/engine/model/windows';
import { Corpus } from '../../src/engine/search/corpus';
import { Catalog } from '../../src/engine/store/catalog';
import { dataLayout } from '../../src/engine/store/dataFolder';
import { WindowStore } from '../../src/engine/store/windowStore';
import { nullLogger } from '../../src/util/logger';
import { cleanUp } from '../support/cleanUp';
import { contentRow } from '../support/contentRow';
import { newDataDir, testRuntime } from '../support/engineRuntime';
import { makeFileTree } from '../support/fileTree';

const DAY_MS = 24 * 3600_000;
const MODEL = 'ab'.repeat(32);

test('contents that no file has any more are deleted once they are many, windows once they are old and many', async t => {
  const dataDir = newDataDir(t);
  const folder = makeFileTree(t);
  const { workspace, windows, folderFile } = dataLayout(dataDir, folder);
  const options = { access: 'write', fingerprint: MODEL, logger: nullLogger } as const;
  const catalog = await Catalog.open(workspace, options);
  const windowStore = await WindowStore.open(windows, options);
  cleanUp(t, () => Promise.all([catalog.close(), windowStore.close()]));

  const corpus = new Corpus(catalog.vocabulary);
  const key = (number: number): Buffer => Buffer.alloc(32, `window ${number} `);
  const hash = (number: number): string => Buffer.alloc(32, `content ${number} `).toString('hex');
  const row = (number: number) => ({
    ...contentRow('file.ts', 'let word;\n', catalog.vocabulary),
    windowKeys: new Uint8Array(key(number)),
    landmarkCounts: Uint8Array.of(1),
  });
  const numbers = Array.from({ length: 1200 }, (_, at) => at);
  for (const used of [0, 1]) corpus.put(`file${used}.ts`, 10, hash(used), row(used));
  await catalog.write(numbers.map(at => ({ kind: 'putContent', hash: hash(at), row: row(at) })));
  const neighbour = makeFileTree(t);
  const other = dataLayout(dataDir, neighbour);
  const otherCatalog = await Catalog.open(other.workspace, options);
  const fileRow = { hash: hash(7), size: 10, stamp: 0, state: 'indexed', reason: '' } as const;
  const ownFiles = [0, 1].map(used => ({ path: `file${used}.ts`, row: { ...fileRow, hash: hash(used) } }));
  await catalog.write(ownFiles.map(file => ({ kind: 'putFile', ...file }) as const));
  await otherCatalog.write([
    { kind: 'putFile', path: 'other.ts', row: fileRow },
    { kind: 'putContent', hash: hash(7), row: row(7) },
    { kind: 'putContent', hash: hash(8), row: row(8) },
  ]);
  await otherCatalog.close();
  writeFileSync(other.folderFile, JSON.stringify({ folder: neighbour, windows: 2 }));
  const pathWindow = (path: string): Int32Array => Int32Array.of(path.length);
  const record = { landmarks: new Uint8Array(8), scales: Float32Array.of(1) };
  await windowStore.putMany([
    ...Array.from({ length: 5100 }, (_, at) => [key(at), record] as const),
    [windowKey(pathWindow('file0.ts')), record],
  ]);

  const parts = { dataDir, folder, catalog, windowStore, fingerprint: MODEL, pathWindow, logger: nullLogger };
  const keepHouse = (days: number): Promise<void> =>
    new Housekeeping({ ...parts, now: () => Date.now() + days * DAY_MS }).run(corpus);

  const putAside = [join(windows, 'data.mdb.bad'), join(other.workspace, 'data.mdb.bad')];
  for (const path of putAside) writeFileSync(path, 'damaged');

  await keepHouse(0);
  assert.equal(catalog.contentCount(), 2);
  assert.ok(catalog.hasContent(hash(0)) && catalog.hasContent(hash(1)));
  assert.deepEqual(JSON.parse(readFileSync(folderFile, 'utf8')), { folder, windows: 4 });
  assert.equal(windowStore.count(), 5101, 'what was written today stays');

  await keepHouse(0.5);
  assert.equal(windowStore.count(), 5101, 'once a day is enough');
  await keepHouse(3);
  assert.equal(windowStore.count(), 4);
  assert.deepEqual(putAside.map(existsSync), [true, true], 'a damaged file is kept for a week');
  await keepHouse(8);
  assert.deepEqual(putAside.map(existsSync), [false, false]);
  for (const live of [key(0), key(1), key(7), windowKey(pathWindow('file0.ts'))]) assert.ok(windowStore.has(live));
});

test('the index of a folder that does not exist any more goes, that of a drive that is away stays', async t => {
  const dataDir = newDataDir(t);
  const parent = makeFileTree(t, { 'gone/a.ts': 'let a;\n', 'drive/away/b.ts': 'let b;\n', 'here/c.ts': 'let c;\n' });
  const { open } = await testRuntime(t, { dataDir });
  const workspaces: Record<string, string> = {};
  for (const name of ['gone', 'drive/away', 'here']) {
    const opened = await open(join(parent, name));
    await opened.sync();
    await opened.engine.close();
    workspaces[name] = dataLayout(dataDir, join(parent, name)).workspace;
  }
  rmSync(join(parent, 'gone'), { recursive: true });
  rmSync(join(parent, 'drive'), { recursive: true });
  const twoDaysAgo = new Date(Date.now() - 2 * DAY_MS);
  for (const workspace of Object.values(workspaces)) utimesSync(join(workspace, 'folder.json'), twoDaysAgo, twoDaysAgo);
  utimesSync(join(dataLayout(dataDir, '').windows, 'swept'), twoDaysAgo, twoDaysAgo);
  mkdirSync(join(parent, 'new'));
  await (await open(join(parent, 'new'))).sync();
  assert.deepEqual(
    Object.entries(workspaces).map(([name, workspace]) => [name, existsSync(workspace)]),
    [
      ['gone', false],
      ['drive/away', true],
      ['here', true],
    ],
  );
});
