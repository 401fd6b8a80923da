import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, readdirSync, statSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, beforeEach, test } from 'node:test';
import { Catalog, type CatalogChange } from '../../src/engine/store/catalog';
import type { StoreAccess } from '../../src/engine/store/indexStore';
import type { ContentRow, FileRow } from '../../src/engine/store/records';
import { type ErrorReason, LandmarkError } from '../../src/util/errors';
import { nullLogger } from '../../src/util/logger';
import { childRole, endOf, messageFrom, startRole } from '../support/childRole';

const MODEL = 'aa'.repeat(32);
const OTHER_MODEL = 'bb'.repeat(32);

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function file(text: string): FileRow {
  return { hash: hashOf(text), size: text.length, stamp: 1700000000000.5, state: 'indexed', reason: '' };
}

function content(terms: readonly number[]): ContentRow {
  return {
    lineCount: 2,
    tokens: 70,
    windowKeys: new Uint8Array(64).fill(9),
    landmarkCounts: Uint8Array.of(1, 2),
    spans: Uint32Array.of(1, 1, 1, 2, 2, 2),
    terms: Uint32Array.from(terms),
    lineEnds: Uint32Array.of(1, terms.length),
    definitions: [{ name: 'Store', line: 1, kind: 'type' }],
  };
}

function open(dir: string, access: StoreAccess, fingerprint: string | undefined = MODEL): Promise<Catalog> {
  return Catalog.open(dir, { access, fingerprint, logger: nullLogger });
}

function because(reason: ErrorReason): (error: unknown) => boolean {
  return error => error instanceof LandmarkError && error.reason === reason;
}

/** Files and contents by turns, a transaction each, as a first run does. */
async function writeByTurns(catalog: Catalog, from: number, to: number): Promise<void> {
  for (let at = from; at < to; at++) {
    const terms = Array.from({ length: 300 }, (_, term) => (term * 7919 + at * 104729) % 500_000);
    await catalog.write([
      { kind: 'putContent', hash: hashOf(`${at}`), row: content(terms) },
      { kind: 'putFile', path: `src/file${at}.ts`, row: file(`${at}`) },
    ]);
  }
}

/** Writes some files, says so, and waits to be killed. */
async function writeAndWait(dir: string, count: number): Promise<void> {
  const catalog = await open(dir, 'write');
  const changes: CatalogChange[] = [];
  for (let at = 0; at < count; at++) {
    const terms = Array.from({ length: 2000 }, (_, term) => (term * 7919 + at * 104729) % 500_000);
    changes.push({ kind: 'putContent', hash: hashOf(`${at}`), row: content(terms) });
    changes.push({ kind: 'putFile', path: `src/file${at}.ts`, row: file(`${at}`) });
  }
  await catalog.write(changes);
  process.send?.('written');
  setInterval(() => {}, 1000);
}

const role = childRole();
if (role) void writeAndWait(role[0]!, Number(role[1]));
else defineTests();

function defineTests(): void {
  const roots: string[] = [];
  let dir: string;
  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'catalog-'));
    roots.push(dir);
  });
  after(() => Promise.all(roots.map(root => rm(root, { recursive: true, force: true }))));
  const state = () => statSync(join(dir, 'data.mdb'));
  const openToGather = () =>
    Catalog.open(dir, { access: 'write', fingerprint: MODEL, logger: nullLogger, gatherBytes: 64 * 1024 });

  test('a catalogue that grew is copied as it is opened again, its tables together; one that did not stays', async () => {
    const catalog = await openToGather();
    await writeByTurns(catalog, 0, 150);
    await catalog.close();
    const before = state();

    const again = await openToGather();
    const copied = state();
    assert.notEqual(copied.ino, before.ino);
    assert.ok(copied.size < before.size, `${copied.size} of ${before.size} bytes`);
    assert.equal(existsSync(join(dir, 'compact')), false);
    assert.equal([...again.files()].length, 150);
    for (let at = 0; at < 150; at++) assert.equal(again.getContent(hashOf(`${at}`))?.tokens, 70);
    await writeByTurns(again, 150, 155);
    await again.close();

    const last = await openToGather();
    assert.equal(state().ino, copied.ino);
    assert.equal([...last.files()].length, 155);
    await writeByTurns(last, 155, 400);
    await last.close();
    const grown = await openToGather();
    assert.notEqual(state().ino, copied.ino);
    assert.equal([...grown.files()].length, 400);
    await grown.close();
  });

  test('a catalogue that another reads from stays as it is, and is copied when it is opened the next time', async () => {
    const catalog = await openToGather();
    const reader = await open(dir, 'read');
    await writeByTurns(catalog, 0, 150);
    await catalog.close();
    const { ino } = state();
    const again = await openToGather();
    assert.equal(state().ino, ino);
    assert.equal(reader.refresh(), true);
    assert.equal([...reader.files()].length, 150);
    await reader.close();
    await again.close();
    await (await openToGather()).close();
    assert.notEqual(state().ino, ino);
  });

  test('what was written is there after closing and opening again', async () => {
    const catalog = await open(dir, 'write');
    const row = content([catalog.vocabulary.add('open'), catalog.vocabulary.add('store')]);
    await catalog.write([
      { kind: 'putFile', path: 'src/a.ts', row: file('a') },
      { kind: 'putFile', path: 'src/ünï ✓.ts', row: file('b') },
      { kind: 'putContent', hash: hashOf('a'), row },
      { kind: 'putMeta', key: 'head', value: { commit: 'abc', clean: true } },
    ]);
    await catalog.close();

    const again = await open(dir, 'read');
    assert.deepEqual(again.getFile('src/a.ts'), file('a'));
    assert.equal(again.getFile('src/b.ts'), undefined);
    assert.deepEqual(again.getContent(hashOf('a')), row);
    assert.equal(again.hasContent(hashOf('a')), true);
    assert.equal(again.hasContent(hashOf('b')), false);
    assert.deepEqual(again.getMeta('head'), { commit: 'abc', clean: true });
    assert.equal(again.getMeta('absent'), undefined);
    assert.deepEqual(
      [...again.files()],
      [
        ['src/a.ts', file('a')],
        ['src/ünï ✓.ts', file('b')],
      ],
    );
    assert.equal(again.vocabulary.termOf(1), 'store');
    assert.deepEqual([...again.contents()], [[hashOf('a'), row]]);
    assert.ok((await again.sizeOnDisk()) > 0);
    await again.close();
  });

  test('each write raises the generation by one, and deletes what it should', async () => {
    const catalog = await open(dir, 'write');
    const before = catalog.generation();
    await catalog.write([
      { kind: 'putFile', path: 'a', row: file('a') },
      { kind: 'putContent', hash: hashOf('a'), row: content([]) },
    ]);
    await catalog.write([
      { kind: 'deleteFile', path: 'a' },
      { kind: 'deleteContent', hash: hashOf('a') },
      { kind: 'deleteFile', path: 'never there' },
    ]);
    assert.equal(catalog.generation(), before + 2);
    assert.deepEqual([...catalog.files()], []);
    assert.equal(catalog.hasContent(hashOf('a')), false);
    await catalog.close();
  });

  test('a write is done as a whole or not at all', async () => {
    const catalog = await open(dir, 'write');
    const generation = catalog.generation();
    const changes: CatalogChange[] = [
      { kind: 'putFile', path: 'a', row: file('a') },
      { kind: 'putContent', hash: 'no hash', row: content([]) },
    ];
    await assert.rejects(catalog.write(changes), because('invalid-argument'));
    assert.equal(catalog.getFile('a'), undefined);
    assert.equal(catalog.generation(), generation);
    await catalog.write([{ kind: 'putFile', path: 'b', row: file('b') }]);
    assert.deepEqual([...catalog.files()], [['b', file('b')]]);
    await catalog.close();
  });

  test('paths beyond the length of a key are kept, listed and deleted like others', async () => {
    const catalog = await open(dir, 'write');
    const long = ['x', 'y'].map(end => `${'deep/'.repeat(600)}${end}.ts`);
    await catalog.write(long.map(path => ({ kind: 'putFile', path, row: file(path) })));
    assert.deepEqual(new Map(catalog.files()), new Map(long.map(path => [path, file(path)])));
    assert.deepEqual(catalog.getFile(long[1]!), file(long[1]!));
    await catalog.write([{ kind: 'deleteFile', path: long[0]! }]);
    assert.deepEqual([...catalog.files()], [[long[1], file(long[1]!)]]);
    await catalog.close();
  });

  test('more files than one portion of reading are all listed, also when rows are written meanwhile', async () => {
    const catalog = await open(dir, 'write');
    const paths = Array.from({ length: 700 }, (_, at) => `f${String(at).padStart(4, '0')}`);
    await catalog.write(paths.map(path => ({ kind: 'putFile', path, row: file(path) })));
    const listed: string[] = [];
    for (const [path] of catalog.files()) {
      listed.push(path);
      if (listed.length % 100 === 0) await catalog.write([{ kind: 'deleteFile', path }]);
    }
    assert.deepEqual(listed, paths);
    await catalog.close();
  });

  test('terms keep their numbers over many blocks and openings', async () => {
    const terms = Array.from({ length: 5000 }, (_, at) => `term${at}`);
    for (const end of [10, 2048, 2049, 5000]) {
      const catalog = await open(dir, 'write');
      for (const term of terms.slice(0, end)) catalog.vocabulary.add(term);
      await catalog.write([]);
      await catalog.close();
    }
    const catalog = await open(dir, 'read');
    assert.deepEqual(catalog.vocabulary.termsFrom(0), terms);
    await catalog.close();
  });

  test('terms of a write that failed are stored with the next one', async () => {
    const catalog = await open(dir, 'write');
    catalog.vocabulary.add('first');
    await assert.rejects(catalog.write([{ kind: 'putContent', hash: '', row: content([0]) }]));
    await catalog.write([{ kind: 'addTerms', terms: ['second', 'first'] }]);
    await catalog.close();
    const again = await open(dir, 'read');
    assert.deepEqual(again.vocabulary.termsFrom(0), ['first', 'second']);
    await again.close();
  });

  test('a folder that was never indexed is told from others, and reading leaves no trace', async () => {
    const absent = join(dir, 'absent');
    await assert.rejects(open(absent, 'read'), because('not-indexed'));
    await assert.rejects(open(absent, 'share'), because('not-indexed'));
    assert.equal(existsSync(absent), false);
  });

  test('the catalogue of another model is never read, and is emptied by a writer', async () => {
    const catalog = await open(dir, 'write');
    catalog.vocabulary.add('old');
    await catalog.write([{ kind: 'putFile', path: 'a', row: file('a') }]);
    await catalog.close();
    await assert.rejects(open(dir, 'read', OTHER_MODEL), because('not-indexed'));

    const messages: string[] = [];
    const logger = { ...nullLogger, info: (message: string) => messages.push(message) };
    const other = await Catalog.open(dir, { access: 'write', fingerprint: OTHER_MODEL, logger });
    assert.deepEqual([...other.files()], []);
    assert.equal(other.vocabulary.size, 0);
    assert.equal(other.fingerprint, OTHER_MODEL);
    assert.match(messages.join(), /another model/);
    await other.close();

    const any = await Catalog.open(dir, { access: 'read', fingerprint: undefined, logger: nullLogger });
    assert.equal(any.fingerprint, OTHER_MODEL);
    await any.close();
  });

  test('paths handed over are taken once, in order, without repetition', async () => {
    const owner = await open(dir, 'write');
    const other = await open(dir, 'share');
    await other.enqueue(['b', 'a']);
    await other.enqueue(['b', 'c']);
    assert.equal(owner.queueLength(), 4);
    assert.deepEqual(await owner.takeQueue(), ['b', 'a', 'c']);
    assert.deepEqual(await owner.takeQueue(), []);
    await other.enqueue(['a']);
    assert.deepEqual(await owner.takeQueue(), ['a']);
    await other.close();
    await owner.close();
  });

  test('a reader takes in what the owner has written since, also after the index was built anew', async () => {
    const owner = await open(dir, 'write');
    const reader = await open(dir, 'read');
    assert.equal(reader.refresh(), false);
    owner.vocabulary.add('one');
    await owner.write([{ kind: 'putFile', path: 'a', row: file('a') }]);
    assert.equal(reader.refresh(), true);
    assert.deepEqual(reader.vocabulary.termsFrom(0), ['one']);
    assert.deepEqual(reader.getFile('a'), file('a'));
    await owner.close();

    const other = await open(dir, 'write', OTHER_MODEL);
    assert.throws(() => reader.refresh(), because('not-indexed'));
    await other.close();
    const again = await open(dir, 'write');
    again.vocabulary.add('two');
    await again.write([]);
    assert.equal(reader.refresh(), true);
    assert.deepEqual(reader.vocabulary.termsFrom(0), ['two']);
    await again.close();
    await reader.close();
  });

  test('of two writers the one with the older terms is refused', async () => {
    const first = await open(dir, 'write');
    const second = await open(dir, 'write');
    first.vocabulary.add('mine');
    await first.write([]);
    second.vocabulary.add('yours');
    await assert.rejects(second.write([]), because('store-busy'));
    await first.close();
    await second.close();
    const again = await open(dir, 'read');
    assert.deepEqual(again.vocabulary.termsFrom(0), ['mine']);
    await again.close();
  });

  test('what a killed process had written is there, and is served while another process reads', async () => {
    const parent = await open(dir, 'write');
    await parent.write([{ kind: 'putFile', path: 'first', row: file('first') }]);
    const child = startRole(__filename, dir, '1500');
    assert.equal(await messageFrom(child), 'written');
    // The file has grown by megabytes since this process mapped it.
    assert.ok((await parent.sizeOnDisk()) > 3_000_000);
    for (const at of [0, 700, 1499]) {
      assert.deepEqual(parent.getFile(`src/file${at}.ts`), file(`${at}`));
      assert.equal(parent.getContent(hashOf(`${at}`))?.terms.length, 2000);
    }
    child.kill('SIGKILL');
    await endOf(child);
    await parent.close();
    const again = await open(dir, 'write');
    assert.equal([...again.files()].length, 1501);
    await again.close();
    assert.deepEqual(readdirSync(dir).sort(), ['data.mdb', 'lock.mdb']);
  });

  /** Leaves what a process leaves that was killed while it opened the catalogue in `dir`. */
  async function diedOpening(as: string): Promise<void> {
    const elsewhere = join(dir, 'elsewhere');
    const dead = startRole(__filename, elsewhere, '0');
    await messageFrom(dead);
    const marker = readdirSync(elsewhere).find(name => name.startsWith('open-'))!;
    dead.kill('SIGKILL');
    await endOf(dead);
    copyFileSync(join(elsewhere, marker), join(dir, marker.replace('open-', `${as}-`)));
    await rm(elsewhere, { recursive: true });
  }

  test('processes that were killed while they opened the catalogue cost nothing, only the fifth in a row a rebuild', async () => {
    const catalog = await open(dir, 'write');
    await catalog.write([{ kind: 'putFile', path: 'a', row: file('a') }]);
    await catalog.close();
    const rounds: readonly (readonly [as: string, times: number, access: StoreAccess])[] = [
      ['opening', 1, 'read'],
      ['opening', 2, 'read'],
      ['opening', 4, 'write'],
      ['opening-turn', 6, 'write'],
    ];
    for (const [as, times, access] of rounds) {
      for (let time = 0; time < times; time++) await diedOpening(as);
      const again = await open(dir, access);
      assert.deepEqual([...again.files()], [['a', file('a')]], `${as} ${times}`);
      await again.close();
      assert.deepEqual(readdirSync(dir).sort(), ['data.mdb', 'lock.mdb'], `${as} ${times}`);
    }
    for (let time = 0; time < 5; time++) await diedOpening('opening');
    await assert.rejects(open(dir, 'read'), because('store-damaged'));
    const rebuilt = await open(dir, 'write');
    assert.deepEqual([...rebuilt.files()], []);
    await rebuilt.write([{ kind: 'putFile', path: 'b', row: file('b') }]);
    await rebuilt.close();
    assert.ok(existsSync(join(dir, 'data.mdb.bad')));
    const again = await open(dir, 'write');
    assert.deepEqual([...again.files()], [['b', file('b')]]);
    await again.close();
  });

  test('a file that brought LMDB down is tried in another process, which alone it brings down again', async () => {
    const catalog = await open(dir, 'write');
    await catalog.write([{ kind: 'putFile', path: 'a', row: file('a') }]);
    await catalog.close();
    // While another process has the store open, the pages are not looked at: they may be changing.
    const other = startRole(__filename, dir, '1');
    assert.equal(await messageFrom(other), 'written');
    truncateSync(join(dir, 'data.mdb'), 2 * 4096);
    await diedOpening('opening');
    await assert.rejects(open(dir, 'read'), because('store-damaged'));
    const rebuilt = await open(dir, 'write');
    assert.deepEqual([...rebuilt.files()], []);
    await rebuilt.close();
    other.kill('SIGKILL');
    await endOf(other);
  });

  test('a marker that a killed process left without its name keeps nobody waiting', async () => {
    for (const name of ['opening.claim-1-aa.json', 'opening-turn-1-ab.json', 'opening-1-ac.json']) {
      writeFileSync(join(dir, name), '');
      const old = new Date(Date.now() - 3000);
      utimesSync(join(dir, name), old, old);
    }
    const startedAt = performance.now();
    const catalog = await open(dir, 'write');
    await catalog.close();
    assert.ok(performance.now() - startedAt < 3000);
    assert.deepEqual(readdirSync(dir).sort(), ['data.mdb', 'lock.mdb']);
  });

  test('a catalogue can be put aside while another process has it open', async () => {
    const child = startRole(__filename, dir, '3');
    await messageFrom(child);
    await Catalog.quarantine(dir, nullLogger);
    const fresh = await open(dir, 'write');
    assert.deepEqual([...fresh.files()], []);
    await fresh.write([{ kind: 'putFile', path: 'new', row: file('new') }]);
    await fresh.close();
    child.kill('SIGKILL');
    await endOf(child);
    const again = await open(dir, 'write');
    assert.deepEqual([...again.files()], [['new', file('new')]]);
    await again.close();
  });
}
