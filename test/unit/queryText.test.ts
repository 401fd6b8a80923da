import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Vocabulary } from '../../src/engine/lexical/vocabulary';
import { Corpus } from '../../src/engine/search/corpus';
import { filterDocuments } from '../../src/engine/search/documentFilter';
import { parseQuery } from '../../src/engine/search/queryText';
import { contentRow } from '../support/contentRow';

const PLAIN = { exact: [], without: [], paths: [], languages: [], withoutPaths: [], withoutLanguages: [] };

test('plain words stay as they are', () => {
  for (const query of [
    'retry failed uploads',
    'pass --force to git',
    'x - y',
    '-1',
    'a-b',
    'std::vector -> x',
    'say "',
  ]) {
    assert.deepEqual(parseQuery(query), { ...PLAIN, text: query });
  }
});

test('filters are taken out of the words', () => {
  assert.deepEqual(parseQuery('path:src/net retry -mock lang:py'), {
    ...PLAIN,
    text: 'retry',
    without: ['mock'],
    paths: ['src/net'],
    languages: ['python'],
  });
  assert.deepEqual(parseQuery('path:"my folder" lang:.TS a').paths, ['my folder']);
  assert.deepEqual(parseQuery('path:"my folder" lang:.TS a').languages, ['typescript']);
  assert.deepEqual(parseQuery('lang:cobol').languages, ['cobol']);
  assert.deepEqual(parseQuery('retry -path:test -lang:md'), {
    ...PLAIN,
    text: 'retry',
    withoutPaths: ['test'],
    withoutLanguages: ['markdown'],
  });
});

test('quoted text is exact and is asked for too', () => {
  assert.deepEqual(parseQuery('where is "could not connect" thrown'), {
    ...PLAIN,
    text: 'where is could not connect thrown',
    exact: ['could not connect'],
  });
});

test('any text can be read, and reading what is left changes nothing more', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 60 }), query => {
      const { text } = parseQuery(query);
      assert.equal(parseQuery(text.replaceAll('"', '')).exact.length, 0);
    }),
    { seed: 3, numRuns: 2000 },
  );
  assert.ok(parseQuery('"'.repeat(50_000)).exact.length === 0);
});

function corpus() {
  const vocabulary = new Vocabulary();
  const made = new Corpus(vocabulary);
  const files = {
    'src/net/retry.ts': 'could not connect\nretry the upload\n',
    'src/net/mock.ts': 'connect could not\nmock of retry\n',
    'lib/retry.py': 'retry\ncould\nnot connect\n',
  };
  for (const [path, text] of Object.entries(files)) made.put(path, 1, path, contentRow(path, text, vocabulary));
  return { made, vocabulary };
}

function filtered(query: string, narrowing: Parameters<typeof filterDocuments>[1] = {}) {
  const { made, vocabulary } = corpus();
  const { allowed, note } = filterDocuments(parseQuery(query), narrowing, made, vocabulary);
  const paths = [...made.documents()].filter(({ doc }) => allowed?.[doc] !== 0).map(({ path }) => path);
  return { paths: paths.sort(), note };
}

test('filters narrow the files before anything is ranked', () => {
  assert.deepEqual(filtered('retry').paths.length, 3);
  assert.deepEqual(filtered('retry path:src').paths, ['src/net/mock.ts', 'src/net/retry.ts']);
  assert.deepEqual(filtered('retry path:src path:lib').paths.length, 3, 'several paths are alternatives');
  assert.deepEqual(filtered('retry path:src', { scope: 'lib' }).paths, [], 'path and scope hold both');
  assert.deepEqual(filtered('retry lang:python').paths, ['lib/retry.py']);
  assert.deepEqual(filtered('retry -lang:python -path:*mock*').paths, ['src/net/retry.ts']);
  assert.deepEqual(filtered('retry -mock').paths, ['lib/retry.py', 'src/net/retry.ts']);
});

test('a scope that holds no file finds nothing and is named', () => {
  assert.deepEqual(filtered('retry', { scope: 'srcs' }), {
    paths: [],
    note: { kind: 'scope-empty', scopes: ['srcs'] },
  });
  assert.deepEqual(filtered('retry path:*.rb path:vendor').note, { kind: 'scope-empty', scopes: ['*.rb', 'vendor'] });
  assert.equal(filtered('retry', { scope: 'src' }).note, undefined);
  assert.equal(filtered('retry path:src', { scope: 'lib' }).note, undefined, 'each of them holds files');
});

test('a request can name the files, or a file in whose language they must be', () => {
  assert.deepEqual(filtered('retry', { files: ['lib/retry.py', 'src/net/mock.ts', 'gone.ts'] }).paths, [
    'lib/retry.py',
    'src/net/mock.ts',
  ]);
  assert.deepEqual(filtered('retry path:src', { files: ['lib/retry.py', 'src/net/mock.ts'] }).paths, [
    'src/net/mock.ts',
  ]);
  assert.deepEqual(filtered('retry', { files: [] }).paths, []);
  assert.deepEqual(filtered('retry', { sameLanguageAs: 'other/place.pyi' }).paths, ['lib/retry.py']);
  assert.deepEqual(filtered('retry', { sameLanguageAs: 'notes.unknown' }).paths, []);
});

test('quoted words must stand together on one line; when they do nowhere, the note says so', () => {
  assert.deepEqual(filtered('"could not connect"'), { paths: ['src/net/retry.ts'], note: undefined });
  const nowhere = filtered('"upload retry"');
  assert.equal(nowhere.paths.length, 3);
  assert.deepEqual(nowhere.note, { kind: 'quotes-not-found', quotes: ['upload retry'] });
});
