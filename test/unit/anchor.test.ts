import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { anchorPlace } from '../../src/extension/model/anchor';

const live = (lines: readonly string[]) => ({ count: lines.length, lineAt: (index: number) => lines[index] ?? '' });
const numbered = (count: number) => Array.from({ length: count }, (_, index) => `line ${index + 1}`);
const place = { line: 10, lineText: 'line 10', startLine: 8, endLine: 12 };

test('a place of an unchanged document stays where it was', () => {
  assert.deepEqual(anchorPlace(place, live(numbered(20))), { line: 10, startLine: 8, endLine: 12, found: true });
});

test('thirty lines inserted above move the place by thirty', () => {
  const lines = [...Array<string>(30).fill('// new'), ...numbered(20)];
  assert.deepEqual(anchorPlace(place, live(lines)), { line: 40, startLine: 38, endLine: 42, found: true });
});

test('lines removed above move the place up', () => {
  assert.deepEqual(anchorPlace(place, live(numbered(20).slice(5))), { line: 5, startLine: 3, endLine: 7, found: true });
});

test('of several equal lines the nearest counts', () => {
  const lines = ['return 1;', 'a', 'b', 'return 1;', 'c', 'return 1;'];
  const at = anchorPlace({ line: 5, lineText: 'return 1;', startLine: 5, endLine: 5 }, live(lines));
  assert.equal(at.line, 4);
});

test('knowing what was saved, an edit above moves a line that occurs many times exactly', () => {
  const saved = ['}', 'a', '}', 'b', '}', 'c', '}'];
  const lines = ['}', 'new', '}', 'new', 'a', '}', 'b', '}', 'c', '}'];
  const at = anchorPlace({ line: 5, lineText: '}', startLine: 4, endLine: 5 }, live(lines), saved);
  assert.deepEqual(at, { line: 8, startLine: 7, endLine: 8, found: true });
});

test('a line that was only indented is found', () => {
  const at = anchorPlace(
    { line: 1, lineText: 'call();', startLine: 1, endLine: 1 },
    live(['if (x) {', '    call();', '}']),
  );
  assert.deepEqual(at, { line: 2, startLine: 2, endLine: 2, found: true });
});

test('a line that is gone leaves the number, inside the document', () => {
  assert.deepEqual(anchorPlace(place, live(['other', 'text'])), { line: 2, startLine: 1, endLine: 2, found: false });
});

test('a blank line is no mark to look for', () => {
  const at = anchorPlace({ line: 2, lineText: '  ', startLine: 1, endLine: 3 }, live(['a', '', 'b', '  ']));
  assert.equal(at.line, 2);
});

test('whatever is inserted elsewhere, a unique line is found again', () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom('x', 'y', '', '}'), { maxLength: 40 }),
      fc.array(fc.constantFrom('x', 'y', '', '}'), { maxLength: 40 }),
      fc.nat({ max: 60 }),
      (before, after, was) => {
        const lines = [...before, 'the unique line', ...after];
        const at = anchorPlace(
          { line: was + 1, lineText: 'the unique line', startLine: was + 1, endLine: was + 1 },
          live(lines),
        );
        assert.equal(at.line, before.length + 1);
      },
    ),
    { seed: 7 },
  );
});
