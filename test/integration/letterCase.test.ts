import assert from 'node:assert/strict';
import { existsSync, renameSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import { realPathOf } from '../../src/engine/files/realPath';
import type { FileTree } from '../support/fileTree';
import { makeFileTree } from '../support/fileTree';
import { git } from '../support/git';
import { testRuntime } from '../support/engineRuntime';

// `npm run test:environments letterCase` names a disk here that does not tell upper from lower case.
const DISK = process.env['LANDMARK_LETTER_CASE_DISK'];
const TREE = { 'src/walrus.ts': 'export const walrus = 1;\n', 'src/otter.ts': 'export const otter = 1;\n' };

const treeOnDisk = (context: TestContext, tree: FileTree = TREE): string => makeFileTree(context, tree, DISK);

/** The same in other letters, where that leads to the same files; else the test is skipped. */
function otherLetters(context: TestContext, folder: string): string | undefined {
  const other = join(dirname(folder), basename(folder).toUpperCase());
  if (existsSync(other)) return other;
  assert.equal(DISK, undefined, `${DISK} tells upper from lower case`);
  context.skip('the file system tells them apart');
  return undefined;
}

test('a file or folder that changed the case of its name is there once, whichever of its names an event had', async t => {
  const folder = treeOnDisk(t);
  const { engine, sync, findWords } = await (await testRuntime(t)).open(folder);
  await sync();
  renameSync(join(folder, 'src/walrus.ts'), join(folder, 'src/Walrus.ts'));
  await engine.update(['src/Walrus.ts']);
  assert.deepEqual(await findWords('walrus'), ['src/Walrus.ts']);
  renameSync(join(folder, 'src/Walrus.ts'), join(folder, 'src/walruS.ts'));
  await engine.update(['src/Walrus.ts', 'src/walruS.ts']);
  assert.deepEqual(await findWords('walrus'), ['src/walruS.ts']);
  // By way of another name: some systems do not rename a folder to itself in other letters.
  renameSync(join(folder, 'src'), join(folder, 'between'));
  renameSync(join(folder, 'between'), join(folder, 'Src'));
  await engine.update(['Src']);
  assert.deepEqual(await findWords('walrus'), ['Src/walruS.ts']);
  assert.deepEqual(await findWords('otter'), ['Src/otter.ts']);
});

test('files that differ in case alone stay files of their own where the system tells them apart', async t => {
  const folder = treeOnDisk(t, { ...TREE, 'src/Walrus.ts': 'export const Walrus = 2;\n// walrus\n' });
  const { engine, sync, findWords } = await (await testRuntime(t)).open(folder);
  await sync();
  if ((await findWords('walrus')).length < 2) return t.skip('the file system does not tell them apart');
  await engine.update(['src/Walrus.ts']);
  assert.deepEqual((await findWords('walrus')).sort(), ['src/Walrus.ts', 'src/walrus.ts']);
});

test('a file named in other letters is the one on disk: known or new, saved, explained, compared and gone', async t => {
  const folder = treeOnDisk(t);
  if (otherLetters(t, folder) === undefined) return;
  const { engine, sync, findWords } = await (await testRuntime(t)).open(folder);
  await sync();
  writeFileSync(join(folder, 'SRC/WALRUS.TS'), 'export const walrus = "saved";\n');
  await engine.update(['SRC/WALRUS.TS']);
  assert.deepEqual(await findWords('walrus'), ['src/walrus.ts']);
  assert.deepEqual(await findWords('saved'), ['src/walrus.ts']);
  writeFileSync(join(folder, 'src/Newt.ts'), 'export const newt = 1;\n');
  await engine.update(['Src/nEWT.ts']);
  assert.deepEqual(await findWords('newt'), ['src/Newt.ts']);
  const explained = await engine.explain('SRC/otter.TS');
  assert.deepEqual([explained.path, explained.state], ['src/otter.ts', 'indexed']);
  const similar = await engine.similar('SRC/otter.TS', 5);
  assert.deepEqual(similar.results.map(({ path }) => path).sort(), ['src/Newt.ts', 'src/walrus.ts']);
  renameSync(join(folder, 'src/Newt.ts'), join(folder, 'src/salamander.ts'));
  await engine.update(['SRC/NEWT.TS', 'SRC/SALAMANDER.TS']);
  assert.deepEqual(await findWords('newt'), ['src/salamander.ts']);
});

test('a folder opened in other letters is the same folder', async t => {
  const folder = treeOnDisk(t);
  const other = otherLetters(t, folder);
  if (other === undefined) return;
  assert.equal(await realPathOf(other), folder);
  assert.equal(await realPathOf(join(other, 'SRC/OTTER.TS')), join(folder, 'src/otter.ts'));
  const { engine } = await (await testRuntime(t)).open(other);
  assert.equal(engine.folder, folder);
});

test('ignore rules hold in any letters where git says that case does not count', async t => {
  const folder = treeOnDisk(t, {
    ...TREE,
    '.gitignore': '/Build/\n*.LOG\n',
    'build/out.ts': 'walrus\n',
    'day.log': 'walrus\n',
  });
  if (otherLetters(t, folder) === undefined) return;
  git(folder, ['init', '-q']);
  const { engine, sync, findWords } = await (await testRuntime(t)).open(folder);
  await sync();
  assert.deepEqual(await findWords('walrus'), ['src/walrus.ts']);
  await engine.update(['BUILD/OUT.TS', 'DAY.log']);
  assert.deepEqual(await findWords('walrus'), ['src/walrus.ts']);
  const { state, rule, ruleLine } = await engine.explain('BUILD/OUT.TS');
  assert.deepEqual([state, rule, ruleLine], ['ignored', '/Build/', 1]);
});

test('below an ignored folder, too, a file named in other letters is the one on disk: one that git tracks is found', async t => {
  const folder = treeOnDisk(t, {
    ...TREE,
    '.gitignore': '/build/\n',
    'build/Kept/heron.ts': 'heron\n',
    'build/out.ts': 'heron\n',
  });
  if (otherLetters(t, folder) === undefined) return;
  git(folder, ['init', '-q']);
  git(folder, ['add', '-f', 'build/Kept']);
  const { engine, sync, findWords } = await (await testRuntime(t)).open(folder);
  await sync();
  assert.deepEqual(await findWords('heron'), ['build/Kept/heron.ts']);
  const { path, state } = await engine.explain('BUILD/kept/HERON.ts');
  assert.deepEqual([path, state], ['build/Kept/heron.ts', 'indexed']);
  const other = await engine.explain('Build/OUT.ts');
  assert.deepEqual([other.state, other.rule, other.ruleLine], ['ignored', '/build/', 1]);
  writeFileSync(join(folder, 'build/Kept/heron.ts'), 'heron egret\n');
  await engine.update(['BUILD/kept/HERON.ts']);
  assert.deepEqual(await findWords('egret'), ['build/Kept/heron.ts']);
});
