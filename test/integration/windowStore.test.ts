import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import {
  closeSync,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, beforeEach, test } from 'node:test';
import type { WindowRecord } from '../../src/engine/store/records';
import { WindowStore } from '../../src/engine/store/windowStore';
import { nullLogger } from '../../src/util/logger';
import { asOtherVersionWrote, recordsIn } from '../support/otherVersion';

const MODEL = 'aa'.repeat(32);
const OTHER_MODEL = 'bb'.repeat(32);
const TOMORROW = Date.now() + 24 * 3600_000;

const roots: string[] = [];
let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'windows-'));
  roots.push(dir);
});
after(() => Promise.all(roots.map(root => rm(root, { recursive: true, force: true }))));

function key(name: string | number): Uint8Array {
  return createHash('sha256').update(String(name)).digest();
}

function window(seed: number): WindowRecord {
  return {
    landmarks: Uint8Array.from({ length: 256 }, (_, at) => (at * at * (seed + 1)) % 127),
    scales: Float32Array.of(0.5, 0.25),
  };
}

function open(access: 'read' | 'write', fingerprint = MODEL): Promise<WindowStore> {
  return WindowStore.open(dir, { access, fingerprint, logger: nullLogger });
}

test('windows are found again by their key, and only by the model that made them', async () => {
  const store = await open('write');
  await store.putMany([
    [key('a'), window(1)],
    [key('b'), window(2)],
  ]);
  await store.close();
  const again = await open('read');
  assert.equal(again.has(key('a')), true);
  assert.equal(again.has(key('c')), false);
  assert.deepEqual(again.getMany([key('b'), key('c'), key('a')]), [window(2), undefined, window(1)]);
  assert.equal(again.count(), 2);
  await again.close();
  const other = await open('read', OTHER_MODEL);
  assert.equal(other.get(key('a')), undefined);
  await other.close();
});

test('a window written again replaces the older one and takes no more room', async () => {
  const store = await open('write');
  for (let round = 0; round < 5; round++) await store.putMany([[key('a'), window(round)]]);
  assert.deepEqual(store.get(key('a')), window(4));
  assert.equal(store.count(), 1);
  await store.close();
});

test('where nothing was ever stored, reading finds nothing and creates nothing', async () => {
  dir = join(dir, 'absent');
  const store = await open('read');
  assert.equal(store.has(key('a')), false);
  assert.equal(store.get(key('a')), undefined);
  assert.equal(await store.sizeOnDisk(), 0);
  await store.close();
  assert.equal(existsSync(dir), false);
});

test('a damaged window is absent until it is written again, and said once', async () => {
  const warnings: string[] = [];
  const logger = { ...nullLogger, warn: (message: string) => warnings.push(message) };
  const first = await open('write');
  await first.putMany([
    [key('a'), window(3)],
    [key('b'), window(4)],
  ]);
  await first.close();
  const path = join(dir, 'data.mdb');
  const bytes = readFileSync(path);
  const at = bytes.indexOf(Buffer.from(window(3).landmarks.slice(0, 100)));
  assert.ok(at > 0);
  bytes[at + 5]! ^= 4;
  writeFileSync(path, bytes);

  const store = await WindowStore.open(dir, { access: 'write', fingerprint: MODEL, logger });
  assert.equal(store.has(key('a')), true);
  assert.equal(store.get(key('a')), undefined);
  assert.equal(store.has(key('a')), false);
  assert.equal(store.get(key('a')), undefined);
  assert.equal(warnings.length, 1);
  assert.deepEqual(store.get(key('b')), window(4));
  await store.putMany([[key('a'), window(3)]]);
  assert.equal(store.has(key('a')), true);
  assert.deepEqual(store.get(key('a')), window(3));
  await store.close();
});

for (const [name, version] of Object.entries({ older: 1, newer: 99 })) {
  test(`windows as ${name} versions wrote them are absent without a word, and are replaced where they lie`, async () => {
    const warnings: string[] = [];
    const logger = { ...nullLogger, warn: (message: string) => warnings.push(message) };
    const names = ['a', 'b', 'c'];
    const first = await open('write');
    await first.putMany(names.map((text, at) => [key(text), window(at)]));
    await first.close();
    await asOtherVersionWrote(dir, version, found => !Buffer.from(key('c')).equals(found));

    const store = await WindowStore.open(dir, { access: 'write', fingerprint: MODEL, logger });
    const reader = await WindowStore.open(dir, { access: 'read', fingerprint: MODEL, logger });
    for (const one of [store, reader]) {
      assert.deepEqual(one.getMany(names.map(key)), [undefined, undefined, window(2)]);
      assert.deepEqual(
        names.map(text => one.has(key(text))),
        [false, false, true],
      );
    }
    await store.putMany([
      [key('a'), window(7)],
      [key('b'), window(8)],
    ]);
    // What a process reads is of one moment until the timers' next turn.
    await new Promise(resolve => setTimeout(resolve));
    for (const one of [store, reader]) {
      assert.ok(names.every(text => one.has(key(text))));
      assert.deepEqual(one.getMany(names.map(key)), [window(7), window(8), window(2)]);
    }
    assert.deepEqual(warnings, []);
    await reader.close();
    await store.close();
    assert.equal(await recordsIn(dir), names.length);
  });
}

test('a file that proves damaged while it is open counts as empty, and is replaced with the next write', async () => {
  const store = await open('write');
  const names = Array.from({ length: 300 }, (_, at) => at);
  await store.putMany(names.map(name => [key(name), window(name)]));
  const path = join(dir, 'data.mdb');
  const file = openSync(path, 'r+');
  // Every page but the meta pages gets the mark of a page that holds a large value.
  for (let page = 2; page < statSync(path).size / 8192; page++) writeSync(file, Buffer.of(4), 0, 1, page * 8192 + 18);
  closeSync(file);
  await new Promise(setImmediate);
  assert.equal(store.get(key(5)), undefined);
  assert.equal(store.has(key(6)), false);
  assert.equal(store.count(), 0);
  await store.putMany([[key(7), window(7)]]);
  assert.deepEqual(store.get(key(7)), window(7));
  assert.equal(store.count(), 1);
  assert.ok(existsSync(`${path}.bad`));
  await store.close();
});

test('a sweep removes what nobody refers to and what is old enough, of every model', async () => {
  const store = await open('write');
  const other = await open('write', OTHER_MODEL);
  const names = Array.from({ length: 2500 }, (_, at) => at);
  await store.putMany(names.map(name => [key(name), window(name)]));
  await other.putMany([[key('theirs'), window(1)]]);
  const live = new Set(names.filter(name => name % 3 === 0).map(name => Buffer.from(key(name)).toString('hex')));
  const isLive = (windowKey: Uint8Array) => live.has(Buffer.from(windowKey).toString('hex'));

  assert.equal(await store.sweep(isLive, Date.now() - 24 * 3600_000), 0);
  const models = new Set<string>();
  const removed = await store.sweep((windowKey, model) => {
    models.add(Buffer.from(model).toString('hex'));
    return isLive(windowKey);
  }, TOMORROW);
  assert.equal(removed, 2500 - live.size + 1);
  assert.deepEqual([...models].sort(), [MODEL.slice(0, 32), OTHER_MODEL.slice(0, 32)]);
  for (const name of names) assert.deepEqual(store.get(key(name)), name % 3 === 0 ? window(name) : undefined);
  assert.equal(other.has(key('theirs')), false);
  await store.putMany([[key('new'), window(9)]]);
  assert.deepEqual(store.get(key('new')), window(9));
  await other.close();
  await store.close();
});

test('compacting gives room back and keeps every window, but waits until nobody else uses the store', async () => {
  const store = await open('write');
  const names = Array.from({ length: 2000 }, (_, at) => at);
  await store.putMany(names.map(name => [key(name), window(name)]));
  const keep = new Set(names.slice(0, 100).map(name => Buffer.from(key(name)).toString('hex')));
  await store.sweep(windowKey => keep.has(Buffer.from(windowKey).toString('hex')), TOMORROW);
  const before = await store.sizeOnDisk();

  const other = await open('read');
  assert.equal(await store.compact(), false);
  assert.equal(await store.sizeOnDisk(), before);
  assert.deepEqual(store.get(key(5)), window(5));
  await other.close();

  assert.equal(await store.compact(), true);
  assert.ok((await store.sizeOnDisk()) < before / 4);
  for (const name of names) assert.deepEqual(store.get(key(name)), name < 100 ? window(name) : undefined);
  await store.putMany([[key('new'), window(7)]]);
  await store.close();
  const again = await open('write');
  assert.deepEqual(again.get(key('new')), window(7));
  assert.deepEqual(again.get(key(99)), window(99));
  await again.close();
});

test('a file that is mostly unused is made smaller when it is opened to write, but not while another process uses it', async () => {
  const MB = 1024 * 1024;
  const messages: string[] = [];
  const logger = { ...nullLogger, info: (message: string) => messages.push(message) };
  const openWith = (spareBytes: number): Promise<WindowStore> =>
    WindowStore.open(dir, { access: 'write', fingerprint: MODEL, logger, spareBytes });
  const store = await openWith(MB);
  const names = Array.from({ length: 3000 }, (_, at) => at);
  await store.putMany(names.map(name => [key(name), window(name)]));
  assert.ok((await store.unusedBytes()) < MB / 2);
  const keep = new Set(names.slice(0, 1000).map(name => Buffer.from(key(name)).toString('hex')));
  await store.sweep(windowKey => keep.has(Buffer.from(windowKey).toString('hex')), TOMORROW);
  const before = await store.sizeOnDisk();
  assert.ok((await store.unusedBytes()) > before / 2);

  const whileUsed = await openWith(MB);
  assert.equal(await whileUsed.sizeOnDisk(), before);
  await whileUsed.close();
  await store.close();
  const patient = await openWith(before);
  assert.equal(await patient.sizeOnDisk(), before, 'what may stay unused stays');
  await patient.close();
  assert.deepEqual(messages, []);

  const smaller = await openWith(MB);
  assert.ok((await smaller.sizeOnDisk()) < before / 2);
  assert.match(messages.join(), /^\d+ MB of unused room in .+ were given back to the disk\.$/);
  assert.ok((await smaller.unusedBytes()) < MB / 2);
  for (const name of names) assert.deepEqual(smaller.get(key(name)), name < 1000 ? window(name) : undefined);
  await smaller.putMany([[key('new'), window(7)]]);
  await smaller.close();
  assert.deepEqual(readdirSync(dir).sort(), ['data.mdb', 'lock.mdb']);
});
