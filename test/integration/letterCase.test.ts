import assert from 'node:assert/strict';
import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { makeFileTree } from '../support/fileTree';
import { testRuntime } from '../support/engineRuntime';

const TREE = { 'src/walrus.ts': 'export const walrus = 1;\n', 'src/otter.ts': 'export const otter = 1;\n' };

test('a file or folder that changed the case of its name is there once, whichever of its names an event had', async t => {
  const folder = makeFileTree(t, TREE);
  const { engine, sync, findWords } = await (await testRuntime(t)).open(folder);
  await sync();
  renameSync(join(folder, 'src/walrus.ts'), join(folder, 'src/Walrus.ts'));
  await engine.update(['src/Walrus.ts']);
  assert.deepEqual(await findWords('walrus'), ['src/Walrus.ts']);
  renameSync(join(folder, 'src'), join(folder, 'Src'));
  await engine.update(['Src']);
  assert.deepEqual(await findWords('walrus'), ['Src/Walrus.ts']);
  assert.deepEqual(await findWords('otter'), ['Src/otter.ts']);
});

test('files that differ in case alone stay files of their own where the system tells them apart', async t => {
  const folder = makeFileTree(t, { ...TREE, 'src/Walrus.ts': 'export const Walrus = 2;\n// walrus\n' });
  const { engine, sync, findWords } = await (await testRuntime(t)).open(folder);
  await sync();
  if ((await findWords('walrus')).length < 2) return t.skip('the file system does not tell them apart');
  await engine.update(['src/Walrus.ts']);
  assert.deepEqual((await findWords('walrus')).sort(), ['src/Walrus.ts', 'src/walrus.ts']);
});
