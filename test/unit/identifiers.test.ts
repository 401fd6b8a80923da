import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { splitIdentifier, tokenize } from '../../src/engine/lexical/identifiers';
import { lexicalContent } from '../../src/engine/lexical/lexicalContent';
import { queryTerms, UNKNOWN_TERM } from '../../src/engine/lexical/queryTerms';
import { Vocabulary } from '../../src/engine/lexical/vocabulary';

const STOP = new Set(
  'a an the of to in on for and or with when if is are be by from as at it its this that not'.split(' '),
);

/** The same splitting said with regular expressions, for ASCII. */
function slowTokens(text: string): string[] {
  const terms: string[] = [];
  for (const [identifier] of text.matchAll(/[A-Za-z_$][A-Za-z0-9_$]*|[0-9]+/g)) {
    const words = [...identifier.matchAll(/[A-Za-z]+|[0-9]+/g)].map(([word]) => word);
    const parts = words
      .flatMap(word =>
        /^[0-9]/.test(word)
          ? [word]
          : [...word.matchAll(/[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+/g)].map(([part]) => part),
      )
      .map(part => part.toLowerCase());
    for (const part of parts) if (part.length > 1 && !STOP.has(part)) terms.push(slowSingular(part));
    if (parts.length > 1) terms.push(parts.join(''));
  }
  return terms;
}

function slowSingular(word: string): string {
  if (/^.{3,}ies$/.test(word)) return word.replace(/ies$/, 'y');
  if (/^.{3,}[sxzh]es$/.test(word)) return word.replace(/es$/, '');
  return /^.{2,}[^s]s$/.test(word) ? word.replace(/s$/, '') : word;
}

test('identifiers are split at humps, underscores and digits and kept whole beside', () => {
  assert.deepEqual(tokenize('parseHTTPHeaders2'), ['parse', 'http', 'header', 'parsehttpheaders2']);
  assert.deepEqual(tokenize('MAX_FILE_SIZE = 10'), ['max', 'file', 'size', 'maxfilesize', '10']);
  assert.deepEqual(tokenize('$el __init__ x'), ['el', 'init']);
  assert.deepEqual(tokenize('0xFF 3rd'), ['ff', 'xff', 'rd']);
});

test('stop words go as parts and stay in the whole', () => {
  assert.deepEqual(tokenize('the list isNotEmpty'), ['list', 'empty', 'isnotempty']);
});

test('only plural endings are taken away', () => {
  assert.deepEqual(tokenize('queries matches classes files class bus ties'), [
    'query',
    'match',
    'class',
    'file',
    'class',
    'bus',
    'tie',
  ]);
});

test('words of other scripts are terms too', () => {
  assert.deepEqual(tokenize('ошибка ЧтениеФайла'), ['ошибка', 'чтение', 'фаила', 'чтениефаила']);
  assert.deepEqual(tokenize('Café größeÄndern naïve'), ['cafe', 'große', 'andern', 'großeandern', 'naive']);
  assert.deepEqual(tokenize('cafe\u0301'), ['cafe'], 'an accent of its own is the same accent');
  assert.deepEqual(tokenize('检索代码 値'), ['检索', '索代', '代码', '値']);
  assert.deepEqual(tokenize('获取userName数据'), ['获取', 'user', 'name', 'username', '数据']);
  assert.deepEqual(tokenize('हिन्दी कोड'), ['हिन्दी', 'कोड']);
  assert.deepEqual(tokenize('𠮷野家'), ['𠮷野', '野家'], 'pairs of characters, not of code units');
});

test('symbols, emoji and lone surrogates are between words', () => {
  assert.deepEqual(tokenize('open🚀file \ud800close\udc00 → end'), ['open', 'file', 'close', 'end']);
});

test('ASCII text is split as the regular expressions say', () => {
  const piece = fc.constantFrom(...'aAbBsSeExXzhyiI01_$. -(é\n'.split(''), 'ies', 'Ses', 'HTTP', 'not', 'Class');
  const text = fc.array(piece, { maxLength: 40 }).map(pieces => pieces.join('').replaceAll('é', ' '));
  fc.assert(
    fc.property(text, value => assert.deepEqual(tokenize(value), slowTokens(value))),
    { seed: 7, numRuns: 2000 },
  );
});

test('no text makes the splitting slow, and no blob fills the vocabulary with itself', () => {
  const terms = ['A', 'aB', 'é', '_', '检', '\u0301', 'a1'].flatMap(unit => tokenize(unit.repeat(300_000)));
  assert.ok(terms.every(term => term.length <= 128));
  assert.deepEqual(splitIdentifier('x'.repeat(1000)), ['x'.repeat(64)]);
});

test('a vocabulary numbers terms in the order of their first use and can be read back', () => {
  const vocabulary = new Vocabulary();
  assert.deepEqual([...vocabulary.addIdentifier('readFile'), vocabulary.add('file')], [0, 1, 2, 1]);
  assert.deepEqual(vocabulary.termsFrom(1), ['file', 'readfile']);
  const again = new Vocabulary(vocabulary.termsFrom(0));
  assert.equal(again.idOf('readfile'), 2);
  assert.equal(again.termOf(0), 'read');
  assert.equal(again.idOf('constructor'), undefined);
  assert.throws(() => again.termOf(3), RangeError);
  assert.throws(() => new Vocabulary(['a', 'a']), RangeError);
});

test('a content is the terms of its lines, none cut and none left out', () => {
  const vocabulary = new Vocabulary();
  const long = 'word '.repeat(50_000) + 'needleAtTheEnd';
  const content = lexicalContent(['let readFile;', '', long], 'ts', vocabulary);
  assert.deepEqual([...content.lineEnds], [4, 4, 4 + 50_000 + 3]);
  assert.deepEqual(
    [...content.terms.subarray(0, 4), ...content.terms.subarray(-3)].map(id => vocabulary.termOf(id)),
    ['let', 'read', 'file', 'readfile', 'needle', 'end', 'needleattheend'],
  );
  assert.equal(content.terms.buffer.byteLength, content.terms.byteLength, 'no work space is kept with it');
});

test('a query knows which of its terms no file has, and adds none', () => {
  const vocabulary = new Vocabulary(['read', 'file']);
  const query = queryTerms('read the quantum files, read', vocabulary);
  assert.deepEqual(query.tokens, ['read', 'quantum', 'file', 'read']);
  assert.deepEqual(query.sequence, [0, UNKNOWN_TERM, 1, 0]);
  assert.deepEqual(query.distinct, [0, 1]);
  assert.equal(vocabulary.size, 2);
});

test('any text has an end as an identifier, also one that is none', () => {
  assert.deepEqual(splitIdentifier('getName函数'), ['get', 'name', 'getname']);
  assert.deepEqual(splitIdentifier('takeAll½'), ['take', 'all', 'takeall']);
  const characters = fc.constantFrom(...'aZ_$9 ½²漢かᄀไ.é', 'e\u0301', 'क', 'ि', '\ud83d', '\udc00', '𝒳');
  fc.assert(
    fc.property(fc.array(characters, { maxLength: 12 }), text => {
      assert.ok(splitIdentifier(text.join('')).length <= 2 * text.join('').length + 1);
    }),
    { seed: 11, numRuns: 500 },
  );
});
