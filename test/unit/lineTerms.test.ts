import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { LineTerms } from '../../src/engine/lexical/lineTerms';
import { Occurrences, WantedTerms } from '../../src/engine/lexical/occurrences';

/** Both sides of every length of a packed number. */
const TERM = fc.constantFrom(0, 1, 2, 127, 65_533, 65_534, 65_535, 65_536, 131_071, 131_072, 3_000_000);
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

test('the bytes are a head of five numbers and two for each twenty lines, then units of sixteen bits', () => {
  const content = packed([[7, 65_536], [], [1]]);
  assert.deepEqual([...new Uint32Array(content.bytes.buffer, content.bytes.byteOffset, 7)], [3, 3, 1, 3, 3, 5, 3]);
  assert.deepEqual([...content.units], [4, 0, 1, 7, 0xffff, 0, 0xfffd, 1]);
  assert.equal(content.bytes.length, 28 + 2 * content.units.length);
});

test('halves of windows end where their twenty lines do', () => {
  const content = packed(Array.from({ length: 41 }, (_, line) => (line % 2 === 0 ? [line, 70_000] : [])));
  assert.deepEqual(
    [0, 1, 2].map(half => [content.endOfHalf(half) - content.firstUnit, content.termsUpTo(half)]),
    [
      [40, 20],
      [80, 40],
      [84, 42],
    ],
  );
});

/** Numbers of one unit that others have as a part, and some of those others. */
const WANTED = [0, 1, 65_533, 65_534, 65_535, 131_072, 3_000_000];

/** Line by line and term by term: slot, number of its line, and whether it follows the one before on that line. */
function foundOneByOne(
  lines: readonly (readonly number[])[],
): (readonly [slot: number, line: number, follows: boolean])[] {
  return lines.flatMap((line, number) =>
    line.flatMap((term, at) => {
      const [slot, before] = [WANTED.indexOf(term) + 1, WANTED.indexOf(line[at - 1] ?? -1)];
      return slot === 0 ? [] : [[slot, number, before >= 0] as const];
    }),
  );
}

test('the terms of a query are found where they stand, one content after another', () => {
  const wanted = new WantedTerms();
  const found = new Occurrences();
  fc.assert(
    fc.property(LINES, lines => {
      const content = packed(lines);
      wanted.during(WANTED, 3_000_001, () => found.find(content, wanted));
      const { count, slots, starts, ends, lineEnds } = found;
      const widths = lines.map(line => line.reduce((sum, term) => sum + (term < 65_535 ? 1 : 3), 0));
      const behind = widths.map((_, line) =>
        widths.slice(0, line + 1).reduce((sum, width) => sum + width, content.firstUnit),
      );
      const actual = Array.from({ length: count }, (_, at) => [
        slots[at],
        behind.indexOf(lineEnds[at] ?? -1),
        at > 0 && starts[at] === ends[at - 1] && lineEnds[at] === lineEnds[at - 1],
      ]);
      assert.deepEqual(actual, foundOneByOne(lines));
    }),
    { seed: 3, numRuns: 200 },
  );
  assert.ok(wanted.slots.every(slot => slot === 0) && wanted.telling.every(tells => tells === 0));
});
