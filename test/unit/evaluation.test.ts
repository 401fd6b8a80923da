import assert from 'node:assert/strict';
import { test } from 'node:test';
import { averageMetrics, firstRank, rangesMeet, scoreRanking } from '../../src/engine/search/evaluation';

test('metrics of one ranking, computed by hand', () => {
  const metrics = scoreRanking(['x', 'a', 'y', 'b'], ['a', 'b', 'c']);
  assert.equal(metrics['mrr@10'], 0.5);
  assert.equal(metrics['acc@1'], 0);
  assert.equal(metrics['recall@1'], 0);
  assert.equal(metrics['recall@5'], 2 / 3);
  const dcg = 1 / Math.log2(3) + 1 / Math.log2(5);
  const ideal = 1 + 1 / Math.log2(3) + 1 / Math.log2(4);
  assert.ok(Math.abs(metrics['ndcg@10'] - dcg / ideal) < 1e-12);
});

test('what comes after the tenth result counts nothing', () => {
  const ranked = [...'0123456789', 'a'];
  assert.equal(scoreRanking(ranked, ['a'])['mrr@10'], 0);
  assert.equal(firstRank(ranked, ['a']), 11);
  assert.equal(firstRank(ranked, ['b']), null);
});

test('acc@1 asks for one right file, recall@1 for all of them', () => {
  const metrics = scoreRanking(['a'], ['a', 'b']);
  assert.equal(metrics['acc@1'], 1);
  assert.equal(metrics['recall@1'], 0.5);
});

test('place@1 is averaged over the queries where it could be judged', () => {
  const metrics = scoreRanking(['a'], ['a']);
  assert.equal(averageMetrics([{ metrics, place: true }, { metrics, place: false }, { metrics }])['place@1'], 0.5);
  assert.equal('place@1' in averageMetrics([{ metrics }]), false);
});

test('ranges that share one line meet', () => {
  assert.equal(rangesMeet([1, 5], [5, 9]), true);
  assert.equal(rangesMeet([1, 4], [5, 9]), false);
});
