import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Place, SearchHit, SearchResponse } from '../../src/engine/types';
import type { ResultRow } from '../../src/extension/model/resultRows';
import { historyRows, plain, searchRows, similarRows } from '../../src/extension/model/resultRows';
import type { ResultFile } from '../../src/extension/model/resultSet';
import { mergeHits } from '../../src/tools/mergeHits';

const place = (line: number, lineText: string): Place => ({ startLine: line, endLine: line, score: 1, line, lineText });
const hit = (path: string, score: number, change: Partial<SearchHit> = {}): SearchHit => ({
  path,
  score,
  weak: false,
  arms: {},
  places: [],
  ...change,
});
const answer = (folder: string, results: readonly SearchHit[], change: Partial<SearchResponse> = {}) => ({
  folder,
  response: { query: 'q', complete: 1, timing: { loadMs: 0, queryMs: 0 }, results, ...change },
});
const labels = (rows: readonly { readonly label: string }[]) => rows.map(row => row.label);
const oneFolder = new Map([['/f', 'f']]);

test("one folder's order is kept, whatever its scores", () => {
  const results = [hit('b', 0.2), hit('a', 0.9), hit('c', 0.5, { weak: true }), hit('d', 0.6)];
  assert.deepEqual(
    mergeHits([answer('/f', results)]).map(({ hit: { path } }) => path),
    ['b', 'a', 'c', 'd'],
  );
});

test('several folders are merged by score, weak matches last, each in its own order', () => {
  const merged = mergeHits([
    answer('/a', [hit('a1', 0.9), hit('a2', 0.3), hit('a3', 0.8, { weak: true })]),
    answer('/b', [hit('b1', 0.95), hit('b2', 0.5)]),
    answer('/c', []),
  ]);
  assert.deepEqual(
    merged.map(({ folder, hit: { path } }) => `${folder}/${path}`),
    ['/b/b1', '/a/a1', '/b/b2', '/a/a2', '/a/a3'],
  );
});

test('a row names the file, its folder and the line', () => {
  const rows = searchRows(
    [answer('/f', [hit('src/auth/login.ts', 1, { places: [place(12, '\tif (a)   return;')] })])],
    oneFolder,
    20,
  );
  assert.deepEqual(rows, [
    {
      kind: 'result',
      label: 'login.ts',
      description: 'src/auth',
      detail: '12: if (a) return;',
      target: { folder: '/f', path: 'src/auth/login.ts', place: place(12, '\tif (a)   return;') },
    },
  ]);
});

test('with several folders open a row names its folder, too', () => {
  const names = new Map([
    ['/f', 'front'],
    ['/b', 'back'],
  ]);
  const rows = searchRows([answer('/b', [hit('a.ts', 1), hit('x/b.ts', 0.5, { copies: ['y/b.ts'] })])], names, 20);
  assert.deepEqual(
    rows.map(row => row.kind === 'result' && row.description),
    ['back', 'back/x', 'back/y · same content'],
  );
});

test('one copy is a row of its own, several are one row that gives way to them', () => {
  const at = place(3, 'x');
  const copies = ['y/b.ts', 'z/c.ts', '$(sync)/d.ts'];
  const rows = searchRows([answer('/f', [hit('a.ts', 1, { places: [at], copies })])], oneFolder, 20);
  assert.deepEqual(labels(rows), ['a.ts', '$(chevron-right) 3 copies']);
  const [, group] = rows;
  assert.ok(group?.kind === 'copies');
  assert.equal(group.description, 'y/b.ts, z/c.ts, \\$(sync)/d.ts');
  assert.deepEqual(
    group.rows.map(row => row.kind === 'result' && [row.label, row.description, row.target]),
    [
      ['b.ts', 'y · same content', { folder: '/f', path: 'y/b.ts', place: at }],
      ['c.ts', 'z · same content', { folder: '/f', path: 'z/c.ts', place: at }],
      ['d.ts', '\\$(sync) · same content', { folder: '/f', path: '$(sync)/d.ts', place: at }],
    ],
  );
});

test('a partial index and weak matches are marked', () => {
  const results = [hit('a', 1), hit('b', 0.5, { weak: true }), hit('c', 0.4, { weak: true })];
  assert.deepEqual(labels(searchRows([answer('/f', results, { complete: 0.429 })], oneFolder, 20)), [
    'partial: 42 % indexed',
    'a',
    'weak matches',
    'b',
    'c',
  ]);
  assert.deepEqual(labels(searchRows([answer('/f', results.slice(1), { complete: 0.5 })], oneFolder, 20)), [
    'partial: 50 % indexed · weak matches',
    'b',
    'c',
  ]);
});

test('an empty answer says so, and how far the index is', () => {
  assert.deepEqual(searchRows([answer('/f', [], { complete: 0.1 })], oneFolder, 20), [
    { kind: 'note', label: '$(info) Nothing found.', detail: 'Only 10 % is indexed so far.' },
  ]);
  assert.deepEqual(labels(searchRows([answer('/f', [], { notes: [{ kind: 'no-words' }] })], oneFolder, 20)), [
    '$(info) The question has no words to search for.',
  ]);
});

test('before a file is read the list says so, and does not ask for other words', () => {
  assert.deepEqual(searchRows([answer('/f', [])], oneFolder, 20, true), [
    { kind: 'note', label: '$(sync~spin) Reading the files.', detail: 'The answer comes when they are read.' },
  ]);
  assert.deepEqual(labels(searchRows([answer('/f', [hit('a', 1)])], oneFolder, 20, true)), ['a']);
});

test('notes come after the results, so that Enter opens a file', () => {
  const rows = searchRows([answer('/f', [hit('a', 1)], { notes: [{ kind: 'unknown-script' }] })], oneFolder, 20);
  assert.deepEqual(labels(rows), [
    'a',
    '$(info) The model does not know this script: answers come from the words alone.',
  ]);
});

test('no more rows than asked for', () => {
  const many = Array.from({ length: 30 }, (_, index) => hit(`${index}`, 1));
  assert.equal(searchRows([answer('/f', many), answer('/g', many)], oneFolder, 20).length, 20);
});

test('source text is never taken for an icon, and long lines are cut', () => {
  assert.equal(
    plain('echo $(date) and $(sync~spin), $(not an icon)'),
    'echo \\$(date) and \\$(sync~spin), $(not an icon)',
  );
  const [row] = searchRows([answer('/f', [hit('a', 1, { places: [place(1, 'x'.repeat(5000))] })])], oneFolder, 20);
  assert.ok(row?.kind === 'result' && row.detail.length < 200);
});

test('the enclosing definition stands before the line', () => {
  const inside = { ...place(12, 'return;'), symbol: 'checkPassword' };
  const [row] = searchRows([answer('/f', [hit('a', 1, { places: [inside] })])], oneFolder, 20);
  assert.ok(row?.kind === 'result');
  assert.equal(row.detail, 'checkPassword · 12: return;');
});

test('earlier questions are offered newest first, with a way to clear them', () => {
  assert.deepEqual(historyRows([]), []);
  assert.deepEqual(historyRows(['where $(x) is kept', 'b']), [
    { kind: 'separator', label: 'recent searches' },
    { kind: 'query', label: '$(history) where \\$(x) is kept', query: 'where $(x) is kept' },
    { kind: 'query', label: '$(history) b', query: 'b' },
    { kind: 'separator', label: '' },
    { kind: 'clearHistory', label: '$(clear-all) Clear Recent Searches' },
  ]);
});

const similar = (path: string, change: Partial<ResultFile> = {}): ResultFile => ({
  folder: '/f',
  path,
  weak: false,
  copies: [],
  places: [{ place: place(40, ''), from: [3, 9] }],
  ...change,
});

test('a similar file tells which lines are like which', () => {
  const rows = similarRows({ files: [similar('a/b.ts')], complete: 1 }, oneFolder);
  assert.deepEqual(
    rows.map(
      row => row.kind === 'result' && [row.label, row.description, row.detail, row.target.place?.line, row.from],
    ),
    [['b.ts', 'a', 'line 40 is like lines 3–9', 40, [3, 9]]],
  );
  assert.deepEqual(labels(similarRows({ files: [], complete: 1 }, oneFolder)), ['$(info) No similar file found.']);
});

test('files like a file come with the same remark on a partial index as the answers to a question', () => {
  const partly = (files: readonly ResultFile[]): ResultRow[] => similarRows({ files, complete: 0.42 }, oneFolder);
  assert.deepEqual(labels(partly([similar('a.ts'), similar('b.ts')])), ['partial: 42 % indexed', 'a.ts', 'b.ts']);
  assert.deepEqual(labels(partly([similar('a.test.ts', { relation: 'test' }), similar('b.ts')])), [
    'partial: 42 % indexed · its tests',
    'a.test.ts',
    'similar',
    'b.ts',
  ]);
  const [none] = partly([]);
  assert.deepEqual(none?.kind === 'note' && none.detail, 'Only 42 % is indexed so far.');
});

test('tests and copies of a file are set apart from what is only like it', () => {
  const files = [
    similar('a.test.ts', { relation: 'test' }),
    similar('a.spec.ts', { relation: 'test' }),
    similar('copy/a.ts', { relation: 'copy', places: [], copies: ['other/a.ts'] }),
    similar('b.ts'),
  ];
  const rows = similarRows({ files, complete: 1 }, oneFolder);
  assert.deepEqual(labels(rows), [
    'its tests',
    'a.test.ts',
    'a.spec.ts',
    'same content',
    'a.ts',
    'a.ts',
    'similar',
    'b.ts',
  ]);
  const copy = rows[4];
  assert.ok(copy?.kind === 'result');
  assert.deepEqual([copy.description, copy.detail, copy.from], ['copy', '', undefined]);
  assert.deepEqual(labels(similarRows({ files: [similar('a.ts', { relation: 'tested' })], complete: 1 }, oneFolder)), [
    'what it tests',
    'a.ts',
  ]);
});
