import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BlobTable, checksumOf } from '../../src/engine/store/blobTable';
import type { Blobs, BlobSource } from '../../src/engine/store/snapshot';
import { LandmarkError } from '../../src/util/errors';
import { blobOf } from '../support/blobs';
import { randomNumbers } from '../support/vectors';

const isDamage = (error: unknown): boolean => error instanceof LandmarkError && error.reason === 'store-damaged';

/** The blobs one after the other, each from a multiple of four on, and their index. */
function stretchOf(blobs: Blobs): { bytes: Uint8Array; lengths: Uint32Array; checks: Uint32Array } {
  const lengths = new Uint32Array(blobs.limit);
  const checks = new Uint32Array(blobs.limit);
  const bytes: number[] = [];
  for (let number = 0; number < blobs.limit; number++) {
    const blob = blobs.get(number);
    if (blob === undefined) continue;
    lengths[number] = blob.length;
    checks[number] = checksumOf(Uint8Array.from(blob));
    bytes.push(...blob);
    while (bytes.length % 4 !== 0) bytes.push(0);
  }
  return { bytes: Uint8Array.from(bytes), lengths, checks };
}

function sourceOf(bytes: Uint8Array, isChecked: boolean): BlobSource {
  return { isChecked, read: (position, length) => bytes.subarray(position, position + length) };
}

function assertHolds(table: BlobTable, expected: ReadonlyMap<number, Uint8Array>, upTo: number): void {
  for (let number = 0; number < upTo; number++) {
    const blob = expected.get(number);
    assert.deepEqual(table.get(number), blob, `blob ${number}`);
    assert.equal(table.lengthOf(number), blob?.length ?? 0, `length of ${number}`);
    assert.ok(blob === undefined || number < table.limit, `${number} is below the limit`);
  }
}

test('a table answers as a map does, whatever is put, deleted, and left to rest in a snapshot', () => {
  for (let seed = 1; seed <= 60; seed++) {
    const random = randomNumbers(seed);
    const below = (limit: number): number => Math.floor(random() * limit);
    const size = [3, 40, 700, 2000][seed % 4] as number;
    const table = new BlobTable();
    const oracle = new Map<number, Uint8Array>();
    for (let step = 0; step < 400; step++) {
      const number = below(size);
      const what = random();
      if (what < 0.6) {
        const blob = blobOf(below(1000), 1 + below(30));
        table.set(number, blob);
        oracle.set(number, blob);
      } else if (what < 0.97) {
        table.delete(number);
        oracle.delete(number);
      } else {
        const { bytes, ...index } = stretchOf(table);
        table.rest(sourceOf(bytes, random() < 0.5), index);
      }
    }
    assertHolds(table, oracle, size + 10);
  }
});

test('an empty table has nothing, also at rest', () => {
  const table = new BlobTable();
  assert.deepEqual([table.limit, table.get(0), table.lengthOf(5)], [0, undefined, 0]);
  table.delete(9);
  const { bytes, ...index } = stretchOf(table);
  table.rest(sourceOf(bytes, true), index);
  assert.deepEqual([table.limit, table.get(0), table.lengthOf(5)], [0, undefined, 0]);
});

test('what rests replaces what was known before', () => {
  const table = new BlobTable();
  for (const number of [1, 70, 900]) table.set(number, blobOf(number, 9));
  table.rest(sourceOf(blobOf(5, 8), true), { lengths: Uint32Array.of(0, 8), checks: new Uint32Array(2) });
  assertHolds(table, new Map([[1, blobOf(5, 8)]]), 1000);
  assert.equal(table.limit, 2);
});

test('a blob that is put is kept as it is, not copied', () => {
  const table = new BlobTable();
  const blob = blobOf(1, 12);
  table.set(4, blob);
  assert.equal(table.get(4), blob);
});

test('a blob that does not agree with its checksum is damage, unless its source has been checked', () => {
  const held = new BlobTable();
  for (let number = 0; number < 50; number++) held.set(number, blobOf(number, 1 + (number % 9)));
  const { bytes, lengths, checks } = stretchOf(held);
  bytes[bytes.length >> 1]! ^= 1;
  const table = new BlobTable();
  table.rest(sourceOf(bytes, false), { lengths, checks });
  const numbers = Array.from({ length: 50 }, (_, number) => number);
  const damaged = numbers.filter(number => {
    try {
      assert.deepEqual(table.get(number), held.get(number));
      return false;
    } catch (error) {
      assert.ok(isDamage(error), String(error));
      return true;
    }
  });
  assert.equal(damaged.length, 1);
  // What takes its place is not damaged.
  table.set(damaged[0]!, blobOf(1, 1));
  assert.deepEqual(table.get(damaged[0]!), blobOf(1, 1));
  table.rest(sourceOf(bytes, true), { lengths, checks });
  for (const number of numbers) assert.ok(table.get(number));
});

test('the checksum is what big numbers compute byte by byte', () => {
  for (let length = 0; length < 40; length++) {
    const bytes = blobOf(length, length);
    assert.equal(checksumOf(bytes), naiveChecksum([...bytes]), `${length} bytes`);
  }
});

test('one changed bit anywhere, and a zero at the end, change the checksum', () => {
  for (const length of [1, 3, 4, 5, 8, 31]) {
    const seen = new Set([checksumOf(blobOf(1, length)), checksumOf(Uint8Array.from([...blobOf(1, length), 0]))]);
    for (let bit = 0; bit < length * 8; bit++) {
      const changed = blobOf(1, length);
      changed[bit >>> 3]! ^= 1 << (bit & 7);
      seen.add(checksumOf(changed));
    }
    assert.equal(seen.size, length * 8 + 2, `${length} bytes`);
  }
});

/** Murmur3's mixing (MurmurHash3_x86_32) from the length on, over words filled up with zeros, the last one always. */
function naiveChecksum(bytes: readonly number[]): number {
  const low = (value: bigint): bigint => value & 0xffff_ffffn;
  const turned = (value: bigint, by: bigint): bigint => low((value << by) | (value >> (32n - by)));
  let hash = BigInt(bytes.length);
  for (let at = 0; at <= bytes.length - (bytes.length % 4); at += 4) {
    const word = [3, 2, 1, 0].reduce((sum, place) => sum * 256n + BigInt(bytes[at + place] ?? 0), 0n);
    hash ^= low(turned(low(word * 0xcc9e2d51n), 15n) * 0x1b873593n);
    hash = low(turned(hash, 13n) * 5n + 0xe6546b64n);
  }
  hash = low((hash ^ (hash >> 16n)) * 0x85ebca6bn);
  hash = low((hash ^ (hash >> 13n)) * 0xc2b2ae35n);
  return Number(hash ^ (hash >> 16n));
}
