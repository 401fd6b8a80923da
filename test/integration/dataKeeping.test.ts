import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { dataText } from '../../src/cli/dataOutput';
import { cleanData, listData } from '../../src/engine/dataKeeping';
import { dataLayout } from '../../src/engine/store/dataFolder';
import { newDataDir, testRuntime } from '../support/engineRuntime';
import { makeFileTree } from '../support/fileTree';

const DAY_MS = 24 * 3600_000;
const source = (name: string): string =>
  Array.from({ length: 60 }, (_, at) => `let ${name}${at} = ${name}(${at * 17});\n`).join('');

test('indexes are listed with their sizes; cleaning deletes what belongs to no folder, and nothing else', async t => {
  const dataDir = newDataDir(t);
  const parent = makeFileTree(t, {
    'kept/a.ts': source('keeper'),
    'gone/b.ts': source('goner'),
    'open/c.ts': source('opener'),
    'drive/away/d.ts': source('driver'),
  });
  const first = await testRuntime(t, { dataDir });
  for (const name of ['kept', 'gone', 'drive/away']) {
    const opened = await first.open(join(parent, name));
    await opened.sync();
    await opened.engine.close();
  }
  const opened = await first.open(join(parent, 'open'));
  await opened.sync();
  for (const name of ['gone', 'open', 'drive']) rmSync(join(parent, name), { recursive: true });
  const nameless = join(dataDir, 'workspaces', 'ab'.repeat(32));
  mkdirSync(nameless);
  writeFileSync(join(nameless, 'folder.json'), '{');
  writeFileSync(join(dataLayout(dataDir, '').windows, 'data.mdb.bad'), Buffer.alloc(5000));
  const otherFile = join(dataDir, 'workspaces', 'notes.txt');
  writeFileSync(otherFile, 'not ours');

  const { runtime } = await testRuntime(t, { dataDir });
  const before = await listData(runtime);
  assert.deepEqual(
    Object.fromEntries(before.folders.map(({ folder, state }) => [folder.slice(parent.length + 1), state])),
    { kept: 'here', gone: 'gone', open: 'gone', 'drive/away': 'unreachable' },
  );
  assert.ok(before.folders.every(({ bytes }) => bytes > 10_000));
  assert.equal(before.putAside, 5000);
  assert.ok(before.bytes >= before.vectors + before.folders.reduce((sum, { bytes }) => sum + bytes, 0));
  assert.match(dataText(before), /gone {2}\(gone\)\n[^]*"landmark data clean" deletes/);

  const windows = (await runtime.windowStore('write')).count();
  const after = await cleanData(runtime, undefined, Date.now() + DAY_MS);
  assert.deepEqual(after.removed?.folders, [join(parent, 'gone')]);
  assert.deepEqual(
    after.folders.map(({ folder }) => folder.slice(parent.length + 1)).sort(),
    ['drive/away', 'kept', 'open'],
    'what is open or on a drive that is away stays',
  );
  assert.equal(after.removed.windows, windows - (await runtime.windowStore('write')).count());
  assert.ok(after.removed.windows >= 2, 'the windows of the deleted file and its path');
  assert.ok(after.removed.bytes > 15_000);
  assert.equal(after.putAside, 0);
  assert.ok(!existsSync(nameless));
  assert.equal(readFileSync(otherFile, 'utf8'), 'not ours');
  assert.match(dataText(after), /Deleted: 1 index of folders that are gone, \d+ windows; [\d.]+ KB given back\.\n/);

  const again = await testRuntime(t, { dataDir });
  const kept = await again.open(join(parent, 'kept'));
  const report = await kept.sync();
  assert.deepEqual([report.reused, report.windows.embedded, again.embedder.windows], [1, 0, 0]);
  assert.deepEqual(await kept.findWords('keeper7'), ['a.ts']);
});

test('where nothing was ever stored, there is nothing to list and nothing to clean', async t => {
  const { runtime } = await testRuntime(t, { dataDir: join(newDataDir(t), 'absent') });
  const expected = { dataDir: runtime.dataDir, folders: [], vectors: 0, putAside: 0, bytes: 0 };
  assert.deepEqual(await listData(runtime), expected);
  assert.deepEqual(await cleanData(runtime), { ...expected, removed: { folders: [], windows: 0, bytes: 0 } });
  assert.ok(!existsSync(runtime.dataDir));
});
