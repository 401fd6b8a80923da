import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { TermTable } from '../../src/engine/lexical/termTable';

test('texts of any kind get the numbers that a plain Map gives them, and are found and given back by them', () => {
  const text = fc.oneof(
    fc.string({ maxLength: 6, unit: fc.constantFrom('a', 'b', 'é', '漢', '😀', '') }),
    fc.string({ maxLength: 300, unit: 'grapheme' }),
  );
  fc.assert(
    fc.property(fc.array(text, { maxLength: 200 }), texts => {
      const table = new TermTable();
      const numbers = new Map<string, number>();
      for (const [at, one] of texts.entries()) {
        if (!numbers.has(one)) numbers.set(one, numbers.size);
        const number = at % 2 === 0 ? table.add(one) : table.addBytes(Buffer.from(one));
        assert.equal(number, numbers.get(one));
      }
      assert.equal(table.size, numbers.size);
      for (const [one, number] of numbers) {
        assert.equal(table.numberOf(one), number);
        assert.equal(table.textOf(number), one);
        assert.equal(table.numberOf(`${one}x`), numbers.get(`${one}x`));
      }
    }),
    { seed: 12, numRuns: 300 },
  );
});

test('a hundred thousand texts stay apart', () => {
  const table = new TermTable();
  for (let at = 0; at < 100_000; at++) assert.equal(table.add(`term${at * 7919}`), at);
  for (let at = 0; at < 100_000; at += 97) {
    assert.equal(table.numberOf(`term${at * 7919}`), at);
    assert.equal(table.textOf(at), `term${at * 7919}`);
  }
  assert.equal(table.numberOf('term'), undefined);
});
