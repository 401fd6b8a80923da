import assert from 'node:assert/strict';
import { test } from 'node:test';
import { otherSpellings } from '../../src/engine/indexing/spellings';

const KNOWN = ['README.md', 'src/foo.ts', 'src/bar.ts', 'src-old/foo.ts', 'Lib/Deep/a.ts', 'lib/b.ts', 'straße/x.ts'];

test('a file whose name changed its case is looked at under its former name', () => {
  assert.deepEqual(otherSpellings(['src/Foo.ts'], KNOWN), ['src/foo.ts']);
  assert.deepEqual(otherSpellings(['readme.MD'], KNOWN), ['README.md']);
});

test('an event that names a file in another case leads to the known one', () => {
  assert.deepEqual(otherSpellings(['SRC/FOO.TS'], KNOWN), ['src/foo.ts']);
});

test('a folder whose name changed its case is looked at under its former name, by whole segments', () => {
  assert.deepEqual(otherSpellings(['SRC'], KNOWN), ['src']);
  assert.deepEqual(otherSpellings(['LIB/deep'], KNOWN), ['Lib/Deep']);
  assert.deepEqual(otherSpellings(['LIB'], KNOWN).sort(), ['Lib', 'lib']);
  assert.deepEqual(otherSpellings(['STRASSE', 'STRAßE'], KNOWN), ['straße']);
});

test('what is spelled as it is known, or not known at all, has no others', () => {
  assert.deepEqual(otherSpellings(['src/foo.ts', 'src', 'new.ts', ''], KNOWN), []);
  assert.deepEqual(otherSpellings([], KNOWN), []);
  assert.deepEqual(otherSpellings(['lib'], KNOWN), ['Lib']);
});
