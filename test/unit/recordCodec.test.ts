import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  packContent,
  packFile,
  packTexts,
  packWindow,
  unpackContent,
  unpackFile,
  unpackTexts,
  unpackWindow,
} from '../../src/engine/store/recordCodec';
import type { ContentRow, FileRow, WindowRecord } from '../../src/engine/store/records';
import { DEFINITION_KINDS } from '../../src/engine/store/records';
import { LandmarkError } from '../../src/util/errors';

const SEED = { seed: 20250701 };
const KEY = Buffer.from('key');

const record = <T>(fields: { [K in keyof T]: fc.Arbitrary<T[K]> }): fc.Arbitrary<T> =>
  fc.record(fields, { noNullPrototype: true });

const text = fc.string({ unit: 'binary', maxLength: 20 });
const uint32 = fc.integer({ min: 0, max: 0xffffffff });
const uint32s = fc.array(uint32, { maxLength: 40 }).map(values => Uint32Array.from(values));
const float32 = fc.float({ noNaN: true });

const fileRow: fc.Arbitrary<FileRow> = record({
  hash: fc.oneof(
    fc.constant(''),
    fc.uint8Array({ minLength: 32, maxLength: 32 }).map(bytes => Buffer.from(bytes).toString('hex')),
  ),
  size: fc.maxSafeNat(),
  stamp: fc.double({ noNaN: true }),
  state: fc.constantFrom('indexed', 'skipped', 'failed'),
  reason: text,
});

const contentRow: fc.Arbitrary<ContentRow> = fc.nat(6).chain(windows =>
  record({
    lineCount: uint32,
    tokens: uint32,
    windowKeys: fc.uint8Array({ minLength: windows * 32, maxLength: windows * 32 }),
    landmarkCounts: fc.uint8Array({ minLength: windows, maxLength: windows }),
    spans: uint32s,
    terms: uint32s,
    lineEnds: uint32s,
    definitions: fc.array(record({ name: text, line: uint32, kind: fc.constantFrom(...DEFINITION_KINDS) }), {
      maxLength: 5,
    }),
  }),
);

const windowRecord: fc.Arbitrary<WindowRecord> = record({
  landmarks: fc.uint8Array({ maxLength: 60 }),
  scales: fc.array(float32, { maxLength: 8 }).map(values => Float32Array.from(values)),
});

interface Codec<T> {
  readonly name: string;
  readonly rows: fc.Arbitrary<T>;
  readonly pack: (key: Uint8Array, row: T) => Uint8Array;
  readonly unpack: (key: Uint8Array, value: Uint8Array) => T;
}

function isDamaged(error: unknown): boolean {
  return error instanceof LandmarkError && error.reason === 'store-damaged';
}

function checkCodec<T>({ name, rows, pack, unpack }: Codec<T>): void {
  test(`a ${name} comes back as it was packed, also out of a view into a larger buffer`, () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 50 }), rows, fc.nat(9), (key, row, offset) => {
        const packed = pack(key, row);
        assert.deepEqual(unpack(key, packed), row);
        const around = Buffer.alloc(packed.length + offset + 7, 0xaa);
        around.set(packed, offset);
        assert.deepEqual(unpack(key, around.subarray(offset, offset + packed.length)), row);
      }),
      SEED,
    );
  });

  test(`a ${name} with one bit changed, cut off, lengthened or under another key is refused`, () => {
    fc.assert(
      fc.property(rows, fc.nat(), fc.nat(), (row, bit, cut) => {
        const packed = pack(KEY, row);
        const flipped = Uint8Array.from(packed);
        flipped[(bit >> 3) % packed.length]! ^= 1 << (bit & 7);
        assert.throws(() => unpack(KEY, flipped), isDamaged);
        assert.throws(() => unpack(KEY, packed.subarray(0, cut % packed.length)), isDamaged);
        assert.throws(() => unpack(KEY, Buffer.concat([packed, Buffer.of(0)])), isDamaged);
        assert.throws(() => unpack(Buffer.from('yek'), packed), isDamaged);
      }),
      SEED,
    );
  });
}

checkCodec({ name: 'file row', rows: fileRow, pack: packFile, unpack: unpackFile });
checkCodec({ name: 'content row', rows: contentRow, pack: packContent, unpack: unpackContent });
checkCodec({ name: 'window', rows: windowRecord, pack: packWindow, unpack: unpackWindow });
checkCodec({ name: 'list of texts', rows: fc.array(text, { maxLength: 9 }), pack: packTexts, unpack: unpackTexts });

test('every single bit of a packed value counts', () => {
  const packed = packFile(KEY, { hash: 'ab'.repeat(32), size: 7, stamp: 1.5, state: 'skipped', reason: 'binary' });
  for (let bit = 0; bit < packed.length * 8; bit++) {
    const flipped = Uint8Array.from(packed);
    flipped[bit >> 3]! ^= 1 << (bit & 7);
    assert.throws(() => unpackFile(KEY, flipped), isDamaged, `bit ${bit}`);
  }
});

test('where a key ends and a value begins is part of the checksum', () => {
  const packed = packTexts(Buffer.from('ab'), []);
  assert.throws(() => unpackTexts(Buffer.from('a'), packed), isDamaged);
});

test('typed arrays stay what they are, and do not share memory with the packed value', () => {
  const record = {
    landmarks: Uint8Array.of(0, 255),
    scales: Float32Array.of(0.25),
  };
  const packed = Buffer.from(packWindow(KEY, record));
  const unpacked = unpackWindow(KEY, packed);
  packed.fill(0);
  assert.deepEqual(unpacked, record);
});
