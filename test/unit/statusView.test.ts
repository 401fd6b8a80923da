import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { overallComplete, percent, ProgressTracker } from '../../src/extension/model/indexProgress';
import type { HoldReason, IndexState, LongRun, RootState, RootView } from '../../src/extension/model/indexState';
import type { StatusActionId } from '../../src/extension/model/statusActions';
import { statusActions } from '../../src/extension/model/statusActions';
import type { IndexDetails } from '../../src/extension/model/statusHover';
import { detailLines, hoverMarkdown } from '../../src/extension/model/statusHover';
import type { StatusKind } from '../../src/extension/model/statusView';
import { firstSentences, statusView } from '../../src/extension/model/statusView';
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
const root = (of: RootState): RootView => ({ name: 'root', state: of });
const state = (roots: readonly (RootState | RootView)[], change: Partial<IndexState> = {}): IndexState => ({
  engine: { kind: 'running' },
  paused: false,
  roots: roots.map((each, index) => ('state' in each ? each : { name: `root${index}`, state: each })),
  ...change,
});
const textOf = (of: IndexState, progress?: { done: number; total: number }): string => statusView(of, progress).text;
const kindOf = (of: IndexState): StatusKind => statusView(of, undefined).kind;
const run: LongRun = { files: 12_000, bytes: 80_000_000, seconds: 1500, diskBytes: 240_000_000 };

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

test('without a folder the item says so and leads to one', () => {
  const view = statusView(state([]), undefined);
  assert.equal(view.text, '$(milestone) Landmark: no folder');
  assert.equal(statusActions(view.kind)[0]?.id, 'openFolder');
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
  const failed = { state: 'error', reason: 'Disk full.' } as const;
  assert.equal(textOf(state([open({ ...failed, files: 0 })])), '$(error) Landmark: not indexed');
  const old = statusView(state([open(failed)]), undefined);
  assert.deepEqual([old.text, old.severity], ['$(warning) Landmark: not up to date', 'warning']);
  assert.equal(old.reason, 'Disk full. What was indexed before can be searched.');
  const restarting = { engine: { kind: 'restarting', reason: 'It died.' } } as const;
  assert.equal(textOf(state([{ kind: 'opening' }], restarting)), '$(sync~spin) Landmark: restarting');
});

test('while the files are read there is nothing to count yet', () => {
  assert.equal(
    textOf(state([open({ state: 'indexing', complete: 0 })]), { done: 0, total: 0 }),
    '$(sync~spin) Landmark: reading',
  );
  const measuring = state([{ ...root(open({ state: 'paused' })), question: 'measuring' }]);
  assert.equal(textOf(measuring), '$(sync~spin) Landmark: reading');
});

test('what waits says for what', () => {
  const held = (reason: HoldReason) => state([open({ state: 'paused', complete: 0.5 })], { held: reason });
  assert.equal(textOf(held('battery')), '$(debug-pause) Landmark: on battery');
  assert.equal(textOf(held('busy')), '$(debug-pause) Landmark: machine busy');
  assert.match(statusView(held('busy'), undefined).reason, /other programs need the processor\. 50 % is indexed/);
  const asked = statusView(state([{ ...root(open({ state: 'paused' })), question: run }]), undefined);
  assert.equal(asked.text, '$(question) Landmark: words only');
  assert.equal(
    asked.reason,
    '12,000 files with 80 MB of text wait to be indexed by meaning. That takes about 25 minutes in the background and ' +
      '240 MB of disk. Words, names and history are searched already.',
  );
});

test("the user's pause comes before the machine's reasons", () => {
  const both = state([{ ...root(open()), question: run }], { paused: true, held: 'busy' });
  assert.equal(kindOf(both), 'paused');
});

test('the reason is a sentence', () => {
  const failed = { engine: { kind: 'failed', reason: 'It died twice.' } } as const;
  assert.deepEqual(statusView(state([open()], failed), undefined), {
    kind: 'stopped',
    text: '$(error) Landmark: stopped',
    reason: 'It died twice.',
    severity: 'error',
  });
  const one = statusView(state([open(), { kind: 'failed', reason: 'No permission.' }]), undefined);
  assert.equal(one.reason, 'root1: No permission.');
  const indexing = statusView(state([open({ state: 'indexing', complete: 0.5 })]), { done: 3, total: 7 });
  assert.equal(indexing.reason, 'Indexing: 3 of 7 sections, 50 % of the text. You can search already.');
});

test('the worst news comes first', () => {
  const bad = state([open({ state: 'error', files: 0, reason: 'Disk full.' }), open({ state: 'indexing' })], {
    paused: true,
  });
  assert.equal(statusView(bad, { done: 1, total: 2 }).severity, 'error');
});

const KINDS: Readonly<Record<StatusKind, StatusActionId>> = {
  'no-folder': 'openFolder',
  stopped: 'restart',
  error: 'restart',
  restarting: 'log',
  paused: 'resume',
  starting: 'log',
  question: 'resume',
  battery: 'resume',
  busy: 'resume',
  indexing: 'pause',
  waiting: 'search',
  halted: 'log',
  'no-index': 'rebuild',
  'no-runtime': 'log',
  problems: 'failures',
  ready: 'search',
};

test('every state has a way on, the log and the diagnostics', () => {
  for (const [kind, first] of Object.entries(KINDS) as [StatusKind, StatusActionId][]) {
    const ids = statusActions(kind).map(({ id }) => id);
    assert.equal(ids[0], first, kind);
    assert.ok(ids.includes('log') && ids.includes('diagnostics'), kind);
    assert.equal(new Set(ids).size, ids.length, kind);
  }
  const actions = statusActions('ready').map(({ label }) => label);
  assert.deepEqual(actions.slice(0, 3), ['Search Code', 'Pause Indexing', 'Rebuild Index']);
  assert.equal(statusActions('battery')[0]?.label, 'Index Now');
  assert.equal(statusActions('paused')[0]?.label, 'Resume Indexing');
});

const details: IndexDetails = {
  name: 'app',
  stats: {
    files: 1234,
    windows: 5678,
    landmarks: 9000,
    bytes: {
      source: 9,
      windows: 2_000_000,
      catalog: 1_250_000,
      windowGraph: 750_000,
      snapshot: 1_000_000,
    },
    model: { id: 'landmark-mini', fingerprint: 'abc' },
    complete: 0.5,
    queue: 0,
  },
  updated: new Date(2026, 4, 2, 14, 3),
};

test('the hover counts, sizes by part, names the model and the last update', () => {
  const [first = '', ...others] = detailLines([details], new Date(2026, 4, 2, 20, 0));
  assert.match(first, /^app: 1,234 files, 5,678 sections, 9,000 landmarks, 50 % indexed, updated 2:03 PM$/);
  assert.deepEqual(others, [
    'On disk: 5 MB (words 1.3 MB, vectors 2 MB, graph 750 kB, snapshot 1 MB)',
    'Model: landmark-mini',
  ]);
  assert.match(detailLines([details], new Date(2026, 4, 3))[0] ?? '', /updated May 2, 2026, 2:03 PM$/);
  assert.deepEqual(detailLines([], new Date()), []);
  const small = {
    ...details.stats,
    files: 1,
    windows: 1,
    landmarks: 1,
    complete: 1,
    bytes: { catalog: 5000, snapshot: 0 },
  };
  const [counts, sizes] = detailLines([{ name: 'app', stats: small }], new Date());
  assert.deepEqual([counts, sizes], ['app: 1 file, 1 section, 1 landmark', 'On disk: 5 kB (words 5 kB)']);
});

test('of a long reason the box of the menu has whole sentences', () => {
  assert.equal(firstSentences('All is well.'), 'All is well.');
  assert.equal(firstSentences('You paused it. It goes on.'), 'You paused it. It goes on.');
  const long = '12,000 files with 48 MB of text wait to be indexed by meaning.';
  assert.equal(firstSentences(`${long} That is long. That takes 17 minutes.`), `${long} That is long.`);
  assert.equal(firstSentences(`${'word '.repeat(30)}end. More.`), `${'word '.repeat(30)}end.`);
});

test('what comes from outside is no Markdown, no icon and no link in the hover', () => {
  const actions = [{ label: 'Search', icon: 'search', command: 'landmark.search' }];
  assert.equal(
    hoverMarkdown('It *is* [x](y) $(sync) <b>.', ['a_b'], actions),
    'It \\*is\\* \\[x\\]\\(y\\) \\$\\(sync\\) \\<b\\>.\n\na\\_b\n\n[$(search) Search](command:landmark.search)',
  );
});
