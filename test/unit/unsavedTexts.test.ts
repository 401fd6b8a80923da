import assert from 'node:assert/strict';
import { test } from 'node:test';
import { notebookText } from '../../src/engine/files/notebook';
import { cellsText, folderDrafts, isUntitled, type UnsavedText } from '../../src/extension/model/unsavedTexts';
import { notebookJson } from '../support/notebook';

const ROOTS = [
  { path: '/project/app', folder: '/real/app' },
  { path: '/project/app/packages/core', folder: '/real/core' },
];
const file = (path: string, text = 'x'): UnsavedText => ({ uri: `file://${path}`, file: path, text });

test('an edited file goes to the deepest folder that holds it, a new text to the first', () => {
  const texts = [
    file('/project/app/src/a.ts'),
    file('/project/app/packages/core/b.ts'),
    file('/elsewhere/c.ts'),
    file('/project/app-other/d.ts'),
    { uri: 'untitled:Untitled-1', file: undefined, text: 'new' },
    { uri: 'output:tasks', file: undefined, text: 'no' },
  ];
  assert.deepEqual(
    folderDrafts(texts, ROOTS).map(({ folder, path, isNew, id }) => [folder, path, isNew, id]),
    [
      ['/real/app', 'src/a.ts', false, 'file:///project/app/src/a.ts'],
      ['/real/core', 'b.ts', false, 'file:///project/app/packages/core/b.ts'],
      ['/real/app', 'untitled:Untitled-1', true, 'untitled:Untitled-1'],
    ],
  );
  assert.deepEqual(folderDrafts(texts, []), []);
  assert.deepEqual([isUntitled('untitled:Untitled-1'), isUntitled('src/untitled.ts')], [true, false]);
});

test('of too long and too many texts the saved files answer', () => {
  const long = file('/project/app/long.ts', 'x'.repeat(500_001));
  const many = Array.from({ length: 30 }, (_, at) => file(`/project/app/${at}.ts`));
  const paths = folderDrafts([long, ...many], ROOTS).map(({ path }) => path);
  assert.deepEqual([paths.length, paths[0], paths.at(-1)], [20, '0.ts', '19.ts']);
  const big = Array.from({ length: 6 }, (_, at) => file(`/project/app/${at}.ts`, 'y'.repeat(450_000)));
  assert.equal(folderDrafts(big, ROOTS).length, 4);
});

test('the cells of an open notebook read as those of a saved one', () => {
  const cells = ['import os\r\nimport sys', '', 'x = 1\n', 'last'];
  const saved = notebookText(notebookJson(cells.map(source => ({ source }))));
  assert.deepEqual(cellsText(cells), saved);
});
