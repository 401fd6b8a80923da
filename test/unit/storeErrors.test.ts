import assert from 'node:assert/strict';
import { test } from 'node:test';
import { storeError } from '../../src/engine/store/storeErrors';
import { LandmarkError } from '../../src/util/errors';

function reasonOf(code: unknown): string {
  return storeError('/data/x', Object.assign(new Error('detail'), { code })).reason;
}

test('errors of the store and of the system below it become reasons', () => {
  // The numbers of lmdb.h: MDB_MAP_FULL, MDB_CORRUPTED, MDB_INVALID, MDB_READERS_FULL, MDB_PANIC.
  assert.equal(reasonOf(-30792), 'disk-full');
  assert.equal(reasonOf(-30796), 'store-damaged');
  assert.equal(reasonOf(-30793), 'store-damaged');
  assert.equal(reasonOf(-30790), 'store-busy');
  assert.equal(reasonOf(-30795), 'internal');
  assert.equal(reasonOf('ENOSPC'), 'disk-full');
  assert.equal(reasonOf('EACCES'), 'no-permission');
  assert.equal(reasonOf('EROFS'), 'no-permission');
  assert.equal(reasonOf(undefined), 'internal');
});

test('the numbers of the system itself are understood too', t => {
  if (process.platform === 'win32') return t.skip('other numbers');
  assert.equal(reasonOf(28), 'disk-full');
  assert.equal(reasonOf(13), 'no-permission');
  assert.equal(reasonOf(30), 'no-permission');
});

test('the sentence names the folder, keeps the cause, and leaves our own errors alone', () => {
  const cause = Object.assign(new Error('no space'), { code: 28 });
  const error = storeError('/data/x', cause);
  assert.match(error.message, /\/data\/x/);
  assert.equal(error.cause, cause);
  const own = new LandmarkError('cancelled', 'Stopped.');
  assert.equal(storeError('/data/x', own), own);
});
