import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { readOrders } from '../../../src/engine/indexing/handover';
import { ByteReader, ByteWriter } from '../../../src/engine/store/byteStream';
import { parseIdentity } from '../../../src/engine/store/processIdentity';
import {
  RECORD_FORMAT,
  unpackContent,
  unpackFile,
  unpackTexts,
  unpackWindow,
} from '../../../src/engine/store/recordCodec';
import { seal } from '../../../src/engine/store/sealed';
import { checkStoreFile } from '../../../src/engine/store/storeCheck';
import { type GraphRecord, packGraphRecord, unpackGraphRecord } from '../../../src/engine/vectors/graphRecord';
import { LandmarkError } from '../../../src/util/errors';
import { holds, noteFigures, pieces } from '../../support/amount';
import { randomNumbers } from '../../support/vectors';

const KEY = Buffer.from('key');

/** Works, or says that the store is damaged; anything else would be a crash. */
function refusesOrReads(work: () => unknown): void {
  try {
    work();
  } catch (error) {
    assert.ok(error instanceof LandmarkError && error.reason === 'store-damaged', String(error));
  }
}

/** Numbers as the values hold them, with lengths that are far too large among them. */
const packedNumbers = fc
  .array(fc.oneof(fc.nat(300), fc.maxSafeNat(), fc.nat(2 ** 31 - 1)), { maxLength: 12 })
  .map(numbers => {
    const out = new ByteWriter();
    for (const number of numbers) out.varint(number);
    return out.finish().slice();
  });
const body = fc.oneof(fc.uint8Array({ maxLength: 200 }), packedNumbers);

test('a value whose seal is right and whose body is not is refused, and takes no memory that it does not have', () => {
  const property = fc.property(body, bytes => {
    const value = seal(RECORD_FORMAT, KEY, bytes);
    for (const unpack of [unpackFile, unpackContent, unpackWindow, unpackTexts]) {
      refusesOrReads(() => unpack(KEY, value));
      refusesOrReads(() => unpack(KEY, bytes));
    }
    refusesOrReads(() => unpackGraphRecord('key', seal(1, KEY, bytes)));
  });
  holds('stored values', 201, 3000, property);
});

test('numbers and texts come back from a stream of bytes as they were written', () => {
  const item = fc.oneof(
    fc.record({ kind: fc.constant('varint' as const), value: fc.maxSafeNat() }),
    fc.record({
      kind: fc.constant('signed' as const),
      value: fc.integer({ min: -(2 ** 51), max: 2 ** 51 }),
    }),
    fc.record({ kind: fc.constant('text' as const), value: fc.string({ unit: 'grapheme', maxLength: 12 }) }),
    fc.record({ kind: fc.constant('float64' as const), value: fc.double() }),
  );
  const property = fc.property(fc.array(item, { maxLength: 20 }), items => {
    const out = new ByteWriter(1);
    for (const { kind, value } of items) {
      if (kind === 'text') out.text(value);
      else out[kind](value);
    }
    const reader = new ByteReader(out.finish());
    for (const { kind, value } of items) assert.ok(Object.is(reader[kind](), value), `${kind} ${value}`);
    reader.end();
  });
  holds('byte streams', 202, 3000, property);
});

const graphRecord: fc.Arbitrary<GraphRecord> = fc
  .record({
    file: fc.string({ unit: 'grapheme', maxLength: 20 }).map(name => name.replace(/[\\/]/g, '-')),
    bytes: fc.maxSafeNat(),
    sha256: fc.string({ maxLength: 64 }),
    dimensions: fc.nat(1000),
    fingerprint: fc.string({ maxLength: 20 }),
    entries: fc.array(fc.tuple(fc.uint8Array({ minLength: 32, maxLength: 32 }), fc.nat(0xffffffff)), { maxLength: 8 }),
  })
  .map(({ entries, ...record }) => ({
    ...record,
    keys: Uint8Array.from(entries.flatMap(([key]) => [...key])),
    elements: Uint32Array.from(entries, ([, element]) => element),
  }));

test('the description of a graph comes back as it was packed, and with any bit changed is refused', () => {
  const property = fc.property(graphRecord, fc.nat(), (record, bit) => {
    const packed = packGraphRecord('files', record);
    assert.deepEqual(unpackGraphRecord('files', packed), record);
    const flipped = Uint8Array.from(packed);
    flipped[(bit >> 3) % packed.length]! ^= 1 << (bit & 7);
    assert.throws(() => unpackGraphRecord('files', flipped), LandmarkError);
    assert.throws(() => unpackGraphRecord('windows', packed), LandmarkError);
  });
  holds('graph descriptions', 203, 2000, property);
});

test('marker files and queues of any content are read without an error', () => {
  const property = fc.property(fc.oneof(fc.string(), fc.json(), fc.string({ unit: 'binary' })), content => {
    const identity = parseIdentity(content);
    if (identity !== undefined) assert.deepEqual(parseIdentity(JSON.stringify(identity)), identity);
    for (const entries of [[content], [`//${content}`], [`//update ${content}`, content]]) {
      for (const { order } of readOrders(entries)) assert.match(order.kind, /^(sync|update|clear)$/);
    }
  });
  holds('markers and queues', 204, 3000, property);
});

test('whatever bytes follow the stamp of a store, the check says something and ends', async t => {
  // In memory where the system offers that: a million files.
  const folder = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'landmark-fuzz-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'data.mdb');
  const PAGE = 512;
  const oneCase = async (random: () => number): Promise<boolean> => {
    const bytes = Buffer.alloc(PAGE * (2 + Math.floor(random() * 6)) + (random() < 0.2 ? 100 : 0));
    for (let at = 0; at < bytes.length; at++) if (random() < 0.3) bytes[at] = Math.floor(random() * 256);
    for (const page of [0, 1]) writeMeta(bytes, page, random);
    for (let page = 2; (page + 1) * PAGE <= bytes.length; page++) writePageHead(bytes, page * PAGE, page, random);
    writeFileSync(path, bytes);
    return typeof (await checkStoreFile(path, { deep: true })) === 'object';
  };
  for (const { seed, cases } of pieces('store files', 205, 400)) {
    const random = randomNumbers(seed);
    let refused = 0;
    for (let at = 0; at < cases; at++) if (await oneCase(random)) refused++;
    noteFigures('store files', { cases, seed, refused });
    assert.ok(refused > cases / 4 && refused < cases, `${refused} of ${cases}`);
  }
});

/** A meta page that names pages at random. */
function writeMeta(bytes: Buffer, page: number, random: () => number): void {
  const at = page * 512;
  const pages = Math.floor(bytes.length / 512);
  const somePage = (): bigint => (random() < 0.3 ? 0xffffffffffffffffn : BigInt(Math.floor(random() * (pages + 1))));
  bytes.writeUInt16LE(8, at + 18);
  bytes.writeUInt32LE(0xbeefc0de, at + 24);
  bytes.writeUInt32LE(2, at + 28);
  bytes.writeUInt32LE(random() < 0.9 ? 512 : 4096, at + 48);
  for (const tree of [48, 96]) {
    bytes.writeUInt16LE(Math.floor(random() * 3), at + tree + 6);
    for (let count = 8; count < 40; count += 8)
      bytes.writeBigUInt64LE(BigInt(Math.floor(random() * 9)), at + tree + count);
    bytes.writeBigUInt64LE(somePage(), at + tree + 40);
  }
  bytes.writeBigUInt64LE(BigInt(pages - 1), at + 144);
  bytes.writeBigUInt64LE(BigInt(Math.floor(random() * 3)), at + 152);
}

/** The head of a leaf or branch page that is often plausible, with nodes at random places. */
function writePageHead(bytes: Buffer, at: number, page: number, random: () => number): void {
  const count = Math.floor(random() * 4);
  bytes.writeBigUInt64LE(BigInt(page), at);
  bytes.writeUInt16LE(random() < 0.7 ? 2 : 1, at + 18);
  bytes.writeUInt16LE(count * 2, at + 20);
  bytes.writeUInt16LE(count * 2 + Math.floor(random() * 200), at + 22);
  for (let node = 0; node < count; node++) bytes.writeUInt16LE(Math.floor(random() * 480), at + 24 + node * 2);
}
