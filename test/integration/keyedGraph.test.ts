import assert from 'node:assert/strict';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, beforeEach, test } from 'node:test';
import type { RecordTable } from '../../src/engine/store/catalog';
import { Catalog } from '../../src/engine/store/catalog';
import { ExactIndex } from '../../src/engine/vectors/exactIndex';
import { KeyedGraph, type KeyedGraphOptions, type VectorOf } from '../../src/engine/vectors/keyedGraph';
import { isCancelled, LandmarkError } from '../../src/util/errors';
import { nullLogger } from '../../src/util/logger';
import { sha256 } from '../support/exactSearch';
import { MemoryRecords } from '../support/memoryRecords';
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

function load(records: RecordTable, more: Partial<KeyedGraphOptions> = {}, folder = dir): Promise<KeyedGraph> {
  const logger = { ...nullLogger, warn: (message: string) => warnings.push(message) };
  return KeyedGraph.load(folder, 'windows', records, { dimensions: DIMENSIONS, fingerprint: MODEL, logger, ...more });
}

/** Vectors by their keys in hex. */
function vectors(count: number, seed = 1): Map<string, Float32Array> {
  const vector = clusteredVectors(DIMENSIONS, 10, randomNumbers(seed));
  const all = new Map<string, Float32Array>();
  for (let at = 0; at < count; at++) all.set(sha256(`key ${at}`), vector());
  return all;
}

function bytes(keys: Iterable<string>): Uint8Array[] {
  return Array.from(keys, key => Buffer.from(key, 'hex'));
}

function hex(key: Uint8Array): string {
  return Buffer.from(key).toString('hex');
}

function among(all: ReadonlyMap<string, Float32Array>): VectorOf {
  return key => all.get(hex(key));
}

/** The graph holds exactly these vectors and finds each by itself. */
function assertHolds(graph: KeyedGraph, all: ReadonlyMap<string, Float32Array>): void {
  assert.equal(graph.size, all.size);
  for (const [key, vector] of all) {
    const [found] = graph.search(vector, 1);
    assert.ok(found);
    assert.equal(hex(found.key), key);
    assert.ok(Math.abs(found.similarity - 1) < 1e-5);
  }
}

test('a graph follows the wanted keys and says what it did', async () => {
  const all = vectors(400);
  const graph = await load(new MemoryRecords());
  const keys = [...all.keys()];
  const withoutVector = sha256('no vector');
  assert.deepEqual(await graph.sync(bytes([...keys.slice(0, 300), withoutVector]), among(all)), {
    added: 300,
    removed: 0,
    missing: 1,
  });
  assert.equal(graph.has(Buffer.from(withoutVector, 'hex')), false);
  assert.deepEqual(await graph.sync(bytes(keys.slice(200)), among(all)), { added: 100, removed: 200, missing: 0 });
  assertHolds(graph, new Map([...all].slice(200)));
  assert.deepEqual(
    await graph.update(bytes([keys[0]!, keys[399]!]), bytes([keys[200]!, sha256('absent')]), among(all)),
    {
      added: 1,
      removed: 1,
      missing: 0,
    },
  );
  assert.equal(graph.size, 200);
  await graph.close();
});

test('a saved graph is loaded again without a single vector being asked for', async () => {
  const all = vectors(500);
  const catalog = await Catalog.open(join(dir, 'catalog'), { access: 'write', fingerprint: MODEL, logger: nullLogger });
  const graph = await load(catalog.graphs);
  await graph.sync(bytes(all.keys()), among(all));
  assert.equal(graph.unsaved, true);
  await graph.save(dir);
  assert.equal(graph.unsaved, false);
  await graph.close();

  const again = await load(catalog.graphs);
  const nothing = await again.sync(bytes(all.keys()), () => assert.fail('a vector was asked for'));
  assert.deepEqual(nothing, { added: 0, removed: 0, missing: 0 });
  assertHolds(again, all);
  const extra = vectors(600);
  await again.sync(bytes(extra.keys()), among(extra));
  assertHolds(again, extra);
  await again.save(dir);
  assert.equal(readdirSync(dir).filter(name => name.includes('windows')).length, 1);
  await again.close();
  assertHolds(await load(catalog.graphs), extra);
  await catalog.close();
  assert.deepEqual(warnings, []);
});

test('a graph whose keys came and went is loaded as it was saved', async () => {
  const all = vectors(400);
  const keys = [...all.keys()];
  const records = new MemoryRecords();
  const graph = await load(records);
  await graph.update(bytes(keys.slice(0, 300)), [], among(all));
  // Fewer than make it build itself anew.
  await graph.update([], bytes(keys.slice(100, 150)), among(all));
  await graph.update(bytes(keys.slice(300, 330)), bytes(keys.slice(0, 5)), among(all));
  await graph.save(dir);
  const wanted = new Map([...all].filter((_, at) => (at >= 5 && at < 100) || (at >= 150 && at < 330)));
  assertHolds(graph, wanted);
  assertHolds(await load(records), wanted);
  assert.deepEqual(warnings, []);
});

test('vectors that are equal, under many keys, are all kept and all removed', async () => {
  const [copy, other] = [...vectors(2).values()] as [Float32Array, Float32Array];
  const otherKey = sha256('other');
  const vectorOf: VectorOf = key => (hex(key) === otherKey ? other : copy);
  const copies = Array.from({ length: 500 }, (_, at) => sha256(`copy ${at}`));
  const records = new MemoryRecords();
  const graph = await load(records);
  await graph.sync(bytes([...copies, otherKey]), vectorOf);
  await graph.save(dir);
  const again = await load(records);
  assert.equal(again.search(copy, 1000).length, 501);
  await again.sync(bytes([otherKey]), vectorOf);
  assert.deepEqual(
    again.search(copy, 1000).map(found => hex(found.key)),
    [otherKey],
  );
});

test('after most vectors are gone the graph is built anew, and searches go on meanwhile', async () => {
  const all = vectors(2000);
  const graph = await load(new MemoryRecords());
  await graph.sync(bytes(all.keys()), among(all));
  const left = new Map([...all].slice(0, 600));
  const [probe] = left.entries();
  const done = graph.sync(bytes(left.keys()), among(all));
  let searches = 0;
  const finished = new AbortController();
  void done.then(() => finished.abort());
  while (!finished.signal.aborted) {
    assert.deepEqual(graph.search(probe![1], 1)[0]?.key, new Uint8Array(Buffer.from(probe![0], 'hex')));
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
    bytes(all.keys()),
    key => {
      if (++asked === 200) abort.abort();
      return all.get(hex(key));
    },
    abort.signal,
  );
  await assert.rejects(stopped, isCancelled);
  assert.ok(graph.size >= 200 && graph.size < 3000);
  const { added } = await graph.sync(bytes(all.keys()), among(all));
  assert.equal(added + asked, 3000);
  assertHolds(graph, all);
});

test('whatever does not agree with its description is not loaded but built again', async () => {
  const all = vectors(300);
  const records = new MemoryRecords();
  const graph = await load(records);
  await graph.sync(bytes(all.keys()), among(all));
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
    assert.equal((await damaged.sync(bytes(all.keys()), among(all))).added, 300);
    assertHolds(damaged, all);
    await damaged.close();
    records.values.set('windows', record);
  }
});

test('the graph of another model or another number of dimensions is not used', async () => {
  const all = vectors(50);
  const records = new MemoryRecords();
  const graph = await load(records);
  await graph.sync(bytes(all.keys()), among(all));
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
  await graph.sync(bytes(all.keys()), among(all));
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
  await graph.sync(bytes(all.keys()), among(all));
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
    graph.update(bytes(keys.slice(0, 300)), [], among(all)),
    graph.save(dir),
    graph.update(bytes(keys.slice(300)), bytes(keys.slice(0, 10)), among(all)),
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
  await graph.sync(bytes(keys), among(all));
  let found = 0;
  for (const query of vectors(50, 2).values()) {
    const wanted = new Set(exact.search(query, 20).map(hit => keys[hit.label]));
    found += graph.search(query, 20).filter(hit => wanted.has(hex(hit.key))).length;
  }
  assert.ok(found / 1000 >= 0.99, `recall ${found / 1000}`);
});
