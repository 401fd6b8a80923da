import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { BlobTable } from '../../src/engine/store/blobTable';
import { cacheBytes } from '../../src/engine/store/cacheFile';
import { Catalog, type RecordTable } from '../../src/engine/store/catalog';
import type { BlobIndex, BlobSource } from '../../src/engine/store/snapshot';
import { discardSnapshot, SnapshotFile, type SnapshotOptions } from '../../src/engine/store/snapshotFile';
import {
  type Extent,
  SNAPSHOT,
  SNAPSHOT_FILES,
  type SnapshotTable,
  unpackSnapshotRecord,
} from '../../src/engine/store/snapshotRecord';
import { SnapshotWriter } from '../../src/engine/store/snapshotWriter';
import { LandmarkError } from '../../src/util/errors';
import { nullLogger } from '../../src/util/logger';
import { blobOf, blobsOf } from '../support/blobs';
import { cleanUp } from '../support/cleanUp';
import { newDataDir } from '../support/engineRuntime';
import { makeFileTree } from '../support/fileTree';
import { MemoryRecords } from '../support/memoryRecords';
import { randomNumbers } from '../support/vectors';

const IDENTITY = 'model, catalogue';
/** Nothing is held in memory. */
const RESTING: SnapshotOptions = { mostHeld: -1 };
const VECTORS = blobOf(1, 2_500_001);
const WORDS = { names: ['ein', 'zwei', 'ünï ✓'], count: 3 };
/** With gaps, blobs that take several portions, and none at the end. */
const BLOBS = new Map([
  ...Array.from({ length: 300 }, (_, at): [number, Uint8Array] => [at * 3, blobOf(at, 1 + (at % 50))]),
  [1000, blobOf(7, 2_300_002)],
  [1001, blobOf(8, 1)],
  [1400, blobOf(9, 700_000)],
]);

function reasonIs(reason: string, message = /^/): (error: unknown) => boolean {
  return error => error instanceof LandmarkError && error.reason === reason && message.test(error.message);
}
const isDamage = reasonIs('store-damaged');

async function writeParts(writer: SnapshotWriter): Promise<void> {
  await writer.bytes('vectors', VECTORS);
  await writer.json('words', WORDS);
  await writer.blobs('lines', blobsOf(BLOBS));
  await writer.bytes('nothing', new Uint8Array());
  await writer.blobs('none', blobsOf(new Map()));
}

async function write(directory: string, records: RecordTable, identity = IDENTITY): Promise<void> {
  const writer = await SnapshotWriter.create(directory, nullLogger);
  await writeParts(writer);
  await writer.finish(records, identity);
}

async function open(
  t: TestContext,
  directory: string,
  records: RecordTable,
  options?: SnapshotOptions,
): Promise<SnapshotFile> {
  const logger = { ...nullLogger, info: assert.fail, warn: assert.fail };
  const file = await SnapshotFile.open(directory, records, IDENTITY, logger, options);
  assert.ok(file);
  cleanUp(t, () => file.close());
  return file;
}

/** Why a snapshot is not used. */
async function refusal(directory: string, records: RecordTable, identity = IDENTITY): Promise<string> {
  const lines: string[] = [];
  const keep = (level: string) => (line: string) => void lines.push(`${level}: ${line}`);
  const logger = { ...nullLogger, info: keep('info'), warn: keep('warn') };
  assert.equal(await SnapshotFile.open(directory, records, identity, logger), undefined);
  assert.equal(lines.length, 1);
  return lines[0]!;
}

async function tableOf(file: SnapshotFile, name: string): Promise<BlobTable> {
  const table = new BlobTable();
  await file.blobs(name, table);
  return table;
}

/** Also that blobs begin where words may. */
function assertBlobs(table: BlobTable, expected: ReadonlyMap<number, Uint8Array>): void {
  for (let number = 0; number < table.limit + 3; number++) {
    const blob = table.get(number);
    assert.ok(blob === undefined || blob.byteOffset % 4 === 0);
    assert.deepEqual(blob, expected.get(number), `blob ${number}`);
  }
  assert.ok(Math.max(0, ...[...expected.keys()].map(number => number + 1)) <= table.limit);
}

async function assertWhole(file: SnapshotFile): Promise<void> {
  const vectors = await file.bytes('vectors');
  assert.deepEqual(vectors, VECTORS);
  assert.equal(vectors.byteOffset, 0);
  assert.deepEqual(await file.json('words'), WORDS);
  assertBlobs(await tableOf(file, 'lines'), BLOBS);
  assert.equal((await file.bytes('nothing')).length, 0);
  assertBlobs(await tableOf(file, 'none'), new Map());
}

function filesIn(directory: string): string[] {
  return readdirSync(directory).filter(name => name.startsWith('snapshot-'));
}

function pathOf(directory: string, records: RecordTable): string {
  return join(directory, unpackSnapshotRecord(records.get(SNAPSHOT)!).file);
}

function partsOf(directory: string, records: RecordTable): SnapshotTable['parts'] {
  const { bytes, tableBytes } = unpackSnapshotRecord(records.get(SNAPSHOT)!);
  const table = readFileSync(pathOf(directory, records)).subarray(bytes - tableBytes);
  return (JSON.parse(table.toString()) as SnapshotTable).parts;
}

test('what is written is read again, held in memory or not, and is one file', async t => {
  const directory = join(makeFileTree(t), 'new', 'folder');
  const records = new MemoryRecords();
  await write(directory, records);
  for (const options of [{}, RESTING, { mostHeld: 1000 }])
    await assertWhole(await open(t, directory, records, options));
  const [name, ...others] = readdirSync(directory);
  assert.match(name!, /^snapshot-[0-9a-f]{16}\.bin$/);
  assert.deepEqual(others, []);
  assert.equal(await cacheBytes(directory, SNAPSHOT_FILES), statSync(join(directory, name!)).size);
});

test('every part begins at a multiple of eight, and none overlaps another', async t => {
  const directory = makeFileTree(t);
  const records = new MemoryRecords();
  await write(directory, records);
  const extents = Object.values(partsOf(directory, records)).flatMap(part => [
    part,
    ...(part.index ? [part.index] : []),
  ]);
  assert.equal(extents.length, 7);
  let end = 0;
  for (const { position, bytes } of extents.sort((a, b) => a.position - b.position || a.bytes - b.bytes)) {
    assert.ok(position % 8 === 0 && position >= end && position < end + 8, `${position} after ${end}`);
    end = position + bytes;
  }
});

test('small parts of blobs are held in memory and were checked, large ones are not', async t => {
  const directory = makeFileTree(t);
  const records = new MemoryRecords();
  await write(directory, records);
  const { bytes } = partsOf(directory, records)['lines']!;
  for (const mostHeld of [bytes, bytes - 1]) {
    const seen: { source: BlobSource; index: BlobIndex }[] = [];
    const file = await open(t, directory, records, { mostHeld });
    await file.blobs('lines', { rest: (source, index) => void seen.push({ source, index }) });
    assert.equal(seen[0]?.source.isChecked, mostHeld === bytes);
    assert.equal(seen[0].index.lengths.length, 1401);
    assert.equal(seen[0].index.checks.length, 1401);
  }
});

test('a table of blobs goes through any number of snapshots and changes, and answers as a map does', async t => {
  const directory = makeFileTree(t);
  const records = new MemoryRecords();
  for (let seed = 1; seed <= 6; seed++) {
    const random = randomNumbers(seed);
    const below = (limit: number): number => Math.floor(random() * limit);
    const oracle = new Map<number, Uint8Array>();
    let table = new BlobTable();
    for (let generation = 0; generation < 8; generation++) {
      for (let step = below(300); step > 0; step--) {
        const number = below(500);
        if (random() < 0.3) {
          table.delete(number);
          oracle.delete(number);
        } else {
          const blob = blobOf(below(1000), 1 + below(random() < 0.05 ? 70_000 : 40));
          table.set(number, blob);
          oracle.set(number, blob);
        }
      }
      const writer = await SnapshotWriter.create(directory, nullLogger);
      await writer.blobs('blobs', table);
      await writer.finish(records, IDENTITY);
      // What rests in the snapshot before stays readable although its file is gone.
      assertBlobs(table, oracle);
      table = await tableOf(await open(t, directory, records, generation % 2 === 0 ? RESTING : {}), 'blobs');
      assertBlobs(table, oracle);
    }
  }
  assert.equal(filesIn(directory).length, 1);
});

test('while a large part is written the event loop gets its turn', async t => {
  const directory = makeFileTree(t);
  const writer = await SnapshotWriter.create(directory, nullLogger);
  let turns = 0;
  let done = false;
  const count = (): void => {
    turns++;
    if (!done) setImmediate(count);
  };
  setImmediate(count);
  await writer.bytes('bytes', new Uint8Array(8 << 20));
  const forBytes = turns;
  const blob = blobOf(1, 1 << 16);
  await writer.blobs('blobs', { limit: 128, get: () => blob });
  const forBlobs = turns - forBytes;
  // Nothing to write, but a long way to it.
  const until = performance.now() + 200;
  const limit = 1 << 20;
  await writer.blobs('gaps', { limit, get: () => (performance.now() < until ? undefined : blob.subarray(0, 4)) });
  const forGaps = turns - forBytes - forBlobs;
  done = true;
  assert.ok(forBytes >= 8 && forBlobs >= 8 && forGaps >= 2, `${forBytes}, ${forBlobs}, ${forGaps} turns`);
  await writer.abandon();
});

test('until it is finished the snapshot before stays in force, however the new one ends', async t => {
  const directory = makeFileTree(t);
  const records = new MemoryRecords();
  await write(directory, records);
  const [name] = filesIn(directory);

  // As when the process is killed: neither finished nor abandoned.
  const killed = await SnapshotWriter.create(directory, nullLogger);
  cleanUp(t, () => killed.abandon());
  await killed.bytes('vectors', new Uint8Array(8));
  await assertWhole(await open(t, directory, records));
  assert.equal(filesIn(directory).length, 2);

  const given = await SnapshotWriter.create(directory, nullLogger);
  await given.json('words', null);
  await given.abandon();
  await given.abandon();
  await assert.rejects(given.json('more', null), reasonIs('internal', /closed/));
  await assert.rejects(given.finish(records, IDENTITY), reasonIs('internal', /closed/));
  assert.deepEqual(filesIn(directory), [name]);

  const failing = await SnapshotWriter.create(directory, nullLogger);
  const broken = { limit: 1, get: () => assert.fail('a blob is damaged') };
  await assert.rejects(failing.blobs('lines', broken), /a blob is damaged/);
  await assert.rejects(failing.json('words', null), reasonIs('internal', /broken/));
  await assert.rejects(failing.finish(records, IDENTITY), reasonIs('internal', /broken/));
  await failing.abandon();
  assert.deepEqual(filesIn(directory), [name]);

  const undescribed = await SnapshotWriter.create(directory, nullLogger);
  await writeParts(undescribed);
  const full = new MemoryRecords();
  full.put = () => Promise.reject(new LandmarkError('disk-full', 'There is no room left.'));
  await assert.rejects(undescribed.finish(full, IDENTITY), reasonIs('disk-full'));
  await undescribed.abandon();
  assert.deepEqual(filesIn(directory), [name]);
  await assertWhole(await open(t, directory, records));

  const good = await SnapshotWriter.create(directory, nullLogger);
  await writeParts(good);
  await good.finish(records, IDENTITY);
  await good.abandon();
  assert.notDeepEqual(filesIn(directory), [name]);
  await assertWhole(await open(t, directory, records));
});

test('a process that is killed between the new name and the description leaves the old snapshot in force', async t => {
  const directory = makeFileTree(t);
  const records = new MemoryRecords();
  await write(directory, records);
  const before = records.values.get(SNAPSHOT)!;
  const old = readFileSync(pathOf(directory, records));
  const oldPath = pathOf(directory, records);
  await write(directory, records);
  // Back to where the description was not written and nothing deleted yet.
  writeFileSync(oldPath, old);
  records.values.set(SNAPSHOT, before);
  assert.equal(filesIn(directory).length, 2);
  await assertWhole(await open(t, directory, records));
  await write(directory, records);
  assert.equal(filesIn(directory).length, 1);
});

test('of two that write at once the later one wins, and the other fails without harm', async t => {
  const directory = makeFileTree(t);
  const records = new MemoryRecords();
  const early = await SnapshotWriter.create(directory, nullLogger);
  await early.json('words', 'early');
  const late = await SnapshotWriter.create(directory, nullLogger);
  await writeParts(late);
  // Windows may keep a file that is open, and then both are whole.
  if (process.platform !== 'win32') await assert.rejects(early.finish(records, IDENTITY), LandmarkError);
  await early.abandon();
  await late.finish(records, IDENTITY);
  await assertWhole(await open(t, directory, records));
  assert.equal(filesIn(directory).length, 1);
});

test('parts are written one at a time and once', async t => {
  const directory = makeFileTree(t);
  const writer = await SnapshotWriter.create(directory, nullLogger);
  cleanUp(t, () => writer.abandon());
  const first = writer.bytes('one', new Uint8Array(3 << 20));
  await assert.rejects(writer.bytes('two', new Uint8Array(4)), reasonIs('internal', /being written/));
  await first;
  await assert.rejects(writer.json('one', 1), reasonIs('internal', /two parts "one"/));
});

test('what does not agree with its description is not used, and why is logged', async t => {
  const directory = makeFileTree(t);
  const records = new MemoryRecords();
  assert.match(await refusal(directory, records), /^info: There is no snapshot of the index in /);
  await write(directory, records);
  const path = pathOf(directory, records);
  const good = readFileSync(path);
  const record = records.values.get(SNAPSHOT)!;
  const { tableBytes } = unpackSnapshotRecord(record);
  const { lines } = partsOf(directory, records);
  const flippedRecord = Uint8Array.from(record);
  flippedRecord[record.length >> 1]! ^= 1;
  const flipped = (at: number): Uint8Array => {
    const bytes = Uint8Array.from(good);
    bytes[at]! ^= 1;
    return bytes;
  };
  const damages: [string, RegExp, () => void][] = [
    ['of another state', /^info: .*another state/, () => {}],
    ['gone', /^warn: .*ENOENT/, () => rmSync(path)],
    ['a folder', /^warn: .*(EISDIR|another length)/, () => (rmSync(path), mkdirSync(path))],
    ['longer', /^warn: .*another length/, () => writeFileSync(path, Buffer.concat([good, Buffer.of(0)]))],
    [
      'a bit of the table',
      /^warn: .*checksum/,
      () => writeFileSync(path, flipped(good.length - 1 - (tableBytes >> 1))),
    ],
    ['the first of the table', /^warn: .*checksum/, () => writeFileSync(path, flipped(good.length - tableBytes))],
    ['the last bit', /^warn: .*checksum/, () => writeFileSync(path, flipped(good.length - 1))],
    ['description', /^warn: .*checksum/, () => records.values.set(SNAPSHOT, flippedRecord)],
    ...[0, 1, 5000, lines!.position, lines!.index!.position + 3, good.length - tableBytes, good.length - 1].map(
      (size): [string, RegExp, () => void] => [
        `cut to ${size}`,
        /^warn: .*another length/,
        () => truncateSync(path, size),
      ],
    ),
  ];
  for (const [what, reason, damage] of damages) {
    damage();
    assert.match(await refusal(directory, records, what === 'of another state' ? 'another' : IDENTITY), reason, what);
    rmSync(path, { recursive: true, force: true });
    writeFileSync(path, good);
    records.values.set(SNAPSHOT, record);
  }
  const failing = new MemoryRecords();
  failing.get = () => assert.fail('a page is damaged');
  assert.match(await refusal(directory, failing), /^warn: .*a page is damaged/);
  await assertWhole(await open(t, directory, records));
});

test('one changed byte of a part is found when that part is read, and the others are as they were', async t => {
  const directory = makeFileTree(t);
  const records = new MemoryRecords();
  await write(directory, records);
  const path = pathOf(directory, records);
  const good = readFileSync(path);
  const { vectors, words, lines } = partsOf(directory, records);
  const places = ({ position, bytes }: Extent): number[] => [position, position + (bytes >> 1), position + bytes - 1];
  const read: Record<string, (file: SnapshotFile) => Promise<unknown>> = {
    vectors: file => file.bytes('vectors'),
    words: file => file.json('words'),
    lines: file => tableOf(file, 'lines'),
  };
  const damages = { vectors: vectors!, words: words!, lines: lines!, index: lines!.index! };
  for (const [damaged, extent] of Object.entries(damages)) {
    for (const place of places(extent)) {
      const bytes = Uint8Array.from(good);
      bytes[place]! ^= 64;
      writeFileSync(path, bytes);
      const file = await open(t, directory, records);
      for (const [name, readIt] of Object.entries(read)) {
        if (name === damaged || (name === 'lines' && damaged === 'index')) await assert.rejects(readIt(file), isDamage);
        else await readIt(file);
      }
    }
  }
  await assert.rejects((await open(t, directory, records)).bytes('absent'), reasonIs('store-damaged', /"absent"/));
  await assert.rejects((await open(t, directory, records)).blobs('vectors', new BlobTable()), isDamage);
  await assert.rejects((await open(t, directory, records)).json('vectors'), isDamage);
});

test('a blob that rests in the file and was changed there is damage, each of the others is not', async t => {
  const directory = makeFileTree(t);
  const records = new MemoryRecords();
  await write(directory, records);
  const path = pathOf(directory, records);
  const good = readFileSync(path);
  const { position } = partsOf(directory, records)['lines']!;
  const numbers = [...BLOBS.keys()].sort((a, b) => a - b);
  let at = position;
  for (const number of numbers) {
    const length = BLOBS.get(number)!.length;
    if (number % 60 === 0 || number >= 1000) {
      const bytes = Uint8Array.from(good);
      bytes[at + length - 1]! ^= 1;
      writeFileSync(path, bytes);
      const table = await tableOf(await open(t, directory, records, RESTING), 'lines');
      assert.throws(() => table.get(number), isDamage);
      for (const other of numbers) if (other !== number) assert.deepEqual(table.get(other), BLOBS.get(other));
    }
    at += Math.ceil(length / 4) * 4;
  }
});

test('a file that is cut while it is open is damage where bytes are missing', async t => {
  const directory = makeFileTree(t);
  const records = new MemoryRecords();
  await write(directory, records);
  const file = await open(t, directory, records, RESTING);
  const table = await tableOf(file, 'lines');
  const { position } = partsOf(directory, records)['lines']!;
  truncateSync(pathOf(directory, records), position + 100);
  assert.deepEqual(table.get(0), BLOBS.get(0));
  assert.throws(() => table.get(1000), reasonIs('store-damaged', /cut off/));
  await assert.rejects(file.blobs('lines', new BlobTable()), isDamage);
  assert.deepEqual(await file.bytes('vectors'), VECTORS);
});

test('after closing nothing that rests can be read, and that is said', async t => {
  const directory = makeFileTree(t);
  const records = new MemoryRecords();
  await write(directory, records);
  const file = await open(t, directory, records, RESTING);
  const resting = await tableOf(file, 'lines');
  const held = await tableOf(await open(t, directory, records), 'lines');
  await file.close();
  await file.close();
  assert.throws(() => resting.get(0), reasonIs('store-damaged', /it is closed/));
  resting.set(0, blobOf(3, 3));
  assert.deepEqual(resting.get(0), blobOf(3, 3));
  await assert.rejects(file.bytes('vectors'), reasonIs('store-damaged', /it is closed/));
  await assert.rejects(file.blobs('lines', resting), reasonIs('store-damaged', /it is closed/));
  assertBlobs(held, BLOBS);
});

test('files of ended writers go, those of others stay, and one that cannot be deleted goes with the next writer', async t => {
  const tree = { 'snapshot-1.tmp': 'of a dead process', 'snapshots-1.tmp': '', 'files-1.tmp': '', 'data.mdb': '' };
  // A folder cannot be deleted as a file, nor can a file on Windows that another process has open.
  const directory = makeFileTree(t, { ...tree, 'snapshot-0123456789abcdef.bin/': '' });
  const records = new MemoryRecords();
  const debug: string[] = [];
  const writer = await SnapshotWriter.create(directory, nullLogger);
  assert.match(filesIn(directory).sort().join(), /^snapshot-0123456789abcdef\.bin,snapshot-\d+-[0-9a-f]{8}\.tmp$/);
  writeFileSync(join(directory, 'snapshot-2.tmp'), '');
  await writer.finish(records, IDENTITY);
  const another = await SnapshotWriter.create(directory, { ...nullLogger, debug: line => debug.push(line) });
  await writeParts(another);
  await another.finish(records, IDENTITY);
  assert.match(debug.join('\n'), /^The old file snapshot-0123456789abcdef\.bin stays for now/);
  await assertWhole(await open(t, directory, records));
  assert.equal(filesIn(directory).length, 2);

  rmSync(join(directory, 'snapshot-0123456789abcdef.bin'), { recursive: true });
  writeFileSync(join(directory, 'snapshot-0123456789abcdef.bin'), '');
  await write(directory, records);
  assert.equal(filesIn(directory).length, 1);
  assert.deepEqual(
    readdirSync(directory)
      .filter(name => !name.startsWith('snapshot-'))
      .sort(),
    Object.keys(tree)
      .filter(name => name !== 'snapshot-1.tmp')
      .sort(),
  );
});

test('a snapshot that is discarded has neither description nor file', async t => {
  const directory = makeFileTree(t);
  const records = new MemoryRecords();
  await discardSnapshot(directory, records, nullLogger);
  await write(directory, records);
  await discardSnapshot(directory, records, nullLogger);
  assert.deepEqual([records.values.size, readdirSync(directory)], [0, []]);
  await discardSnapshot(join(directory, 'absent'), records, nullLogger);
});

test('a catalogue that was emptied or put aside has no snapshot, and the next one takes the place of what is left', async t => {
  const directory = makeFileTree(t);
  const catalogue = (fingerprint: string): Promise<Catalog> =>
    Catalog.open(directory, { access: 'write', fingerprint, logger: nullLogger });
  const first = await catalogue('one');
  await write(directory, first.graphs);
  await first.close();

  const again = await catalogue('one');
  await assertWhole(await open(t, directory, again.graphs));
  await again.close();

  const emptied = await catalogue('another');
  assert.match(await refusal(directory, emptied.graphs), /There is no snapshot/);
  await write(directory, emptied.graphs);
  await emptied.close();
  await Catalog.quarantine(directory, nullLogger);

  const anew = await catalogue('another');
  assert.match(await refusal(directory, anew.graphs), /There is no snapshot/);
  await write(directory, anew.graphs);
  await assertWhole(await open(t, directory, anew.graphs));
  assert.equal(filesIn(directory).length, 1);
  await discardSnapshot(directory, anew.graphs, nullLogger);
  assert.match(await refusal(directory, anew.graphs), /There is no snapshot/);
  await anew.close();
});

test('a full disk is said in one sentence, leaves no file, and the snapshot before stays in force', async t => {
  if (process.platform !== 'linux' || process.getuid?.() !== 0)
    return t.skip('a small disk can be mounted by root on Linux only');
  const directory = newDataDir(t);
  const size = 8 << 20;
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', directory]).status === 0;
  if (!mounted) return t.skip('no file system can be mounted here');
  cleanUp(t, () => spawnSync('umount', [directory]));
  const records = new MemoryRecords();
  await write(directory, records);
  const before = readdirSync(directory);
  const writer = await SnapshotWriter.create(directory, nullLogger);
  await assert.rejects(writeParts(writer), reasonIs('disk-full', /Free some space/));
  await assert.rejects(writer.finish(records, IDENTITY), reasonIs('internal', /broken/));
  await writer.abandon();
  assert.deepEqual(readdirSync(directory), before);
  await assertWhole(await open(t, directory, records));
});

test('where no file can be written the way out is named', async t => {
  const directory = join(makeFileTree(t, { file: '' }), 'file');
  await assert.rejects(SnapshotWriter.create(directory, nullLogger), reasonIs('not-a-folder', /another data folder/));
});
