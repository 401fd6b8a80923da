import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { prepareLine, prepareText, splitLines } from '../../src/engine/model/codeText';

/** The rule as its definition reads, one code point at a time. */
function plainRule(line: string): string {
  let split = '';
  for (let at = 0; at < line.length;) {
    const three = line.slice(at, at + 3);
    const two = three.slice(0, 2);
    if (/^[a-z0-9][A-Z]$/.test(two)) {
      split += `${two[0]} ${two[1]}`;
      at += 2;
    } else if (/^[A-Z][A-Z][a-z]$/.test(three)) {
      split += `${three[0]} ${three.slice(1)}`;
      at += 3;
    } else {
      split += line[at];
      at++;
    }
  }
  return Array.from(split, point => (/^[\p{L}\p{M}\p{Nd}\s]$/u.test(point) ? point : ' ')).join('');
}

test('words are parted where their case changes', () => {
  assert.equal(
    prepareLine('getURLForID2x parseHTTPResponse iOSVersion'),
    'get URL For ID2x parse HTTP Response i OS Version',
  );
});

test('a letter used up by one case change does not make another', () => {
  assert.equal(prepareLine('getXHeader'), 'get XHeader');
});

test('what is neither letter, mark, digit nor white space becomes one space each', () => {
  assert.equal(prepareLine('a_b.c(d)=>{"é"}; ½Ⅷ٣'), 'a b c d     é      ٣');
  assert.equal(prepareLine('[SEP]'), ' SEP ');
  assert.equal(prepareLine('a\0b\ufeffc'), 'a b\ufeffc');
  assert.equal(prepareLine('ok 🎉 fine'), 'ok   fine');
});

test('half a surrogate pair becomes a space, a whole one stays when it is a letter', () => {
  assert.equal(prepareLine('a\ud842b\udfb7c'), 'a b c');
  assert.equal(prepareLine('a\u{20bb7}b'), 'a\u{20bb7}b');
});

test('a decomposed accent stays with its letter', () => {
  assert.equal(prepareLine('cafe\u0301()'), 'cafe\u0301  ');
});

test('lines end at LF, CRLF and CR alone', () => {
  assert.deepEqual(splitLines('a\r\nb\rc\nd'), ['a', 'b', 'c', 'd']);
  assert.deepEqual(splitLines('a\n'), ['a', '']);
  assert.deepEqual(splitLines(''), ['']);
  assert.deepEqual(splitLines('a\n\r\nb\u2028c\fd'), ['a', '', 'b\u2028c\fd']);
});

test('a text is prepared line by line', () => {
  assert.deepEqual(prepareText('aB\r\nC'), ['a B', 'C']);
});

test('the fast rule is the plain rule', () => {
  const unit = fc.oneof(
    fc.constantFrom(
      ...'aZbY09_-.$ \t\f\v[]',
      'é',
      'ß',
      '\u0301',
      '中',
      '\ufeff',
      '\u00a0',
      '\u2028',
      '🎉',
      '\ud800',
      '\udc00',
      '٣',
    ),
    fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
  );
  const line = fc.array(unit, { maxLength: 60 }).map(units => units.join('').replace(/[\r\n]/g, ' '));
  fc.assert(
    fc.property(line, text => {
      assert.equal(prepareLine(text), plainRule(text));
    }),
    { seed: 7, numRuns: 2000 },
  );
  const ascii = fc.string({ unit: 'binary-ascii', maxLength: 80 });
  fc.assert(
    fc.property(ascii, text => {
      assert.equal(prepareLine(text), plainRule(text));
    }),
    { seed: 8, numRuns: 1000 },
  );
});
