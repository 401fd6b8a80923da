import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { readSearchCases } from '../../src/cli/caseFile';
import type { EvaluationReport } from '../../src/engine/folderEngine';
import { figuresOf, readCases, reciprocal } from '../eval/figures';
import { pairedLoss } from '../eval/pairedLoss';
import { PACKAGES, REPOSITORIES } from '../eval/sources';

test('a loss is the mean over sets of the mean loss over cases, and its bounds hold it', () => {
  const { loss, lower, upper } = pairedLoss([
    { before: [1, 1, 0.5, 1], now: [1, 0.5, 0.5, 1] },
    { before: [0, 1], now: [0.5, 1] },
  ]);
  // (0.5 / 4 - 0.5 / 2) / 2
  assert.equal(loss, -0.0625);
  assert.ok(lower < loss && loss < upper, `${lower} ${upper}`);
});

test('the bounds are the same in every run, and narrower for more cases', () => {
  const set = (count: number) => [
    {
      before: Array.from({ length: count }, () => 1),
      now: Array.from({ length: count }, (_, at) => (at % 2 ? 1 : 0.5)),
    },
  ];
  assert.deepEqual(pairedLoss(set(40)), pairedLoss(set(40)));
  const width = (count: number): number => {
    const { lower, upper } = pairedLoss(set(count));
    return upper - lower;
  };
  assert.ok(width(400) < width(40));
  // The standard error of 40 losses of 0 and 0.5 is 0.25 / √40 = 0.0395.
  assert.ok(Math.abs(width(40) - 2 * 1.96 * 0.0395) < 0.03);
});

test('equal ranks are no loss at all', () => {
  assert.deepEqual(pairedLoss([{ before: [1, 0.5], now: [1, 0.5] }]), { loss: 0, lower: 0, upper: 0 });
});

test('only the first ten ranks count', () => {
  assert.deepEqual([1, 4, 10, 11, null].map(reciprocal), [1, 0.25, 0.1, 0, 0]);
});

test('cases that hold the name of a right file are left out beside', () => {
  const metrics = { 'mrr@10': 0.5, 'acc@1': 0.25, 'recall@1': 0, 'recall@5': 0, 'recall@10': 0, 'ndcg@10': 0 };
  const ranks = { a: 1, b: 4, c: null, d: 2 };
  const queries = Object.entries(ranks).map(([id, rank]) => ({ id, rank }));
  const report: EvaluationReport = { metrics, arms: { bm25: { ...metrics, 'mrr@10': 0.3 } }, 'recall@50': {}, queries };
  const figures = figuresOf(report, [{ id: 'a', leaks_name: true }, { id: 'b', leaks_name: false }, { id: 'c' }]);
  assert.equal(figures.firstThree, 0.5);
  assert.deepEqual(figures.withoutName, { cases: 3, mrr: 0.25, first: 0 });
  assert.deepEqual(figures.arms, { bm25: 0.3 });
});

test('every package and every repository asked by hand has its cases, each readable and with an id of its own', async () => {
  const stored = JSON.parse(readFileSync('test/eval/ranks.json', 'utf8')) as Record<string, Record<string, unknown>>;
  for (const { name, sha256, version } of PACKAGES) {
    const path = join('test/eval/fixed', `${name}.jsonl`);
    const cases = await readSearchCases(path);
    assert.match(`${sha256} ${version}`, /^[0-9a-f]{64} \d/);
    assert.deepEqual(
      Object.keys(stored[name] ?? {}),
      readCases(path).map(({ id }) => id),
      name,
    );
    assert.ok(cases.length >= 25);
  }
  const asked = REPOSITORIES.filter(({ use }) => use === 'questions');
  for (const { repository, snapshot } of asked) {
    const path = join('test/eval/questions', `${repository.replace('/', '__')}.jsonl`);
    assert.ok(existsSync(path), path);
    assert.equal((await readSearchCases(path)).length, 12);
    assert.match(snapshot, /^[0-9a-f]{40}$/);
  }
  assert.equal(asked.length, 5);
});
