import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Metrics, PastReport } from '../../src/engine/folderEngine';
import { pastMarkdown, pastProgressText } from '../../src/extension/model/pastMarkdown';

const metrics = (mrr: number, first: number): Metrics => ({
  'mrr@10': mrr,
  'acc@1': first,
  'recall@1': 0,
  'recall@5': 0,
  'recall@10': 0.8,
  'ndcg@10': 0,
});

test('a report about a past names each arm in words, best first', () => {
  const report: PastReport = {
    metrics: { ...metrics(0.6, 0.5), 'place@1': 0.4 },
    arms: { bm25: metrics(0.3, 0.25), lexical: metrics(0.5, 0.125) },
    'recall@50': {},
    queries: [],
    snapshot: { id: '0', date: '2024-05-06' },
    files: 4,
    filesLeftOut: 0,
    firstThree: 0.75,
    withoutName: { cases: 0, 'mrr@10': 0, 'acc@1': 0 },
    summary: ['Search works well here.', 'It is so.'],
  };
  assert.deepEqual(pastMarkdown('shop', report).split('\n'), [
    '# How well does search work in shop?',
    '',
    '- Search works well here.',
    '- It is so.',
    '',
    '| | first file right | MRR@10 | found in ten |',
    '| --- | --- | --- | --- |',
    '| **all together** | 50 % | 60 % | 80 % |',
    '| words | 13 % | 50 % | 80 % |',
    '| plain word search | 25 % | 30 % | 80 % |',
    '',
    'The place it shows first meets a changed line in 40 % of the right files.',
    '',
    'What a commit changed counts as right; other files may have been good answers too.',
    '',
  ]);
});

test('progress is said in words, with the share where it is known', () => {
  assert.equal(pastProgressText({ phase: 'questions', done: 59, total: 120 }), 'asking, 49 %');
  assert.equal(pastProgressText({ phase: 'walk', done: 7, total: 0 }), 'indexing the files as they were');
});
