import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { checkStoreFile } from '../../src/engine/store/storeCheck';

const PAGE = 512;
const EMPTY = 0xffffffffffffffffn;
let dir: string;

before(async () => {
  dir = await mkdtemp(join(tmpdir(), 'store-check-'));
});
after(() => rm(dir, { recursive: true }));

/** A store by hand: two meta pages, the main tree on page 2, the table "t" with two entries on page 3. */
function store(): Buffer {
  return Buffer.concat([meta(0, 1n, EMPTY, 1n), meta(1, 2n, 2n, 3n), mainPage(), tablePage()]);
}

function meta(page: number, transaction: bigint, root: bigint, lastPage: bigint): Buffer {
  const bytes = Buffer.alloc(PAGE);
  bytes.writeUInt32LE(page, 0);
  bytes.writeUInt16LE(0x08, 18);
  bytes.writeUInt32LE(0xbeefc0de, 24);
  bytes.writeUInt32LE(2, 28);
  tree({ root: EMPTY, depth: 0 }).copy(bytes, 48);
  bytes.writeUInt32LE(PAGE, 48);
  bytes.writeUInt16LE(0x08, 52);
  tree({ root, depth: root === EMPTY ? 0 : 1 }).copy(bytes, 96);
  bytes.writeBigUInt64LE(lastPage, 144);
  bytes.writeBigUInt64LE(transaction, 152);
  return bytes;
}

function tree({ root, depth }: { root: bigint; depth: number }): Buffer {
  const bytes = Buffer.alloc(48);
  bytes.writeUInt16LE(depth, 6);
  bytes.writeBigUInt64LE(root, 40);
  return bytes;
}

interface Entry {
  readonly key: string;
  readonly value: Buffer;
  readonly flags: number;
}

/** A leaf page as LMDB fills it: pointers from the front, entries from the end. */
function leaf(page: number, entries: readonly Entry[]): Buffer {
  const bytes = Buffer.alloc(PAGE);
  bytes.writeUInt32LE(page, 0);
  bytes.writeUInt16LE(0x02, 18);
  let upper = PAGE - 24;
  entries.forEach(({ key, value, flags }, at) => {
    upper -= 8 + key.length + value.length;
    bytes.writeUInt16LE(upper, 24 + 2 * at);
    bytes.writeUInt32LE(value.length, 24 + upper);
    bytes.writeUInt16LE(flags, 24 + upper + 4);
    bytes.writeUInt16LE(key.length, 24 + upper + 6);
    bytes.write(key, 24 + upper + 8);
    value.copy(bytes, 24 + upper + 8 + key.length);
  });
  bytes.writeUInt16LE(2 * entries.length, 20);
  bytes.writeUInt16LE(upper, 22);
  return bytes;
}

function mainPage(): Buffer {
  return leaf(2, [{ key: 't', value: tree({ root: 3n, depth: 1 }), flags: 0x02 }]);
}

function tablePage(keys: readonly [string, string] = ['a', 'b']): Buffer {
  return leaf(
    3,
    keys.map(key => ({ key, value: Buffer.from('value'), flags: 0 })),
  );
}

async function check(bytes: Uint8Array): Promise<unknown> {
  const path = join(dir, 'data.mdb');
  await writeFile(path, bytes);
  return checkStoreFile(path);
}

async function damage(bytes: Uint8Array): Promise<string> {
  const state = await check(bytes);
  assert.ok(typeof state === 'object' && state !== null && 'damaged' in state, `${String(state)} is not damaged`);
  return String(state.damaged);
}

function change(work: (bytes: Buffer) => void): Buffer {
  const bytes = store();
  work(bytes);
  return bytes;
}

test('a store without a fault is taken as it is', async () => {
  assert.equal(await check(store()), 'ok');
});

test('a file that is absent or was only just created is no damage', async () => {
  assert.equal(await checkStoreFile(join(dir, 'nowhere')), 'absent');
  assert.equal(await check(Buffer.alloc(0)), 'absent');
});

test('a file that is something else, or the start of a store, is damaged', async () => {
  assert.match(await damage(Buffer.from('hello')), /does not start like a store/);
  assert.match(await damage(change(bytes => bytes.writeUInt32LE(1, 24))), /does not start like a store/);
  assert.match(await damage(change(bytes => bytes.writeUInt32LE(1, 28))), /does not start like a store/);
  assert.match(await damage(store().subarray(0, PAGE + 20)), /second page/);
});

test('of two meta pages the newer one counts, and the older one may be torn', async () => {
  assert.equal(await check(change(bytes => bytes.fill(0xff, 96, 152))), 'ok');
  assert.match(await damage(change(bytes => bytes.fill(0xff, PAGE + 144, PAGE + 152))), /newest meta page/);
});

test('a newer meta page that was torn before its number was written leaves the older one in force', async () => {
  const torn = change(bytes => {
    bytes.fill(0xff, PAGE + 40, PAGE + 152);
    bytes.writeBigUInt64LE(0n, PAGE + 152);
  });
  assert.equal(await check(torn), 'ok');
});

test('an impossible page size is damage', async () => {
  for (const size of [0, 100, 513, 1 << 17]) {
    await damage(change(bytes => bytes.writeUInt32LE(size, PAGE + 48)));
    await damage(change(bytes => bytes.writeUInt32LE(size, 48)));
  }
});

test('a cut file is damaged when pages in use are missing, and only then', async () => {
  assert.match(await damage(store().subarray(0, 3 * PAGE)), /page 3 is not in the file/);
  assert.match(await damage(store().subarray(0, 4 * PAGE - 1)), /page 3 is not in the file/);
  const freePageAtTheEnd = change(bytes => bytes.writeBigUInt64LE(4n, PAGE + 144));
  assert.equal(await check(freePageAtTheEnd), 'ok');
});

test('bytes after the last page are no damage: a full disk leaves them', async () => {
  assert.equal(await check(Buffer.concat([store(), Buffer.alloc(100, 7)])), 'ok');
});

test('whatever would lead LMDB astray is damage', async () => {
  const MAIN = 2 * PAGE;
  const TABLE = 3 * PAGE;
  const astray: [string, RegExp, (bytes: Buffer) => void][] = [
    ['root outside of the file', /newest meta page/, bytes => bytes.writeBigUInt64LE(9n, PAGE + 136)],
    ['root on a meta page', /newest meta page/, bytes => bytes.writeBigUInt64LE(1n, PAGE + 136)],
    ['wrong kind of page', /not what its parent says/, bytes => bytes.writeUInt16LE(0x01, TABLE + 18)],
    ['wrong page number', /not what its parent says/, bytes => bytes.writeUInt32LE(7, TABLE)],
    ['depth', /not what its parent says/, bytes => bytes.writeUInt16LE(2, PAGE + 102)],
    ['limits', /limits/, bytes => bytes.writeUInt16LE(5000, TABLE + 20)],
    ['upper limit', /limits/, bytes => bytes.writeUInt16LE(PAGE, TABLE + 22)],
    ['pointer', /outside of itself/, bytes => bytes.writeUInt16LE(PAGE, TABLE + 24)],
    ['pointer into the pointers', /outside of itself/, bytes => bytes.writeUInt16LE(0, TABLE + 24)],
    ['length of a key', /outside of itself/, bytes => bytes.writeUInt16LE(600, TABLE + 24 + 474 + 6)],
    ['length of a value', /outside of itself/, bytes => bytes.writeUInt32LE(600, TABLE + 24 + 474)],
    ['big value nowhere', /not in the file|outside of itself/, bytes => bytes.writeUInt16LE(1, TABLE + 24 + 460 + 4)],
    ['page used twice', /used twice/, bytes => bytes.writeBigUInt64LE(2n, MAIN + 24 + 431 + 9 + 40)],
    ['no table', /table that cannot be/, bytes => bytes.writeUInt16LE(0x02, TABLE + 24 + 474 + 4)],
  ];
  for (const [what, sentence, work] of astray) assert.match(await damage(change(work)), sentence, what);
});

test('keys out of order are damage', async () => {
  const withKeys = (keys: [string, string]) => Buffer.concat([store().subarray(0, 3 * PAGE), tablePage(keys)]);
  assert.equal(await check(withKeys(['a', 'ab'])), 'ok');
  assert.match(await damage(withKeys(['b', 'a'])), /out of order/);
  assert.match(await damage(withKeys(['a', 'a'])), /out of order/);
});

test('a page that is in use and called free is damage', async () => {
  const list = Buffer.alloc(16);
  list.writeBigUInt64LE(1n, 0);
  const withFree = (page: bigint) => {
    list.writeBigUInt64LE(page, 8);
    const bytes = Buffer.concat([
      store(),
      leaf(4, [{ key: '12345678', value: Buffer.from(list), flags: 0 }]),
      Buffer.alloc(PAGE),
    ]);
    bytes.writeBigUInt64LE(5n, PAGE + 144);
    tree({ root: 4n, depth: 1 }).copy(bytes, PAGE + 48);
    bytes.writeUInt32LE(PAGE, PAGE + 48);
    bytes.writeUInt16LE(0x08, PAGE + 52);
    return bytes;
  };
  assert.equal(await check(withFree(5n)), 'ok');
  assert.match(await damage(withFree(3n)), /calls page 3 free/);
  assert.match(await damage(withFree(99n)), /calls page 99 free/);
});
