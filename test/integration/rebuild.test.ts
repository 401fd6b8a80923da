import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ArmName } from '../../src/engine/types';
import { Catalog } from '../../src/engine/store/catalog';
import { dataLayout } from '../../src/engine/store/dataFolder';
import { nullLogger } from '../../src/util/logger';
import { type TestEngine, testModel, testRuntime } from '../support/engineRuntime';
import { makeFileTree, writeFileTree } from '../support/fileTree';
import { WORDS } from '../support/randomFiles';

const FILES = 30;
const word = (at: number): string => WORDS[at % WORDS.length] ?? '';
const text = (at: number): string =>
  `export function ${word(at)}${word(3 * at + 1)}(${word(at + 7)}) {\n  return '${word(5 * at)} ${word(at + 2)}';\n}\n`;
const project = (): Record<string, string> => ({
  ...Object.fromEntries(Array.from({ length: FILES - 1 }, (_, at) => [`part${at % 4}/file${at}.ts`, text(at)])),
  'copy.ts': text(3),
});

/** What is found by words and, through the graphs, by vectors. */
async function answersOf({ engine }: TestEngine): Promise<unknown[]> {
  const answers: unknown[] = [];
  for (const arm of ['lexical', 'file', 'landmark'] satisfies ArmName[]) {
    for (const query of [word(0), `${word(4)} ${word(9)}`, `${word(12)} ${word(3)} ${word(30)}`]) {
      const { results } = await engine.search({ query, limit: 10, arms: [arm] });
      answers.push(results.map(({ path, score, copies }) => ({ path, score, copies })));
    }
  }
  return answers;
}

async function rowsIn(dataDir: string, folder: string): Promise<string[]> {
  const { fingerprint } = await testModel();
  const { workspace } = dataLayout(dataDir, folder);
  const catalog = await Catalog.open(workspace, { access: 'read', fingerprint, logger: nullLogger });
  try {
    return [...catalog.files()].map(([path]) => path);
  } finally {
    await catalog.close();
  }
}

test('while an index is built anew, and after that was broken off, everything is found as before', async t => {
  const folder = makeFileTree(t, project());
  const { open, embedder, dataDir } = await testRuntime(t);
  const opened = await open(folder);
  await opened.sync();
  const expected = await answersOf(opened);
  const { windows } = embedder;

  const brokenOff = new AbortController();
  const rebuilding = opened.engine.sync(
    { rebuild: true },
    ({ phase, done }) => {
      if (phase === 'lexical' && done === 0) brokenOff.abort();
    },
    brokenOff.signal,
  );
  await assert.rejects(rebuilding, { reason: 'cancelled' });
  assert.deepEqual(await answersOf(opened), expected);
  // What a process would find that is started after this one was killed here.
  assert.equal((await rowsIn(dataDir, folder)).length, FILES);

  const whole = opened.engine.sync({ rebuild: true }, () => {});
  assert.deepEqual(await answersOf(opened), expected);
  assert.equal((await whole).reused, FILES);
  assert.deepEqual(await answersOf(opened), expected);
  assert.equal(embedder.windows, windows);
});

test('building anew reads what a sync would believe, and forgets contents that no file has', async t => {
  const folder = makeFileTree(t, project());
  const { open, dataDir, runtime } = await testRuntime(t);
  const opened = await open(folder);
  await opened.sync();
  writeFileTree(folder, { 'part1/file1.ts': text(100) });
  await opened.engine.update(['part1/file1.ts']);
  await opened.engine.close();
  const { fingerprint } = await testModel();
  const { workspace } = dataLayout(dataDir, folder);
  const catalog = await Catalog.open(workspace, { access: 'write', fingerprint, logger: nullLogger });
  const [first, second] = [...catalog.files()];
  assert.ok(first && second);
  // A row that names another file's content, as no program of ours would write it.
  await catalog.write([{ kind: 'putFile', path: first[0], row: { ...first[1], hash: second[1].hash } }]);
  const [contents, rows] = [catalog.contentCount(), new Set([...catalog.files()].map(([, row]) => row.hash)).size];
  assert.ok(contents > rows);
  await catalog.close();

  const again = await open(folder);
  await again.engine.sync({ rebuild: true }, () => {});
  const fresh = await (await testRuntime(t)).open(folder);
  await fresh.sync();
  assert.deepEqual(await answersOf(again), await answersOf(fresh));
  await again.engine.close();
  await runtime.close();
  const after = await Catalog.open(workspace, { access: 'read', fingerprint, logger: nullLogger });
  const hashes = [...after.files()].map(([, row]) => row.hash);
  assert.deepEqual([...after.contentHashes()].sort(), [...new Set(hashes)].sort());
  await after.close();
});
