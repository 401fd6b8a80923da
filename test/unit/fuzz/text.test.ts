import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { prepareText, splitLines } from '../../../src/engine/model/codeText';
import { chunkSpans, landmarkCount, layoutWindow } from '../../../src/engine/model/landmarkLayout';
import { TextTokenizer } from '../../../src/engine/model/textTokenizer';
import { cutWindows, windowKey } from '../../../src/engine/model/windows';
import { holds } from '../../support/amount';
import { testModel } from '../../support/engineRuntime';

const unit = fc.oneof(
  fc.constantFrom(...'aZbYx09_-.$ \t\f\v[]\n\r', '\r\n', 'é', 'ß', '\u0301', '中', '\ufeff', '\u2028', '🎉', '\ud800'),
  fc.constantFrom('[SEP]', '[CLS]', 'getHTTPUrl', 'return', '𠀀', 'Σ', '\0'),
  fc.string({ unit: 'binary', minLength: 1, maxLength: 3 }),
);
const text = fc.array(unit, { maxLength: 80 }).map(units => units.join(''));

test('preparing keeps every line, and of each line its letters, marks and digits in their order', () => {
  const kept = (line: string): string => line.replace(/[^\p{L}\p{M}\p{Nd}]/gu, '');
  const property = fc.property(text, source => {
    const [lines, prepared] = [splitLines(source), prepareText(source)];
    assert.equal(prepared.length, lines.length);
    for (const [at, line] of prepared.entries()) {
      assert.equal(kept(line), kept(lines[at] ?? ''));
      assert.doesNotMatch(line, /[^\p{L}\p{M}\p{Nd}\s]/u);
    }
  });
  holds('preparation', 101, 3000, property);
});

/** Token ids with the line of each; some lines have none. */
const tokens = fc.array(fc.array(fc.integer({ min: 0, max: 40 }), { maxLength: 12 }), { maxLength: 60 }).map(lines => ({
  ids: Int32Array.from(lines.flat()),
  lines: Uint32Array.from(lines.flatMap((line, at) => line.map(() => at + 1))),
}));

test('windows take every token once, in order, and none is too long', () => {
  const property = fc.property(tokens, fc.integer({ min: 1, max: 40 }), ({ ids, lines }, capacity) => {
    const windows = cutWindows(ids, lines, { capacity });
    assert.equal(windows[0]?.start, 0);
    assert.equal(windows.at(-1)?.end, ids.length);
    for (const [at, { start, end }] of windows.entries()) {
      assert.ok(end - start <= capacity && (end > start || ids.length === 0));
      assert.equal(start, windows[at - 1]?.end ?? 0);
    }
    // What lies before a text, or which numbers its lines have, does not change what it is cut into.
    assert.deepEqual(
      cutWindows(
        ids.slice(),
        lines.map(line => line + 1000),
        { capacity },
      ),
      windows,
    );
  });
  holds('windows', 102, 3000, property);
});

test('a layout holds the tokens in order between its landmarks, and its spans every line of theirs', () => {
  const [clsId, landmarkId] = [101, 102];
  const property = fc.property(tokens, fc.integer({ min: 1, max: 40 }), ({ ids, lines }, k) => {
    const { inputIds, landmarks } = layoutWindow(ids, { k, clsId, landmarkId });
    const places = new Set(landmarks);
    assert.equal(places.size, landmarkCount(ids.length, k));
    assert.equal(inputIds[0], clsId);
    for (const place of places) assert.equal(inputIds[place], landmarkId);
    assert.deepEqual(
      inputIds.filter((_, at) => at > 0 && !places.has(at)),
      ids,
    );
    assert.equal(landmarks.at(-1), inputIds.length - 1);
    const spans = chunkSpans(lines, k);
    assert.equal(spans.length, landmarks.length);
    for (const [at, line] of lines.entries()) {
      const [first = 0, last = 0] = spans[Math.floor(at / k)] ?? [];
      assert.ok(first <= line && line <= last);
    }
  });
  holds('layout', 103, 3000, property);
});

test('tokenising in parts of a text or as a whole gives the same ids, each with its line, none of them special', async () => {
  const model = await testModel();
  const tokenizer = await TextTokenizer.load(model);
  const property = fc.property(text, source => {
    const { ids, lines, lineCount } = tokenizer.encodeText(source);
    const byLine = prepareText(source).map(line => tokenizer.encodeLine(line));
    assert.equal(lineCount, byLine.length);
    assert.deepEqual([...ids], byLine.flat());
    assert.deepEqual(
      [...lines],
      byLine.flatMap((line, at) => line.map(() => at + 1)),
    );
    assert.ok(!ids.includes(tokenizer.clsId) && !ids.includes(tokenizer.landmarkId));
    for (const { start, end } of cutWindows(ids, lines, { capacity: 7 })) windowKey(ids.subarray(start, end));
  });
  holds('tokens', 104, 3000, property);
});
