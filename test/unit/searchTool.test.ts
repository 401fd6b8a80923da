import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import type { SearchHit, SearchResponse } from '../../src/engine/types';
import { searchAnswer, searchAnswerText } from '../../src/tools/searchAnswer';
import { SEARCH_TOOL } from '../../src/extension/ids';
import { checkSearchInput, SEARCH_SCHEMA, searchRequestOf } from '../../src/tools/searchTool';

function hit(path: string, more: Partial<SearchHit> = {}): SearchHit {
  const place = { startLine: 10, endLine: 29, score: 1, line: 12, lineText: '\tretry();' };
  return { path, score: 1.23456, weak: false, arms: {}, places: [place], ...more };
}

function response(results: readonly SearchHit[], more: Partial<SearchResponse> = {}): SearchResponse {
  return { query: 'q', complete: 1, timing: { loadMs: 0, queryMs: 0 }, results, ...more };
}

test('an input becomes a search with its limit, its scope and its language', () => {
  assert.deepEqual(searchRequestOf({ query: 'retry' }), { query: 'retry', limit: 10 });
  assert.deepEqual(searchRequestOf({ query: 'retry "a b"', limit: 3, path: 'src', language: 'c++' }), {
    query: 'retry "a b" lang:c++',
    limit: 3,
    scope: 'src',
  });
});

test('a wrong input is refused by the name of the tool and the parameter', () => {
  assert.throws(
    () => checkSearchInput('find', undefined),
    /^LandmarkError: The tool "find" was called wrongly: expected an object, got nothing\./,
  );
  assert.throws(
    () => checkSearchInput('find', { query: ' ' }),
    /query: expected a text of 1 to 4000 characters, got " "/,
  );
  assert.throws(
    () => checkSearchInput('find', { query: 'a', limit: 51 }),
    /limit: expected a whole number from 1 to 50/,
  );
  assert.throws(() => checkSearchInput('find', { query: 'a', language: 'a b' }), /language: expected a text that fits/);
  assert.throws(
    () => checkSearchInput('find', { query: 'a', text: 'b' }),
    /"text": expected one of query, limit, path, language/,
  );
});

test('the answer merges folders, rounds scores and counts cells from 1', () => {
  const notebook = hit('b.ipynb', {
    score: 0.5,
    places: [{ startLine: 1, endLine: 2, score: 1, line: 2, lineText: 'x', cell: 0 }],
  });
  const answers = [
    { folder: '/one', response: response([hit('a.ts')]) },
    { folder: '/two', response: response([notebook], { complete: 0.999, notes: [{ kind: 'no-words' }] }) },
  ];
  const answer = searchAnswer(answers, 5);
  assert.deepEqual(
    answer.results.map(({ folder, path, score }) => [folder, path, score]),
    [
      ['/one', 'a.ts', 1.235],
      ['/two', 'b.ipynb', 0.5],
    ],
  );
  assert.equal(answer.results[1]?.places[0]?.cell, 1);
  assert.deepEqual(answer.notes, [
    'The query has no words to search for.',
    'The index is 99 % complete: more may be found when it is finished.',
  ]);
  assert.equal(searchAnswer(answers, 1).results.length, 1);
});

test('the text names each file with its line, and what a terminal would obey is taken out', () => {
  const place = { startLine: 3, endLine: 3, score: 1, line: 3, lineText: 'a\u001b[31mb\u202ec', symbol: 'f' };
  const hits = [
    hit('a.ts'),
    hit('b\n.ts', { weak: true, places: [place], copies: ['c.ts'] }),
    hit('n.ipynb', { places: [{ ...place, lineText: '', cell: 4 }] }),
    hit('d.md', { places: [] }),
  ];
  const answer = searchAnswer([{ folder: '/one', response: response(hits) }], 10);
  assert.equal(
    searchAnswerText(answer, ({ path }) => path),
    [
      '1. a.ts:12 (lines 10-29)',
      '   retry();',
      '2. b\uFFFD.ts:3 (f; lines 3; weak match; same content: c.ts)',
      '   a\uFFFD[31mb\uFFFDc',
      '3. n.ipynb:3 (cell 5; f; lines 3)',
      '4. d.md',
    ].join('\n'),
  );
  assert.equal(
    searchAnswerText(searchAnswer([{ folder: '/one', response: response([]) }], 10), ({ path }) => path),
    'Nothing was found.',
  );
});

test('the manifest tells language models of the parameters that are checked', () => {
  const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as {
    contributes: { languageModelTools: readonly { name: string; inputSchema: object }[] };
  };
  const [tool, ...others] = manifest.contributes.languageModelTools;
  assert.deepEqual([tool?.name, others.length], [SEARCH_TOOL, 0]);
  assert.deepEqual(tool?.inputSchema, SEARCH_SCHEMA);
});
