import assert from 'node:assert/strict';
import { closeSync, cpSync, openSync, readdirSync, rmSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { Postings } from '../../src/engine/lexical/postings';
import type { SemanticEngine } from '../../src/engine/semanticEngine';
import type { SearchHit } from '../../src/engine/types';
import { dataLayout } from '../../src/engine/store/dataFolder';
import { newDataDir, testRuntime } from '../support/engineRuntime';
import { makeFileTree } from '../support/fileTree';
import { RandomFiles, writeFile } from '../support/randomFiles';
import { randomNumbers } from '../support/vectors';
import { LandmarkError } from '../../src/util/errors';
import { nullLogger } from '../../src/util/logger';

const QUERIES = 12;
/** Nothing but what is asked for writes a snapshot; all of it rests in the file. */
const NEVER = { changesWorth: Infinity, mostHeld: 0 };

function snapshotsIn(dataDir: string, folder: string): string[] {
  const { workspace } = dataLayout(dataDir, folder);
  const names = readdirSync(workspace).filter(name => name.startsWith('snapshot-'));
  return names.map(name => join(workspace, name));
}

/** Everything that a folder answers, to the last digit. */
async function answers(engine: SemanticEngine, files: readonly string[], queries: readonly string[]) {
  const plain = ({ path, score, arms, places, copies }: SearchHit): object => ({ path, score, arms, places, copies });
  const found = [];
  for (const query of queries) found.push((await engine.search({ query, limit: 50 })).results.map(plain));
  const similar = [];
  for (const file of files) similar.push((await engine.similar(file, 5)).results);
  const { windows, landmarks, complete, queue } = await engine.stats();
  return { found, similar, counts: { windows, landmarks, complete, queue } };
}

/** Opens a copy of the data with and without its snapshots. */
async function bothWays(context: TestContext, dataDir: string, folder: string, files: string[], queries: string[]) {
  const without = newDataDir(context);
  cpSync(dataDir, without, { recursive: true });
  for (const path of snapshotsIn(without, folder)) rmSync(path);
  const told: Awaited<ReturnType<typeof answers>>[] = [];
  for (const dir of [dataDir, without]) {
    const { open } = await testRuntime(context, { dataDir: dir, snapshots: NEVER });
    const { engine } = await open(folder, { access: 'read' });
    told.push(await answers(engine, files, queries));
    await engine.close();
  }
  return told;
}

test('a folder opened from its snapshot answers as one read from the catalogue, also with changes on top', async t => {
  const random = new RandomFiles(randomNumbers(41));
  const first = new Map(Array.from({ length: 40 }, () => [random.path(), random.text()] as const));
  const folder = makeFileTree(t, Object.fromEntries(first));
  const dataDir = newDataDir(t);
  const queries = Array.from({ length: QUERIES }, () => random.query());
  const files = new Map(first);
  for (let round = 0; round < 4; round++) {
    // The last two rounds change what an older snapshot holds.
    const snapshots = round < 2 ? { changesWorth: 1, mostHeld: round * 1e9 } : NEVER;
    const { open, runtime } = await testRuntime(t, { dataDir, snapshots });
    const opened = await open(folder);
    await opened.sync();
    const [fromSnapshot, fromCatalogue] = await bothWays(t, dataDir, folder, [...files.keys()].slice(0, 5), queries);
    assert.deepEqual(fromSnapshot, fromCatalogue);
    // What rests since the sync answers just so.
    const live = await answers(opened.engine, [...files.keys()].slice(0, 5), queries);
    assert.deepEqual(live, fromCatalogue);
    await opened.engine.close();
    await runtime.close();
    assert.equal(snapshotsIn(dataDir, folder).length, 1);
    for (let change = 0; change < 12; change++) {
      const path = random.below(3) === 0 ? random.path() : random.pick([...files.keys()]);
      const text = random.below(5) === 0 ? undefined : random.edited(files.get(path) ?? random.text());
      if (text === undefined) files.delete(path);
      else files.set(path, text);
      writeFile(folder, path, text);
    }
  }
});

test('a snapshot is written once enough has changed, and opening the folder embeds and reads nothing anew', async t => {
  const folder = makeFileTree(t, { 'a.ts': 'export function retryUpload() {}\n' });
  const { open, dataDir, embedder } = await testRuntime(t, { snapshots: { changesWorth: 10 } });
  const { engine, sync } = await open(folder);
  await sync();
  assert.equal(snapshotsIn(dataDir, folder).length, 0);
  for (const name of ['b.ts', 'c.ts', 'd.ts', 'e.ts'])
    writeFile(folder, name, `export const ${name.charAt(0)}Value = 1;\n`);
  await sync();
  assert.equal(snapshotsIn(dataDir, folder).length, 1);
  const embedded = embedder.windows;
  await engine.close();
  const again = await open(folder);
  assert.deepEqual((await again.findWords('retryUpload')).slice(0, 1), ['a.ts']);
  assert.equal(embedder.windows, embedded);
});

for (const [kind, snapshots] of [
  ['from a snapshot', { changesWorth: 1, mostHeld: 0 }],
  ['from the catalogue', NEVER],
] as const) {
  test(`a reader knows the words of what is stored while it opens the folder, ${kind}`, async t => {
    const folder = makeFileTree(t, { 'a.ts': 'function aardvark() {}\n', 'b.ts': 'function badger() {}\n' });
    const { open, dataDir } = await testRuntime(t, { snapshots });
    const owner = await open(folder);
    await owner.sync();
    const other = await testRuntime(t, { dataDir, snapshots });
    const original = other.runtime.windowStore.bind(other.runtime);
    let isFirst = true;
    // Between the vocabulary and the files.
    other.runtime.windowStore = async access => {
      if (isFirst) {
        isFirst = false;
        writeFile(folder, 'zebra/quagga.ts', 'function caracal() {}\n');
        await owner.sync();
      }
      return original(access);
    };
    const reader = await other.open(folder, { access: 'read' });
    assert.deepEqual(await reader.findWords('quagga'), ['zebra/quagga.ts']);
    assert.deepEqual(await reader.findWords('caracal'), ['zebra/quagga.ts']);
    writeFile(folder, 'zebra/quagga.ts', undefined);
    await owner.sync();
    assert.deepEqual(await reader.findWords('quagga zebra'), []);
    assert.deepEqual(await reader.findWords('badger'), ['b.ts']);
  });
}

test('a snapshot whose lists are not those of its files is left, and the catalogue is read', async t => {
  const folder = makeFileTree(t, { 'a.ts': 'function aardvark() {}\n', 'b.ts': 'function badger() {}\n' });
  const { open, dataDir } = await testRuntime(t);
  const first = await open(folder);
  await first.sync();
  await first.engine.close();
  let isSpoilt = true;
  const remove: Postings['delete'] = Reflect.get(Postings.prototype, 'delete');
  t.mock.method(Postings.prototype, 'delete', function (this: Postings, term: number, document: number) {
    if (isSpoilt) {
      isSpoilt = false;
      throw new RangeError('it is not in the list');
    }
    remove.call(this, term, document);
  });
  // It shows while files are taken in.
  writeFile(folder, 'b.ts', 'function caracal() {}\n');
  const second = await (await testRuntime(t, { dataDir, snapshots: NEVER })).open(folder);
  await second.sync();
  assert.ok(!isSpoilt);
  assert.deepEqual(await second.findWords('caracal'), ['b.ts']);
  assert.deepEqual(await second.findWords('badger'), []);
  await second.engine.close();
  // It shows while the folder is opened: the snapshot is older than the catalogue.
  isSpoilt = true;
  const third = await open(folder);
  assert.ok(!isSpoilt);
  assert.deepEqual(await third.findWords('caracal'), ['b.ts']);
  assert.deepEqual(await third.findWords('badger'), []);
});

test('of two that would write a snapshot at once one does, and a snapshot that is discarded meanwhile is gone', async t => {
  const folder = makeFileTree(t, { 'a.ts': 'function aardvark() {}\n' });
  const told: string[] = [];
  const logger = { ...nullLogger, warn: (text: string) => void told.push(text) };
  const { open, dataDir } = await testRuntime(t, { logger });
  const { engine, sync } = await open(folder);
  for (const name of ['b.ts', 'c.ts', 'd.ts']) {
    writeFile(folder, name, `export const ${name.charAt(0)}Value = 1;\n`);
    await Promise.all([sync(), sync(), sync()]);
    assert.equal(snapshotsIn(dataDir, folder).length, 1);
    writeFile(folder, name, `export const ${name.charAt(0)}Value = 2;\n`);
    const synced = sync();
    await Promise.all([synced, engine.clear()]);
    await engine.clear();
    assert.deepEqual(snapshotsIn(dataDir, folder), []);
  }
  assert.deepEqual(told, []);
});

test('damage in a snapshot shows neither in an answer nor after it', async t => {
  const random = new RandomFiles(randomNumbers(7));
  const files = new Map(Array.from({ length: 25 }, () => [random.path(), random.text()] as const));
  const folder = makeFileTree(t, Object.fromEntries(files));
  const { open, dataDir } = await testRuntime(t);
  const first = await open(folder);
  await first.sync();
  const queries = Array.from({ length: 4 }, () => random.query());
  const expected = await answers(first.engine, [...files.keys()].slice(0, 2), queries);
  await first.engine.close();
  const [path = ''] = snapshotsIn(dataDir, folder);
  const { size } = statSync(path);
  let noticed = 0;
  for (let at = 3; at < size; at += Math.ceil(size / 40)) {
    const copy = newDataDir(t);
    cpSync(dataDir, copy, { recursive: true });
    const [damaged = ''] = snapshotsIn(copy, folder);
    const file = openSync(damaged, 'r+');
    writeSync(file, Buffer.from([0xa5, 0x5a, 0xa5]), 0, 3, at);
    closeSync(file);
    const told: string[] = [];
    const logger = { ...nullLogger, warn: (text: string) => void told.push(text) };
    const second = await testRuntime(t, { dataDir: copy, snapshots: NEVER, logger });
    const { engine } = await second.open(folder, { access: at % 2 === 0 ? 'read' : 'write' });
    assert.deepEqual(await answers(engine, [...files.keys()].slice(0, 2), queries), expected, `damaged at ${at}`);
    if (told.some(text => text.includes('snapshot'))) noticed++;
    await engine.close();
    await second.runtime.close();
  }
  assert.ok(noticed > 0);
});

test('where the model cannot run, opening the folder again is no reason for another snapshot', async t => {
  const files = Array.from({ length: 6 }, (_, at) => [`file${at}.ts`, `export const value${at} = ${at};\n`]);
  const folder = makeFileTree(t, Object.fromEntries(files) as Record<string, string>);
  const dataDir = newDataDir(t);
  const written = new Set<string>();
  for (let round = 0; round < 2; round++) {
    const cannotRun = (): Promise<never> => Promise.reject(new LandmarkError('runtime-unavailable', 'Not here.'));
    const { open, runtime } = await testRuntime(t, { dataDir, indexEmbedder: cannotRun, queryEmbedder: cannotRun });
    const { engine, sync, findWords } = await open(folder);
    await sync();
    assert.equal((await findWords('value3'))[0], 'file3.ts');
    await engine.close();
    await runtime.close();
    for (const path of snapshotsIn(dataDir, folder)) written.add(path);
  }
  assert.equal(written.size, 1);
});
