import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HashKeys } from '../../src/util/hashKeys';
import { randomNumbers } from '../support/vectors';

const hex = (key: Uint8Array): string => Buffer.from(key).toString('hex');

/** Random keys; `spread` = 1 makes all of them want the same slot, greater ones fewer. */
function keys(count: number, random: () => number, spread = 256): Uint8Array[] {
  return Array.from({ length: count }, () =>
    Uint8Array.from({ length: 32 }, (_, at) => Math.floor(random() * (at < 4 ? spread : 256))),
  );
}

function assertSame(set: HashKeys, model: ReadonlyMap<string, number>): void {
  assert.equal(set.size, model.size);
  assert.deepEqual(new Map([...set.numbers()].map(number => [hex(set.keyOf(number)), number])), model);
  for (const [key, number] of model) assert.equal(set.numberOf(Buffer.from(key, 'hex')), number);
}

for (const [what, count, spread] of [
  ['', 3000, 256],
  [', also when they crowd in a few slots', 60, 2],
  [', also when all want one slot, the last', 40, 1],
] as const) {
  test(`after any adding and deleting the keys are those of a map, each under a number of its own${what}`, () => {
    const random = randomNumbers(20_261_130);
    const all = keys(count, random, spread);
    if (spread === 1) for (const key of all) key.fill(255, 0, 4);
    const set = new HashKeys();
    const model = new Map<string, number>();
    let most = 0;
    for (let step = 0; step < 20_000; step++) {
      const key = all[Math.floor(random() * count)] as Uint8Array;
      const known = model.get(hex(key));
      assert.equal(set.has(key), known !== undefined);
      // Now mostly adding, now mostly deleting.
      if (random() < (step % 8000 < 4000 ? 0.7 : 0.3)) {
        const number = set.add(key);
        if (known === undefined) assert.ok(![...(step % 500 === 0 ? model.values() : [])].includes(number));
        else assert.equal(number, known);
        model.set(hex(key), number);
        most = Math.max(most, model.size);
        assert.ok(number < most, 'numbers are given out again');
      } else {
        assert.equal(set.delete(key), known ?? -1);
        model.delete(hex(key));
      }
      if (step % 1000 === 0) assertSame(set, model);
    }
    assertSame(set, model);
    set.clear();
    assertSame(set, new Map());
    assert.equal(set.add(all[0] as Uint8Array), 0);
  });
}

test('a key is copied, numbers go up from 0 and keys are listed by them', () => {
  const [one, other] = keys(2, randomNumbers(1)) as [Uint8Array, Uint8Array];
  const before = Uint8Array.from(one);
  const set = new HashKeys([one, other, one]);
  one.fill(0);
  assert.deepEqual([...set.keys()], [before, other]);
  assert.equal(set.numberOf(before), 0);
  assert.equal(set.numberOf(one), -1);
});

test('a key of another length is refused', () => {
  assert.throws(() => new HashKeys().add(new Uint8Array(31)), RangeError);
  assert.throws(() => new HashKeys().has(new Uint8Array(33)), RangeError);
});

test('many keys take at most 46 bytes each', () => {
  const random = randomNumbers(2);
  const words = new Uint32Array(8);
  const set = new HashKeys();
  for (let at = 0; at < 200_000; at++) {
    for (let word = 0; word < 8; word++) words[word] = random() * 0x100000000;
    set.add(new Uint8Array(words.buffer));
    // Blocks of a thousand weigh little from here on.
    if (at > 50_000) assert.ok(set.byteLength <= set.size * 46 + 33 * 1024, `${set.byteLength} bytes for ${set.size}`);
  }
  assert.equal(set.size, 200_000);
});
