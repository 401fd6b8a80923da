import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { parseQuery } from '../../src/engine/search/queryText';
import { matchingRanges, wordsOf } from '../../src/extension/model/matchingWords';
import { forget, historyFrom, remember } from '../../src/extension/model/queryHistory';
import type { ScopeContext, ScopeKey } from '../../src/extension/model/searchScope';
import { isUnlimited, narrowingFor, scopeOf, scopeText } from '../../src/extension/model/searchScope';
import { selectionQuery } from '../../src/extension/model/selectionQuery';

const context: ScopeContext = {
  file: { root: '/w', path: 'src/auth/login.ts' },
  openFiles: [
    { root: '/w', path: 'src/auth/login.ts' },
    { root: '/w', path: 'README.md' },
    { root: '/v', path: 'x.py' },
  ],
};
const scope = (...keys: ScopeKey[]) => scopeOf(new Set(keys), context);

test('no button pressed is no limit', () => {
  assert.ok(isUnlimited(scope()));
  assert.deepEqual(narrowingFor(scope(), '/w'), {});
  assert.equal(scopeText(scope()), '');
});

test('every button narrows by itself, together they all hold', () => {
  assert.deepEqual(narrowingFor(scope('folder'), '/w'), { scope: 'src/auth' });
  assert.deepEqual(narrowingFor(scope('language'), '/w'), { sameLanguageAs: 'src/auth/login.ts' });
  assert.deepEqual(narrowingFor(scope('openFiles'), '/w'), { files: ['src/auth/login.ts', 'README.md'] });
  assert.deepEqual(narrowingFor(scope('openFiles', 'language', 'folder'), '/w'), {
    scope: 'src/auth',
    sameLanguageAs: 'src/auth/login.ts',
    files: ['src/auth/login.ts', 'README.md'],
  });
  assert.equal(scopeText(scope('folder', 'language', 'openFiles')), 'src/auth, language of login.ts, open files');
});

test('a workspace folder with nothing of the scope is left out', () => {
  assert.equal(narrowingFor(scope('folder'), '/v'), undefined);
  assert.equal(narrowingFor(scope('openFiles'), '/u'), undefined);
  assert.deepEqual(narrowingFor(scope('openFiles'), '/v'), { files: ['x.py'] });
});

test('the top folder is no limit inside its own workspace folder, and only there', () => {
  const top = scopeOf(new Set(['folder']), { file: { root: '/w', path: 'README.md' }, openFiles: [] });
  assert.deepEqual(narrowingFor(top, '/w'), {});
  assert.equal(narrowingFor(top, '/v'), undefined);
  assert.equal(scopeText(top), 'top folder');
});

test('a button that means nothing here does nothing', () => {
  assert.ok(isUnlimited(scopeOf(new Set(['folder', 'language']), { openFiles: [] })));
});

test('the history has every question once, the last one first, and no more than thirty', () => {
  assert.deepEqual(remember(['a', 'b', 'c'], ' c '), ['c', 'a', 'b']);
  assert.deepEqual(remember(['a'], '   '), ['a']);
  assert.deepEqual(remember(['a'], 'x'.repeat(301)), ['a']);
  assert.deepEqual(forget(['a', 'b'], 'a'), ['b']);
  const many = Array.from({ length: 40 }, (_, index) => `question ${index}`).reduce(remember, [] as readonly string[]);
  assert.equal(many.length, 30);
  assert.equal(many[0], 'question 39');
});

test('a history that was stored by something else is none', () => {
  assert.deepEqual(historyFrom(undefined), []);
  assert.deepEqual(historyFrom({ a: 1 }), []);
  assert.deepEqual(historyFrom(['a', 7, 'b']), ['a', 'b']);
});

test('selected text is a question of plain words', () => {
  assert.equal(selectionQuery('  if (ok) {\n\treturn "no -way";\n}'), 'if (ok) { return no way ; }');
  assert.equal(selectionQuery('path:src lang:ts -path:x'), 'path src lang ts path x');
  assert.equal(selectionQuery('--force a-b x - 1'), '--force a-b x - 1');
  assert.equal(selectionQuery(' });\n'), '');
  assert.ok(selectionQuery('word '.repeat(1000)).length <= 500);
});

test('no selection is taken for a filter', () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom('path:', 'lang:', '-', '"', ' ', 'a', 'Lang:x', '\n', '-b'), { maxLength: 12 }),
      parts => {
        const { exact, without, paths, languages, withoutPaths, withoutLanguages } = parseQuery(
          selectionQuery(parts.join('')),
        );
        assert.deepEqual([exact, without, paths, languages, withoutPaths, withoutLanguages], [[], [], [], [], [], []]);
      },
    ),
    { seed: 11, numRuns: 3000 },
  );
});

const marked = (line: string, query: string): string[] =>
  matchingRanges(line, wordsOf(query)).map(([start, end]) => line.slice(start, end));

test('the words of the question are marked in a line, also as parts of names', () => {
  assert.deepEqual(marked('const hashedPassword = hash(pass_word);', 'compare the hashed password'), [
    'hashedPassword',
    'hash',
  ]);
  assert.deepEqual(marked('readHTTPResponse(http)', 'http response'), ['HTTPResponse', 'http']);
  assert.deepEqual(marked('the retries of uploads', 'how is an upload retried'), ['retries', 'uploads']);
  assert.deepEqual(marked('größe der Übergabe', 'Größe übergabe'), ['größe', 'Übergabe']);
  assert.deepEqual(marked('where the password is', 'where is the token'), []);
});

test('filters and words that must not be there are not marked', () => {
  assert.deepEqual(marked('src python mock retry', 'retry path:src lang:python -mock'), ['retry']);
});

test('marks are in order, inside the line, and do not touch', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 60 }), fc.string({ maxLength: 30 }), (line, query) => {
      const flat = matchingRanges(line, wordsOf(query)).flat();
      assert.ok(flat.every((at, index) => at >= 0 && at <= line.length && at > (flat[index - 1] ?? -1)));
    }),
    { seed: 12 },
  );
});
