import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeFileTree } from '../support/fileTree';
import { imageOutput, notebookJson } from '../support/notebook';
import { testRuntime } from '../support/engineRuntime';

const CELLS = [
  { kind: 'markdown', source: ['# Herrings\n', '\n', 'How many the walrus eats.'] },
  { source: '' },
  { source: 'import os\r\nimport sys\r\n\r\ndef count_herrings(day):\r\n    return day * 3\r\n' },
  { source: ['print("plankton")\n', 'plot()'], outputs: [imageOutput(3_000_000)] },
  { source: `${Array.from({ length: 40 }, (_, at) => `filler${at} = ${at}`).join('\n')}\nlast_narwhal = 1` },
] as const;

test('the cells of a notebook are found at lines of their cell, its outputs and metadata are not', async t => {
  const json = notebookJson(CELLS);
  const folder = makeFileTree(t, {
    'plain.ipynb': json,
    'windows.ipynb': `\uFEFF${json.replaceAll('walrus', 'seal').replaceAll('\n', '\r\n')}`,
    'broken.ipynb': json.slice(0, 500),
    'empty.ipynb': notebookJson([]),
  });
  const { engine, sync } = await (await testRuntime(t)).open(folder);
  const report = await sync();
  assert.equal(report.failed.length, 0);
  const placesOf = async (query: string) =>
    (await engine.search({ query, arms: ['lexical'] })).results.map(({ path, places: [place] }) => [
      path,
      place?.cell,
      place?.line,
      place?.startLine,
      place?.endLine,
      place?.lineText,
    ]);
  assert.deepEqual(await placesOf('walrus'), [['plain.ipynb', 0, 3, 1, 3, 'How many the walrus eats.']]);
  assert.deepEqual(await placesOf('seal'), [['windows.ipynb', 0, 3, 1, 3, 'How many the seal eats.']]);
  for (const [, cell, line, startLine] of await placesOf('count_herrings')) {
    assert.deepEqual([cell, line, startLine], [2, 4, 1]);
  }
  for (const place of await placesOf('plankton')) assert.deepEqual(place.slice(1), [3, 1, 1, 2, 'print("plankton")']);
  for (const [, cell, line] of await placesOf('last_narwhal')) assert.deepEqual([cell, line], [4, 41]);
  for (const word of ['outputword', 'metadatatag', 'Kernelname', 'ZlpaWlpaWlpa', 'nbformat']) {
    assert.deepEqual(await placesOf(word), [], word);
  }
  const broken = await engine.explain('broken.ipynb');
  assert.equal(broken.state, 'skipped');
  assert.match(broken.reason, /is not a notebook that can be read: its JSON is damaged/);
  assert.equal((await engine.explain('empty.ipynb')).state, 'skipped');
});

test('a notebook with more in its cells or its outputs than is read is left out with the reason', async t => {
  const source = Array.from({ length: 4000 }, (_, at) => `value${at} = compute(${at})`).join('\n');
  const folder = makeFileTree(t, {
    'long.ipynb': notebookJson([{ source }]),
    'heavy.ipynb': notebookJson([{ source: 'x = 1', outputs: [imageOutput(1_500_000)] }]),
  });
  const { engine, sync } = await (await testRuntime(t)).open(folder, { maxFileSize: 50_000 });
  await sync();
  const [long, heavy] = [await engine.explain('long.ipynb'), await engine.explain('heavy.ipynb')];
  assert.deepEqual([long.state, heavy.state], ['skipped', 'skipped']);
  assert.match(long.reason, /in its cells; the limit is 49 KB/);
  assert.match(heavy.reason, /the limit .* is 977 KB/);
});
