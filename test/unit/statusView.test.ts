import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { overallComplete, percent, ProgressTracker } from '../../src/extension/model/indexProgress';
import type { IndexState, RootState } from '../../src/extension/model/indexState';
import { statusActions } from '../../src/extension/model/statusActions';
import { statusView } from '../../src/extension/model/statusView';
import type { FolderStatus } from '../../src/host/protocol';

const status = (change: Partial<FolderStatus> = {}): FolderStatus => ({
  folder: '/f',
  state: 'ready',
  done: 0,
  total: 0,
  complete: 1,
  files: 10,
  problems: 0,
  reason: '',
  vectors: true,
  ...change,
});
const open = (change: Partial<FolderStatus> = {}): RootState => ({ kind: 'open', status: status(change) });
const state = (roots: readonly RootState[], change: Partial<IndexState> = {}): IndexState => ({
  engine: { kind: 'running' },
  paused: false,
  roots: roots.map((root, index) => ({ name: `root${index}`, state: root })),
  ...change,
});
const textOf = (of: IndexState, progress?: { done: number; total: number }) => statusView(of, progress)?.text;

test('progress never goes backwards while anything is running', () => {
  const states = fc.constantFrom('indexing', 'ready', 'indexing', 'paused') as fc.Arbitrary<FolderStatus['state']>;
  const step = fc.record({
    folder: fc.constantFrom('a', 'b', 'c'),
    state: states,
    done: fc.nat(50),
    total: fc.nat(50),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), steps => {
      const tracker = new ProgressTracker();
      const now = new Map<string, FolderStatus>();
      let before = { done: 0, total: 0 };
      for (const each of steps) {
        now.set(each.folder, status(each));
        const progress = tracker.update([...now.values()]);
        if (progress !== undefined) {
          assert.ok(progress.done >= before.done && progress.total >= before.total && progress.done <= progress.total);
        }
        before = progress ?? { done: 0, total: 0 };
      }
    }),
    { seed: 11 },
  );
});

test('a folder that is done goes on counting until the last one is', () => {
  const tracker = new ProgressTracker();
  const first = (change: Partial<FolderStatus>) => status({ folder: 'a', ...change });
  const second = (change: Partial<FolderStatus>) => status({ folder: 'b', ...change });
  const indexing = { state: 'indexing', total: 10 } as const;
  assert.deepEqual(tracker.update([first({ ...indexing, done: 4 }), second({ ...indexing, done: 1 })]), {
    done: 5,
    total: 20,
  });
  assert.deepEqual(tracker.update([first({}), second({ ...indexing, done: 2 })]), { done: 12, total: 20 });
  assert.equal(tracker.update([first({}), second({})]), undefined);
  assert.deepEqual(tracker.update([first({ ...indexing, total: 3, done: 1 }), second({})]), { done: 1, total: 3 });
});

test('a hundred percent means all', () => {
  assert.equal(percent(0.9999), 99);
  assert.equal(percent(1), 100);
  assert.equal(percent(0.29), 29);
  assert.equal(overallComplete([status({ files: 1, complete: 0 }), status({ files: 3, complete: 1 })]), 0.75);
  assert.equal(overallComplete([status({ files: 0, complete: 0 })]), 0);
});

test('without a folder there is no status item', () => {
  assert.equal(statusView(state([]), undefined), undefined);
});

test('each state has its text', () => {
  assert.equal(textOf(state([open()])), '$(milestone) Landmark');
  assert.equal(textOf(state([{ kind: 'opening' }])), '$(loading~spin) Landmark: starting');
  assert.equal(
    textOf(state([open({ state: 'indexing', complete: 0.42 })]), { done: 4, total: 9 }),
    '$(sync~spin) Landmark: 42 %',
  );
  assert.equal(textOf(state([open({ state: 'waiting' })])), '$(clock) Landmark: waiting');
  assert.equal(textOf(state([open()], { paused: true })), '$(debug-pause) Landmark: paused');
  assert.equal(textOf(state([{ kind: 'cleared' }])), '$(circle-slash) Landmark: no index');
  assert.equal(textOf(state([open({ problems: 1, state: 'problems' })])), '$(warning) Landmark: 1 file failed');
  assert.equal(textOf(state([open({ vectors: false })])), '$(warning) Landmark: words only');
  assert.equal(textOf(state([open({ state: 'error', reason: 'Disk full.' })])), '$(error) Landmark: not indexed');
  const restarting = { engine: { kind: 'restarting', reason: 'It died.' } } as const;
  assert.equal(textOf(state([{ kind: 'opening' }], restarting)), '$(sync~spin) Landmark: restarting');
});

test('the tooltip gives the reason and the way out', () => {
  const failed = { engine: { kind: 'failed', reason: 'It died twice.' } } as const;
  assert.deepEqual(statusView(state([open()], failed), undefined), {
    text: '$(error) Landmark: stopped',
    tooltip: 'It died twice. Click to start it again.',
    severity: 'error',
  });
  const one = statusView(state([open(), { kind: 'failed', reason: 'No permission.' }]), undefined);
  assert.equal(one?.tooltip, 'root1: No permission. Click for actions.');
  const indexing = statusView(state([open({ state: 'indexing', complete: 0.5 })]), { done: 3, total: 7 });
  assert.equal(
    indexing?.tooltip,
    'Indexing: 3 of 7 files, 50 % of the text. You can search already. Click for actions.',
  );
});

test('the worst news comes first', () => {
  const bad = state([open({ state: 'error', reason: 'Disk full.' }), open({ state: 'indexing' })], { paused: true });
  assert.equal(statusView(bad, { done: 1, total: 2 })?.severity, 'error');
});

test('the actions fit the state', () => {
  const ids = (of: IndexState) => statusActions(of).map(action => action.id);
  assert.deepEqual(ids(state([open()])), ['pause', 'rebuild', 'clear', 'log', 'settings']);
  assert.deepEqual(ids(state([open()], { paused: true })), ['resume', 'rebuild', 'clear', 'log', 'settings']);
  assert.deepEqual(ids(state([{ kind: 'cleared' }])), ['rebuild', 'log', 'settings']);
  assert.deepEqual(ids(state([open()], { engine: { kind: 'failed', reason: '' } })), ['restart', 'log', 'settings']);
});
