import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, before, test } from 'node:test';
import type { Command } from '../../src/cli/arguments';
import { parseArguments, UsageError } from '../../src/cli/arguments';
import type { Engine } from '../../src/cli/commands';
import { fileInFolder, prepareCommand } from '../../src/cli/commands';
import type { Terminal } from '../../src/cli/terminal';
import type { IndexReport, SearchResponse } from '../../src/engine/types';
import type { FolderStatus, RequestKind } from '../../src/host/protocol';
import { LandmarkError } from '../../src/util/errors';
import { emptyReport, emptyResponse } from '../support/fakeEngine';

let scratch: string;
before(() => {
  scratch = realpathSync(mkdtempSync(join(tmpdir(), 'landmark-commands-')));
});
after(() => rmSync(scratch, { recursive: true, force: true }));

/** An engine that answers each kind of request in turn with what the test says; an error is thrown. */
function engineWith(answers: Partial<Record<RequestKind, readonly unknown[]>>, status?: FolderStatus) {
  const asked: { readonly kind: string; readonly params: unknown }[] = [];
  const left = new Map(Object.entries(answers).map(([kind, list]) => [kind, [...list]]));
  const engine: Engine = {
    request(kind, params) {
      asked.push({ kind, params });
      if (kind === 'open') return Promise.resolve({ folder: '/real' } as never);
      const answer = left.get(kind)?.shift();
      return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer as never);
    },
    onStatus(listener) {
      if (status !== undefined) listener(status);
      return () => {};
    },
  };
  return { engine, asked };
}

async function run(argv: readonly string[], engine: Engine): Promise<{ out: string; err: string }> {
  const parsed = parseArguments(argv);
  assert.ok(parsed.kind === 'run');
  const written = { out: '', err: '' };
  const terminal: Terminal = {
    out: text => (written.out += text),
    err: text => (written.err += text),
    outStyle: { colour: false, columns: 60 },
    errIsTty: false,
    errColumns: 80,
  };
  const prepared = await prepareCommand(parsed.command);
  await prepared(engine, terminal, new AbortController().signal);
  return written;
}

const place = { startLine: 10, endLine: 24, score: 0.5, line: 12, lineText: '\tretry(\u001b[31mdelay);' };
const response: SearchResponse = {
  ...emptyResponse('retry'),
  complete: 0.999,
  notes: [{ kind: 'query-cut', length: 4000 }],
  results: [
    {
      path: 'src/net/retry.ts',
      score: 1.25,
      weak: false,
      arms: { lexical: 1 },
      places: [{ ...place, symbol: 'retry' }],
    },
    { path: 'docs/a.md', score: 0.5, weak: true, arms: {}, places: [], copies: ['docs/b.md'] },
  ],
};

test('a search is shown as rank, place, score, mark and the line that matches best', async () => {
  const { engine } = engineWith({ search: [{ responses: [{ folder: '/real', response }] }] });
  const { out, err } = await run(['search', '.', 'retry'], engine);
  const expected = [
    '1  src/net/retry.ts:10-24  retry  1.250',
    '   12: retry(\uFFFD[31mdelay);',
    '2  docs/a.md  0.500  weak match',
    '   same content: docs/b.md',
    '',
    'The index is 99 % complete: run "landmark index" to complete it.',
    '',
  ];
  assert.deepEqual(out.split('\n'), expected);
  assert.equal(err, 'Only the first 4000 characters of the query were used.\n');
});

test('search --json has the documented fields and no others', async () => {
  const { engine, asked } = engineWith({ search: [{ responses: [{ folder: '/real', response }] }] });
  const { out } = await run(['search', 'some folder', 'retry', '--json', '--limit', '2', '--scope', 'src'], engine);
  const answer = JSON.parse(out) as { results: object[] };
  assert.deepEqual(Object.keys(answer), ['query', 'complete', 'timing', 'results']);
  for (const hit of answer.results) assert.deepEqual(Object.keys(hit), ['path', 'score', 'weak', 'arms', 'places']);
  assert.deepEqual(asked, [
    { kind: 'open', params: { folder: resolve('some folder'), options: { access: 'read' } } },
    { kind: 'search', params: { folders: ['/real'], request: { query: 'retry', limit: 2, scope: 'src' } } },
  ]);
});

test('nothing found is an answer', async () => {
  const { engine } = engineWith({ search: [{ responses: [{ folder: '/real', response: emptyResponse('x') }] }] });
  assert.deepEqual(await run(['search', '.', 'x'], engine), { out: 'Nothing was found.\n', err: '' });
});

const report: IndexReport = {
  files: 1304,
  embedded: 1200,
  reused: 90,
  windows: { embedded: 5000, reused: 1 },
  skipped: { binary: 2, 'too-large': 11 },
  failed: [{ path: 'a\nb.c', reason: 'It cannot be read.', failure: { kind: 'gone' } }],
  seconds: 12.34,
  tokens: 7,
};

test('an index run ends with two lines and the files that failed', async () => {
  const { engine } = engineWith({ sync: [report] });
  const { out } = await run(['index', '.'], engine);
  assert.deepEqual(out.split('\n'), [
    '1,304 files in 12.3 s: 1,200 embedded, 90 reused, 13 skipped, 1 failed.',
    '5,000 windows computed, 1 reused. Skipped: too-large 11, binary 2.',
    '  failed: a\uFFFDb.c: It cannot be read.',
    '',
  ]);
});

test('index --json is the report, and history goes by absolute path', async () => {
  const { engine, asked } = engineWith({ sync: [report] });
  const { out } = await run(['index', '.', '--json', '--git', 'repo', '--at', 'HEAD'], engine);
  assert.deepEqual(JSON.parse(out), report);
  const history = { gitDir: resolve('repo'), at: 'HEAD' };
  assert.deepEqual(asked[0]?.params, { folder: resolve('.'), options: { access: 'write', history } });
});

test('an index run goes on when the search process died in the middle, and gives up when it dies again', async () => {
  const died = new LandmarkError('engine-died', 'The search process ended with signal SIGKILL.');
  const once = engineWith({ sync: [died, emptyReport] });
  const { out, err } = await run(['index', '.', '--json'], once.engine);
  assert.deepEqual(JSON.parse(out), emptyReport);
  assert.equal(err, 'The search process ended with signal SIGKILL.\n');
  await assert.rejects(run(['index', '.'], engineWith({ sync: [died, died] }).engine), died);
  const other = new LandmarkError('disk-full', 'The disk is full.');
  await assert.rejects(run(['index', '.'], engineWith({ sync: [other, emptyReport] }).engine), other);
});

test('an index run says when there are no vectors', async () => {
  const status = { vectors: false, reason: 'No runtime for this processor.' } as FolderStatus;
  const { err } = await run(['index', '.'], engineWith({ sync: [emptyReport] }, status).engine);
  assert.equal(err, 'No runtime for this processor.\n');
});

test('an evaluation is a table of arms and stages', async () => {
  const metrics = { 'mrr@10': 0.5, 'acc@1': 0.25, 'recall@1': 0.2, 'recall@5': 0.5, 'recall@10': 1, 'ndcg@10': 0.6 };
  const evaluation = {
    metrics: { ...metrics, 'place@1': 0.125 },
    arms: { file: metrics },
    'recall@50': { lexical: 0.9 },
    queries: [
      { id: 'a', rank: 1 },
      { id: 'b', rank: null },
    ],
  };
  const cases = join(scratch, 'cases.jsonl');
  writeFileSync(
    cases,
    '\uFEFF{"id":"a","query":"x","relevant":["a.c"],"kind":"plain"}\r\n\n{"id":"b","query":"y","relevant":["b.c"]}\n',
  );
  const { engine, asked } = engineWith({ evaluate: [evaluation] });
  const { out } = await run(['eval', '.', cases, '--arms', 'file'], engine);
  assert.deepEqual(out.split('\n'), [
    'arm   mrr@10  acc@1  recall@1  recall@5  recall@10  ndcg@10  place@1',
    'file   0.500  0.250     0.200     0.500      1.000    0.600        -',
    'all    0.500  0.250     0.200     0.500      1.000    0.600    0.125',
    '',
    'stage    recall@50',
    'lexical      0.900',
    '',
    '2 cases, 1 with a relevant file among the results.',
    '',
  ]);
  const params = asked[1]?.params as { cases: { id: string }[]; arms: string[] };
  assert.deepEqual([params.cases.map(({ id }) => id), params.arms], [['a', 'b'], ['file']]);
});

test('a repository is asked about its own past without being opened: sentences first, then figures', async () => {
  const metrics = { 'mrr@10': 0.5, 'acc@1': 0.25, 'recall@1': 0, 'recall@5': 0, 'recall@10': 0, 'ndcg@10': 0 };
  const report = {
    metrics,
    arms: {},
    'recall@50': {},
    queries: [{ id: 'a', rank: 2 }],
    summary: ['It is well.', 'So.'],
  };
  const { engine, asked } = engineWith({ evaluatePast: [report, report] });
  const { out } = await run(['eval', '--from-history', scratch], engine);
  assert.deepEqual(asked, [{ kind: 'evaluatePast', params: { folder: scratch } }]);
  assert.match(out, /^It is well\.\nSo\.\n\narm +mrr@10[^]*\nall +0\.500[^]*\n1 cases, 1 with a relevant file/);
  assert.deepEqual(JSON.parse((await run(['eval', '--from-history', scratch, '--json'], engine)).out), report);
});

const good = '{"id":"a","query":"x","relevant":["a.c"]}';
const WRONG_CASES: readonly (readonly [text: string, says: RegExp])[] = [
  [`${good}\n\n{"id":"b"`, /^cases\.jsonl line 3: expected a JSON object, got /],
  ['[]', /^cases\.jsonl line 1: expected an object, got \[\]\.$/],
  ['{"id":"a","relevant":["a.c"]}', /line 1: query: expected a text that is not empty, got nothing\.$/],
  ['{"id":"a","query":"x","relevant":"a.c"}', /line 1: relevant: expected a list, got "a\.c"\.$/],
  ['{"id":"a","query":"x","relevant":[]}', /line 1: relevant: expected at least 1 of them/],
  ['{"id":"a","query":"x","relevant":["a.c",7]}', /line 1: relevant\[1\]: expected a text that is not empty, got 7\.$/],
  [
    '{"id":"a","query":"x","relevant":["a.c"],"hunks":{"a.c":[[9,3]]}}',
    /line 1: hunks\[a\.c\]\[0\]: expected a pair of lines \[first, last\], got \[9,3\]\.$/,
  ],
  [`${good}\n${good}`, /line 2: the id "a" stands in line 1 already\.$/],
  ['\n\n', /^cases\.jsonl holds no cases\.$/],
];

for (const [text, says] of WRONG_CASES) {
  test(`a file of cases is refused with its line: ${JSON.stringify(text)}`, async () => {
    const cases = join(scratch, 'cases.jsonl');
    writeFileSync(cases, text);
    await assert.rejects(run(['eval', '.', cases], engineWith({}).engine), (error: Error) => {
      assert.ok(error instanceof LandmarkError);
      assert.match(error.message, says);
      return true;
    });
  });
}

test('cases for similar files have a file in place of a query', async () => {
  const cases = join(scratch, 'similar.jsonl');
  writeFileSync(cases, '{"id":"a","file":"x.c","relevant":["a.c"]}');
  const { engine, asked } = engineWith({ evaluateSimilar: [{ metrics: {}, arms: {}, 'recall@50': {}, queries: [] }] });
  await run(['eval', '.', cases, '--similar', '--json'], engine);
  assert.equal(asked[1]?.kind, 'evaluateSimilar');
  await assert.rejects(run(['eval', '.', cases], engine), /query: expected a text/);
});

test('a file of cases that is not there is named before the engine is asked', async () => {
  const { engine, asked } = engineWith({});
  await assert.rejects(run(['eval', '.', join(scratch, 'none.jsonl')], engine), /none\.jsonl cannot be read/);
  assert.deepEqual(asked, []);
});

test('a file may be named from the folder or by its absolute path, through links too', async () => {
  const folder = join(scratch, 'project');
  mkdirSync(join(folder, 'src'), { recursive: true });
  writeFileSync(join(folder, 'src/a.c'), '');
  symlinkSync(folder, join(scratch, 'link'));
  const named = (base: string, file: string): Promise<string> => fileInFolder(base, file, 'usage');
  assert.equal(await named(folder, 'src/a.c'), 'src/a.c');
  assert.equal(await named(folder, './src/../src/a.c'), 'src/a.c');
  assert.equal(await named(folder, join(folder, 'src/a.c')), 'src/a.c');
  assert.equal(await named(join(scratch, 'link'), join(folder, 'src/a.c')), 'src/a.c');
  assert.equal(await named(folder, '..dots/a.c'), '..dots/a.c');
  for (const outside of ['../other.c', '.', join(scratch, 'projects/a.c'), '/']) {
    await assert.rejects(named(folder, outside), UsageError);
  }
});

test('every command can be prepared', async () => {
  const commands: Command['name'][] = ['index', 'search', 'similar', 'explain', 'stats'];
  for (const name of commands) {
    const parsed = parseArguments([name, '.', ...(name === 'index' || name === 'stats' ? [] : ['x'])]);
    assert.ok(parsed.kind === 'run');
    assert.equal(typeof (await prepareCommand(parsed.command)), 'function');
  }
});
