import assert from 'node:assert/strict';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, beforeEach, test } from 'node:test';
import type { RecordTable } from '../../src/engine/store/catalog';
import { Catalog } from '../../src/engine/store/catalog';
import { ExactIndex } from '../../src/engine/vectors/exactIndex';
import { KeyedGraph, type KeyedGraphOptions } from '../../src/engine/vectors/keyedGraph';
import { isCancelled, LandmarkError } from '../../src/util/errors';
import { nullLogger } from '../../src/util/logger';
import { clusteredVectors, randomNumbers } from '../support/vectors';

const DIMENSIONS = 24;
const MODEL = 'aa'.repeat(32);

const roots: string[] = [];
let dir: string;
let warnings: string[];
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'graph-'));
  roots.push(dir);
  warnings = [];
});
after(() => Promise.all(roots.map(root => rm(root, { recursive: true, force: true }))));

class MemoryRecords implements RecordTable {
  readonly values = new Map<string, Uint8Array>();
  get(name: string): Uint8Array | undefined {
    return this.values.get(name);
  }
  async put(name: string, value: Uint8Array): Promise<void> {
    this.values.set(name, Uint8Array.from(value));
  }
}

function load(records: RecordTable, more: Partial<KeyedGraphOptions> = {}, folder = dir): Promise<KeyedGraph> {
  const logger = { ...nullLogger, warn: (message: string) => warnings.push(message) };
  return KeyedGraph.load(folder, 'windows', records, { dimensions: DIMENSIONS, fingerprint: MODEL, logger, ...more });
}

/** Keys (hex like the keys of windows, and one that is not) with their vectors. */
function vectors(count: number, seed = 1): Map<string, Float32Array> {
  const vector = clusteredVectors(DIMENSIONS, 10, randomNumbers(seed));
  const all = new Map<string, Float32Array>();
  for (let at = 0; at < count; at++) all.set(at === 3 ? 'kéy' : at.toString(16).padStart(64, '0'), vector());
  return all;
}

/** The graph holds exactly these vectors and finds each by itself. */
function assertHolds(graph: KeyedGraph, all: ReadonlyMap<string, Float32Array>): void {
  assert.equal(graph.size, all.size);
  for (const [key, vector] of all) {
    const [found] = graph.search(vector, 1);
    assert.equal(found?.key, key);
    assert.ok(Math.abs(found.similarity - 1) < 1e-5);
  }
}

test('a graph follows the wanted keys and says what it did', async () => {
  const all = vectors(400);
  const graph = await load(new MemoryRecords());
  const keys = [...all.keys()];
  const withoutVector = 'no vector';
  assert.deepEqual(await graph.sync([...keys.slice(0, 300), withoutVector], key => all.get(key)), {
    added: 300,
    removed: 0,
    missing: 1,
  });
  assert.equal(graph.has(withoutVector), false);
  assert.deepEqual(await graph.sync(keys.slice(200), key => all.get(key)), { added: 100, removed: 200, missing: 0 });
  assertHolds(graph, new Map([...all].slice(200)));
  assert.deepEqual(await graph.update([keys[0]!, keys[399]!], [keys[200]!, 'absent'], key => all.get(key)), {
    added: 1,
    removed: 1,
    missing: 0,
  });
  assert.equal(graph.size, 200);
  await graph.close();
});

test('a saved graph is loaded again without a single vector being asked for', async () => {
  const all = vectors(500);
  const catalog = await Catalog.open(join(dir, 'catalog'), { access: 'write', fingerprint: MODEL, logger: nullLogger });
  const graph = await load(catalog.graphs);
  await graph.sync(all.keys(), key => all.get(key));
  assert.equal(graph.unsaved, true);
  await graph.save(dir);
  assert.equal(graph.unsaved, false);
  await graph.close();

  const again = await load(catalog.graphs);
  const nothing = await again.sync(all.keys(), () => assert.fail('a vector was asked for'));
  assert.deepEqual(nothing, { added: 0, removed: 0, missing: 0 });
  assertHolds(again, all);
  const extra = vectors(600);
  await again.sync(extra.keys(), key => extra.get(key));
  assertHolds(again, extra);
  await again.save(dir);
  assert.equal(readdirSync(dir).filter(name => name.includes('windows')).length, 1);
  await again.close();
  assertHolds(await load(catalog.graphs), extra);
  await catalog.close();
  assert.deepEqual(warnings, []);
});

test('vectors that are equal, under many keys, are all kept and all removed', async () => {
  const [copy, other] = [...vectors(2).values()] as [Float32Array, Float32Array];
  const vectorOf = (key: string) => (key === 'other' ? other : copy);
  const copies = Array.from({ length: 500 }, (_, at) => `copy${at}`);
  const records = new MemoryRecords();
  const graph = await load(records);
  await graph.sync([...copies, 'other'], vectorOf);
  await graph.save(dir);
  const again = await load(records);
  assert.equal(again.search(copy, 1000).length, 501);
  await again.sync(['other'], vectorOf);
  assert.deepEqual(
    again.search(copy, 1000).map(found => found.key),
    ['other'],
  );
});

test('after most vectors are gone the graph is built anew, and searches go on meanwhile', async () => {
  const all = vectors(2000);
  const graph = await load(new MemoryRecords());
  await graph.sync(all.keys(), key => all.get(key));
  const left = new Map([...all].slice(0, 600));
  const [probe] = left.entries();
  const done = graph.sync(left.keys(), key => all.get(key));
  let searches = 0;
  const finished = new AbortController();
  void done.then(() => finished.abort());
  while (!finished.signal.aborted) {
    assert.equal(graph.search(probe![1], 1)[0]?.key, probe![0]);
    searches++;
    await new Promise(setImmediate);
  }
  assert.ok(searches > 1);
  assertHolds(graph, left);
});

test('an aborted sync keeps what it has done and can go on', async () => {
  const all = vectors(3000);
  const graph = await load(new MemoryRecords());
  const abort = new AbortController();
  let asked = 0;
  const stopped = graph.sync(
    all.keys(),
    key => {
      if (++asked === 200) abort.abort();
      return all.get(key);
    },
    abort.signal,
  );
  await assert.rejects(stopped, isCancelled);
  assert.ok(graph.size >= 200 && graph.size < 3000);
  const { added } = await graph.sync(all.keys(), key => all.get(key));
  assert.equal(added + asked, 3000);
  assertHolds(graph, all);
});

test('whatever does not agree with its description is not loaded but built again', async () => {
  const all = vectors(300);
  const records = new MemoryRecords();
  const graph = await load(records);
  await graph.sync(all.keys(), key => all.get(key));
  await graph.save(dir);
  const name = readdirSync(dir).find(file => file.endsWith('.graph'))!;
  const path = join(dir, name);
  const good = readFileSync(path);
  const flipped = Uint8Array.from(good);
  flipped[good.length >> 1]! ^= 1;
  const record = records.values.get('windows')!;
  const flippedRecord = Uint8Array.from(record);
  flippedRecord[record.length >> 1]! ^= 1;

  const damages: [string, () => void][] = [
    ['empty', () => writeFileSync(path, '')],
    ['cut', () => writeFileSync(path, good.subarray(0, good.length - 1))],
    ['longer', () => writeFileSync(path, Buffer.concat([good, Buffer.of(0)]))],
    ['one bit', () => writeFileSync(path, flipped)],
    ['gone', () => rmSync(path)],
    ['description', () => records.values.set('windows', flippedRecord)],
  ];
  for (const [what, damage] of damages) {
    writeFileSync(path, good);
    damage();
    warnings = [];
    const damaged = await load(records);
    assert.equal(damaged.size, 0, what);
    assert.equal(warnings.length, 1, what);
    assert.equal((await damaged.sync(all.keys(), key => all.get(key))).added, 300);
    assertHolds(damaged, all);
    await damaged.close();
    records.values.set('windows', record);
  }
});

test('the graph of another model or another number of dimensions is not used', async () => {
  const all = vectors(50);
  const records = new MemoryRecords();
  const graph = await load(records);
  await graph.sync(all.keys(), key => all.get(key));
  await graph.save(dir);
  assert.equal((await load(records, { fingerprint: 'bb'.repeat(32) })).size, 0);
  assert.equal((await load(records, { dimensions: 12 })).size, 0);
  assert.equal((await load(records)).size, 50);
  assert.deepEqual(warnings, []);
});

test('a folder with letters beyond ASCII works, through a temporary file', async () => {
  const folder = join(dir, 'ünï ✓ 中文');
  const all = vectors(200);
  const records = new MemoryRecords();
  const graph = await load(records, {}, folder);
  await graph.sync(all.keys(), key => all.get(key));
  await graph.save(folder);
  const again = await load(records, {}, folder);
  assertHolds(again, all);
  assert.equal(readdirSync(folder).length, 1);
  assert.deepEqual(warnings, []);
});

test('without the native library every vector is compared, and that is said', async () => {
  const all = vectors(100);
  const loadLibrary = () => Promise.reject(new LandmarkError('runtime-unavailable', 'No library here.'));
  const graph = await load(new MemoryRecords(), { loadLibrary });
  assert.equal(graph.approximate, false);
  assert.match(warnings.join(), /No library here\. Searches compare all vectors instead\./);
  await graph.sync(all.keys(), key => all.get(key));
  assertHolds(graph, all);
  await graph.save(dir);
  assert.deepEqual(readdirSync(dir), []);
});

test('saving while changes are asked for writes one consistent graph', async () => {
  const all = vectors(600);
  const keys = [...all.keys()];
  const records = new MemoryRecords();
  const graph = await load(records);
  const work = [
    graph.update(keys.slice(0, 300), [], key => all.get(key)),
    graph.save(dir),
    graph.update(keys.slice(300), keys.slice(0, 10), key => all.get(key)),
  ];
  await Promise.all(work);
  const saved = await load(records);
  assertHolds(saved, new Map([...all].slice(0, 300)));
  assertHolds(graph, new Map([...all].slice(10)));
});

test('the nearest keys agree with the exact scan', async () => {
  const all = vectors(1500);
  const exact = new ExactIndex(DIMENSIONS);
  const keys = [...all.keys()];
  keys.forEach((key, label) => exact.add(label, all.get(key)!));
  const graph = await load(new MemoryRecords());
  await graph.sync(keys, key => all.get(key));
  let found = 0;
  for (const query of vectors(50, 2).values()) {
    const wanted = new Set(exact.search(query, 20).map(hit => keys[hit.label]));
    found += graph.search(query, 20).filter(hit => wanted.has(hit.key)).length;
  }
  assert.ok(found / 1000 >= 0.99, `recall ${found / 1000}`);
});
