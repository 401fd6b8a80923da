import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { cutWindows, type TokenWindow, windowCapacity, windowKey } from '../../src/engine/model/windows';

const CAPACITY = 256;

/** A text as the token ids of its lines. */
type Lines = readonly (readonly number[])[];

function cut(text: Lines, capacity = CAPACITY): { windows: TokenWindow[]; ids: Int32Array; lines: Uint32Array } {
  const ids = Int32Array.from(text.flat());
  const lines = Uint32Array.from(text.flatMap((line, at) => line.map(() => at + 1)));
  return { windows: cutWindows(ids, lines, { capacity }), ids, lines };
}

function keysOf(text: Lines): string[] {
  const { windows, ids } = cut(text);
  return windows.map(({ start, end }) => Buffer.from(windowKey(ids.slice(start, end))).toString('hex'));
}

/** Windows of `after` that are not among those of `before`. */
function newWindows(before: Lines, after: Lines): number {
  const known = new Set(keysOf(before));
  return new Set(keysOf(after).filter(key => !known.has(key))).size;
}

/** Numbers that repeat from run to run. */
function sequence(seed: number): (below: number) => number {
  let state = seed;
  return below => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** Lines as in code: about a quarter without tokens, the others of 1 to 14, one in six of them a line seen before. */
function codeLike(count: number, seed: number): number[][] {
  const next = sequence(seed);
  const common = Array.from({ length: 8 }, () => Array.from({ length: 1 + next(3) }, () => 1000 + next(50)));
  return Array.from({ length: count }, () => {
    if (next(4) === 0) return [];
    if (next(6) === 0) return common[next(common.length)] ?? [];
    return Array.from({ length: 1 + next(14) }, () => 1000 + next(20_000));
  });
}

function withInserted(text: Lines, at: number, line: readonly number[]): Lines {
  return [...text.slice(0, at), line, ...text.slice(at)];
}

function assertWhole({ windows, ids }: { windows: readonly TokenWindow[]; ids: Int32Array }, capacity: number): void {
  let end = 0;
  for (const window of windows) {
    assert.equal(window.start, end, 'windows follow one another');
    assert.ok(window.end - window.start <= capacity, 'no window is longer than the capacity');
    assert.ok(window.end > window.start || ids.length === 0, 'no window is empty');
    end = window.end;
  }
  assert.equal(end, ids.length, 'nothing is left out');
}

test('the capacity is whole chunks with a landmark each behind the first token', () => {
  assert.equal(windowCapacity({ window: 320, k: 64 }), 256);
  assert.equal(windowCapacity({ window: 261, k: 64 }), 256);
  assert.equal(windowCapacity({ window: 260, k: 64 }), 192);
  assert.equal(windowCapacity({ window: 66, k: 64 }), 64);
});

test('a text without tokens is one empty window, and one that fits is one window', () => {
  assert.deepEqual(cut([]).windows, [{ start: 0, end: 0 }]);
  assert.deepEqual(cut([[], [], []]).windows, [{ start: 0, end: 0 }]);
  assert.deepEqual(cut([[1, 2], [3]]).windows, [{ start: 0, end: 3 }]);
  assert.deepEqual(cut([Array<number>(CAPACITY).fill(7)]).windows, [{ start: 0, end: CAPACITY }]);
});

test('a line longer than the capacity is cut at the capacity, from its own beginning', () => {
  const line = Array.from({ length: 3000 }, (_, at) => at);
  const starts = cut([line]).windows.map(({ start }) => start);
  assert.deepEqual(starts, [0, 256, 512, 768, 1024, 1280, 1536, 1792, 2048, 2304, 2560, 2816]);
  const behind = cut([[1, 2, 3], line]).windows.map(({ start }) => start);
  assert.deepEqual(behind.slice(-3), [2563 - 256, 2563, 2819]);
});

test('windows are the text again, none too long, cut at ends of lines', () => {
  const line = fc.array(fc.integer({ min: 0, max: 4 }), { maxLength: 30 });
  fc.assert(
    fc.property(fc.array(line, { maxLength: 200 }), fc.integer({ min: 1, max: 40 }), (text, capacity) => {
      const result = cut(text, capacity);
      assertWhole(result, capacity);
      for (const { end } of result.windows) {
        const { lines } = result;
        const length = lines.filter(value => value === lines[end - 1]).length;
        assert.ok(
          end === lines.length || lines[end - 1] !== lines[end] || length > capacity,
          'a short line is not cut',
        );
      }
    }),
    { seed: 21, numRuns: 500 },
  );
});

test('the same text is cut the same way wherever its windows come to lie in the file', () => {
  const shared = codeLike(2000, 1);
  const before = keysOf([...codeLike(700, 2), ...shared]);
  const after = keysOf([...codeLike(333, 3), ...shared]);
  const common = new Set(before);
  const kept = after.filter(key => common.has(key)).length;
  assert.ok(kept >= keysOf(shared).length - 3, `${kept} of ${keysOf(shared).length} windows are found again`);
});

test('a line inserted anywhere in 5,000 lines changes at most three windows, and mostly one', () => {
  for (const seed of [4, 5, 6]) {
    const text = codeLike(5000, seed);
    const next = sequence(seed + 100);
    const counts = Array.from({ length: 25 }, (_, round) => {
      const line = Array.from({ length: 1 + next(14) }, () => 1000 + next(20_000));
      return newWindows(text, withInserted(text, round === 0 ? 0 : next(text.length), line));
    });
    assert.ok(Math.max(...counts) <= 3, `${Math.max(...counts)} windows changed`);
    assert.ok(counts.reduce((sum, count) => sum + count, 0) / counts.length < 1.5);
  }
});

test('a line taken out or changed is as cheap', () => {
  const text = codeLike(5000, 7);
  for (const at of [0, 40, 2500, 4999]) {
    assert.ok(newWindows(text, [...text.slice(0, at), ...text.slice(at + 1)]) <= 3);
    assert.ok(newWindows(text, [...text.slice(0, at), [1, 2, 3], ...text.slice(at + 1)]) <= 3);
  }
});

test('windows are well filled', () => {
  const { windows, ids } = cut(codeLike(5000, 8));
  assert.ok(ids.length / windows.length > 0.65 * CAPACITY, `${ids.length / windows.length} tokens a window`);
});

test('repetitive content is cut in equal windows, and an insertion changes few', () => {
  const identical: Lines = Array.from({ length: 5000 }, () => [1, 2, 3, 4, 5, 6, 7]);
  const periodic: Lines = Array.from(
    { length: 5000 },
    (_, at) => [[9], [1, 2], [3, 4, 5], [], [6, 7, 8, 1]][at % 5] ?? [],
  );
  for (const [text, most] of [
    [identical, 3],
    // An inserted line of lower hash than the few there are parts the run: the ends of both parts change.
    [periodic, 4],
  ] as const) {
    const keys = keysOf(text);
    // The first, those of full stride, and the last two, which share what is left.
    assert.ok(new Set(keys).size <= 4, `${new Set(keys).size} different windows`);
    assert.ok(text.flat().length / keys.length > 0.9 * CAPACITY);
    for (const at of [0, 1, 1234, 2500, 4999, 5000])
      assert.ok(newWindows(text, withInserted(text, at, [50, 51])) <= most);
  }
});

test('a long file is cut in time that grows with its length', () => {
  // With a rescan for every cut these would take minutes.
  assertWhole(cut(Array.from({ length: 100_000 }, () => [1, 2, 3, 4, 5])), CAPACITY);
  assertWhole(cut(codeLike(100_000, 9)), CAPACITY);
});

test('the key of a window is the sha256 of its ids as little-endian numbers', () => {
  const ids = Int32Array.of(99, 1, 258, 99).subarray(1, 3);
  const bytes = Uint8Array.of(1, 0, 0, 0, 2, 1, 0, 0);
  assert.deepEqual(Buffer.from(windowKey(ids)), createHash('sha256').update(bytes).digest());
});
