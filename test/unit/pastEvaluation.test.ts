import assert from 'node:assert/strict';
import { test } from 'node:test';
import { searchedFiles } from '../../src/engine/evaluation/pastEvaluation';
import { summaryOf, withoutNameOf } from '../../src/engine/evaluation/pastSummary';
import type { HistoryCase } from '../../src/engine/evaluation/historyCases';
import type { Metrics } from '../../src/engine/folderEngine';

const metrics = (mrr: number, first: number): Metrics => ({
  'mrr@10': mrr,
  'acc@1': first,
  'recall@1': 0,
  'recall@5': 0,
  'recall@10': 0,
  'ndcg@10': 0,
});
const report = {
  metrics: metrics(0.6, 0.5),
  arms: { file: metrics(0.4, 0.25), lexical: metrics(0.5, 0.25), bm25: metrics(0.9, 0.25) },
  'recall@50': {},
  queries: [
    { id: 'a', rank: 1 },
    { id: 'b', rank: 1 },
    { id: 'c', rank: 3 },
    { id: 'd', rank: null },
  ],
};
const oneCase = (id: string, path: string, leaks_name: boolean): HistoryCase => ({
  id,
  query: 'q',
  relevant: [path],
  leaks_name,
  has_ident: false,
  hunks: {},
});

test('the figures of a past are said in plain sentences', () => {
  const cases = [oneCase('a', 'a.js', true), oneCase('b', 'b.js', false), oneCase('c', 'c.js', false)];
  const withoutName = withoutNameOf(report, [...cases, oneCase('d', 'd.js', false)]);
  assert.deepEqual(withoutName, { cases: 3, 'mrr@10': (1 + 1 / 3) / 3, 'acc@1': 1 / 3 });
  const snapshot = { id: '0123456789abcdef', date: '2024-05-06' };
  const figures = { ...report, snapshot, files: 40, filesLeftOut: 2, firstThree: 0.75, withoutName };
  assert.deepEqual(summaryOf(figures), [
    'Search works well here: asked what 4 past commits did, it named a file they changed first 2 times (50 %) and among the first three 3 times (75 %).',
    "The questions are the commits' own messages, asked of 40 files as they were on 2024-05-06 (0123456789ab), without any later commit.",
    'Plain word search is right with its first file less often: 25 %.',
    'The arm that helps most by itself is lexical.',
    'Of the 3 questions that do not hold the name of a right file, it answers 33 % with the first file.',
    '2 files were left out of the search to keep it short, so expect a little less.',
  ]);
});

test('of too many files the right ones are kept, and always the same others', () => {
  const files = new Map(Array.from({ length: 50 }, (_, at) => [`f${at}.js`, Buffer.from('x')] as const));
  const cases = [oneCase('a', 'f7.js', false), oneCase('b', 'f31.js', false)];
  assert.equal(searchedFiles({ files, cases }, 50), files);
  const some = searchedFiles({ files, cases }, 10);
  assert.equal(some.size, 10);
  assert.ok(some.has('f7.js') && some.has('f31.js'));
  assert.deepEqual(
    [...searchedFiles({ files: new Map([...files].reverse()), cases }, 10).keys()].sort(),
    [...some.keys()].sort(),
  );
});
