import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { LineTerms } from '../../src/engine/lexical/lineTerms';
import { Occurrences } from '../../src/engine/lexical/occurrences';

/** Both sides of every length of a packed number. */
const TERM = fc.constantFrom(0, 1, 2, 127, 65_534, 65_535, 65_536, 131_071, 131_072, 3_000_000);
const LINE = fc.oneof(
  { arbitrary: fc.array(TERM, { maxLength: 6 }), weight: 9 },
  { arbitrary: TERM.map(term => new Array<number>(65_540).fill(term)), weight: 1 },
);
const LINES = fc.array(LINE, { maxLength: 8 });

/** For each line the number of terms up to and including it. */
function endsOf(lines: readonly (readonly number[])[]): number[] {
  let count = 0;
  return lines.map(line => (count += line.length));
}

function packed(lines: readonly (readonly number[])[]): LineTerms {
  return LineTerms.pack(Uint32Array.from(lines.flat()), Uint32Array.from(endsOf(lines)));
}

test('what is packed is read again, term by term and line by line', () => {
  fc.assert(
    fc.property(LINES, lines => {
      const content = packed(lines);
      const terms: number[] = [];
      content.each(term => terms.push(term));
      assert.deepEqual(terms, lines.flat());
      assert.equal(content.termCount, terms.length);
      assert.equal(content.lineCount, lines.length);
    }),
    { seed: 2, numRuns: 100 },
  );
});

test('what is packed is the same from a copy of its bytes, wherever that lies', () => {
  fc.assert(
    fc.property(LINES, fc.nat(5), (lines, offset) => {
      const content = packed(lines);
      const place = new Uint8Array(content.bytes.length + 40).fill(0xee).subarray(offset * 4);
      place.set(content.bytes);
      const again = LineTerms.of(place.subarray(0, content.bytes.length));
      assert.deepEqual(again.units, content.units);
      assert.deepEqual(
        [again.lineCount, again.termCount, again.windows],
        [content.lineCount, content.termCount, content.windows],
      );
    }),
    { seed: 6, numRuns: 100 },
  );
});

test('the bytes are a head of four numbers, then units of sixteen bits', () => {
  const content = packed([[7, 65_536], [], [1]]);
  assert.deepEqual([...new Uint32Array(content.bytes.buffer, content.bytes.byteOffset, 4)], [3, 3, 1, 3]);
  assert.deepEqual([...content.units], [2, 7, 0xffff, 0, 1, 0, 1, 1]);
  assert.equal(content.bytes.length, 16 + 2 * content.units.length);
});

test('the terms of a query are found where they stand, one content after another', () => {
  const slotOf = new Uint8Array(3_000_001);
  for (const [slot, term] of [1, 65_535, 131_072, 3_000_000].entries()) slotOf[term] = slot + 1;
  const occurrences = new Occurrences();
  fc.assert(
    fc.property(LINES, lines => {
      occurrences.find(packed(lines), slotOf);
      const expected = lines.flat().flatMap((term, at) => (slotOf[term] === 0 ? [] : [[at, slotOf[term]]]));
      const found = Array.from({ length: occurrences.count }, (_, at) => [
        occurrences.positions[at],
        occurrences.slots[at],
      ]);
      assert.deepEqual(found, expected);
      assert.equal(occurrences.lineCount, lines.length);
      assert.deepEqual([...occurrences.lineEnds.subarray(0, lines.length)], endsOf(lines));
    }),
    { seed: 3, numRuns: 100 },
  );
});
