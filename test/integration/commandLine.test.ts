import assert from 'node:assert/strict';
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { after, before, test } from 'node:test';
import { bundledModelDir } from '../../src/cli/bundledModel';
import type { EvaluationReport } from '../../src/engine/folderEngine';
import type { ExplainResponse, IndexReport, IndexStats, SearchResponse, SimilarResponse } from '../../src/engine/types';
import { writeFileTree } from '../support/fileTree';
import { git } from '../support/git';
import { whenGone } from '../support/hostPrograms';
import type { Finished } from '../support/landmark';
import { buildPrograms, landmark, startLandmark, whenBusy, whenRunning } from '../support/landmark';

const RETRY = `/** Calls the service again after a growing pause when the connection was refused. */
export async function callWithBackoff(request: () => Promise<Response>, attempts: number): Promise<Response> {
  let pause = 100;
  for (let attempt = 1; ; attempt++) {
    try {
      return await request();
    } catch (error) {
      if (attempt === attempts) throw error;
      await sleep(pause);
      pause *= 2;
    }
  }
}
`;
const PROJECT = {
  'src/net/retry.ts': RETRY,
  'src/net/retryCopy.ts': RETRY,
  'src/net/backoff.ts': RETRY.replaceAll('callWithBackoff', 'repeatRequest').replaceAll('pause', 'delay'),
  'src/mail/sender.py':
    'def send_invitation(address, calendar):\n    """Mails an invitation to a meeting."""\n    smtp.send(address, render(calendar))\n',
  'src/image/thumbnail.go':
    'package image\n\n// Thumbnail shrinks a picture to fit a square.\nfunc Thumbnail(picture Image, side int) Image {\n\treturn picture.Scale(side)\n}\n',
  'docs/install.md': '# Installing\n\nUnpack the archive and put the program on the path.\n',
  'settings.json': '{"colour": "blue", "columns": 80}\n',
  'logo.png': Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13),
  '.gitignore': 'build/\n',
  'build/output.ts': 'export const generated = 1;\n',
};

let scratch: string;
let project: string;
let data: string;

before(() => {
  buildPrograms();
  scratch = realpathSync(mkdtempSync(join(tmpdir(), 'landmark-cli-')));
  project = join(scratch, 'project');
  data = join(scratch, 'data');
  mkdirSync(project);
  writeFileTree(project, PROJECT);
  succeed(['index', project]);
});
after(() => rmSync(scratch, { recursive: true, force: true }));

function succeed(args: readonly string[], dataDir = data): Finished {
  const finished = landmark(args, dataDir);
  assert.equal(finished.status, 0, finished.err);
  return finished;
}

const json = <T>(args: readonly string[], dataDir = data): T =>
  JSON.parse(succeed([...args, '--json'], dataDir).out) as T;

/** Nothing on stdout, one sentence on stderr. */
function assertFails(finished: Finished, status: number, says: RegExp): void {
  assert.equal(finished.status, status, finished.err);
  assert.equal(finished.out, '');
  const lines = finished.err.trimEnd().split('\n');
  assert.equal(lines.length, status === 2 ? 2 : 1, finished.err);
  assert.match(lines[0] ?? '', /\.$/);
  assert.match(lines[0] ?? '', says);
  if (status === 2) assert.match(lines[1] ?? '', /^Usage: landmark /);
}

const folderWith = (name: string, tree: Readonly<Record<string, string | Uint8Array>>): string => {
  const folder = join(scratch, name);
  mkdirSync(folder, { recursive: true });
  writeFileTree(folder, tree);
  return folder;
};

function assertAddsUp(report: IndexReport): void {
  const skipped = Object.values(report.skipped).reduce((sum, n) => sum + n, 0);
  assert.equal(report.files, report.embedded + report.reused + skipped + report.failed.length);
}

test('indexing again reuses everything', () => {
  const report = json<IndexReport>(['index', project]);
  assertAddsUp(report);
  assert.equal(report.embedded, 0);
  assert.equal(report.windows.embedded, 0);
  assert.deepEqual(report.failed, []);
  assert.ok(report.reused >= 7, JSON.stringify(report));
});

test('a new data folder computes everything; equal files share their windows', () => {
  const report = json<IndexReport>(['index', project], join(scratch, 'other data'));
  assertAddsUp(report);
  assert.equal(report.skipped['unknown-kind'], 1);
  assert.ok(report.windows.embedded < report.embedded + report.reused, JSON.stringify(report));
  assert.ok(report.tokens > 100);
});

test('plain words find the file and its lines', () => {
  const response = json<SearchResponse>([
    'search',
    project,
    'try',
    'the',
    'request',
    'again',
    'with',
    'a',
    'growing',
    'pause',
  ]);
  assert.equal(response.query, 'try the request again with a growing pause');
  assert.equal(response.complete, 1);
  const [first] = response.results;
  assert.match(first?.path ?? '', /^src\/net\/(retry|retryCopy|backoff)\.ts$/);
  const [place] = first?.places ?? [];
  const lines = RETRY.split('\n').length;
  assert.ok(place !== undefined && place.startLine >= 1 && place.endLine <= lines && place.line >= place.startLine);
  assert.equal(
    RETRY.split('\n').some(line => line.trim() === place.lineText.trim()) || first?.path.endsWith('backoff.ts'),
    true,
  );
  assert.deepEqual(Object.keys(response), ['query', 'complete', 'timing', 'results']);
});

test('the answer is readable and has no colours where it is no terminal', () => {
  const { out, err } = succeed(['search', project, 'mail an invitation']);
  assert.match(out, /^ ?1 {2}src\/mail\/sender\.py:\d+(-\d+)? .*\n {3,4}\d+: \S/);
  assert.doesNotMatch(out, /\u001b/);
  assert.equal(err, '');
});

test('limit, scope and arms narrow the answer', () => {
  assert.equal(json<SearchResponse>(['search', project, 'image', '--limit', '1']).results.length, 1);
  const scoped = json<SearchResponse>(['search', project, 'mail the request', '--scope', 'src/mail/**']);
  assert.deepEqual(
    scoped.results.map(({ path }) => path),
    ['src/mail/sender.py'],
  );
  const lexical = json<SearchResponse>(['search', project, 'thumbnail', '--arms', 'lexical']);
  assert.equal(lexical.results[0]?.path, 'src/image/thumbnail.go');
  assert.deepEqual(Object.keys(lexical.results[0].arms), ['lexical']);
});

test('similar files come without the file itself, with its copies named', () => {
  const response = json<SimilarResponse>(['similar', project, 'src/net/retry.ts']);
  assert.equal(response.file, 'src/net/retry.ts');
  const named = response.results.flatMap(({ path, copies }) => [path, ...copies]);
  assert.ok(!named.includes('src/net/retry.ts'));
  assert.ok(named.slice(0, 2).includes('src/net/backoff.ts'), named.join(' '));
  assert.match(succeed(['similar', project, join(project, 'src/net/retry.ts')]).out, /backoff\.ts/);
});

test('explain says why a file is found or not', () => {
  const stateOf = (file: string): string => json<ExplainResponse>(['explain', project, file]).state;
  assert.equal(stateOf('src/net/retry.ts'), 'indexed');
  assert.equal(stateOf('build/output.ts'), 'ignored');
  assert.equal(stateOf('logo.png'), 'skipped');
  assert.equal(stateOf('src/none.ts'), 'absent');
  assert.equal(
    succeed(['explain', project, 'build/output.ts']).out,
    'build/output.ts: ignored. It is left out by the rule “build/” in .gitignore, line 1.\n',
  );
  assert.match(
    succeed(['explain', project, 'logo.png']).out,
    /^logo\.png: skipped\. .*\.\nCounted as unknown-kind\.\n$/,
  );
});

test('a large file is left out with the way in, and with it is found and shown', () => {
  const text = `export function quetzalFlight() {}\n${Array.from({ length: 60 }, (_, at) => `export const part${at} = ${at};\n`).join('')}`;
  const folder = folderWith('large', { 'large.ts': text });
  // Long enough ago that its time alone says that it has not changed.
  utimesSync(join(folder, 'large.ts'), 1e9, 1e9);
  assert.equal(json<IndexReport>(['index', folder, '--max-file-size', '1']).skipped['too-large'], 1);
  // Who only reads the index judges files as the one who made it.
  const skipped = json<ExplainResponse>(['explain', folder, 'large.ts']);
  assert.deepEqual([skipped.state, skipped.rule], ['skipped', 'too-large']);
  assert.match(
    skipped.reason,
    /the limit \(landmark\.maxFileSize in the editor, --max-file-size on the command line\) is 1 KB/,
  );
  assert.equal(json<IndexReport>(['index', folder]).embedded, 1);
  assert.equal(json<ExplainResponse>(['explain', folder, 'large.ts']).state, 'indexed');
  assert.match(succeed(['search', folder, 'quetzal flight']).out, /export function quetzalFlight/);
  assert.equal(json<IndexReport>(['index', folder, '--max-file-size', '1']).skipped['too-large'], 1);
});

test('stats say what is indexed', () => {
  const stats = json<IndexStats>(['stats', project]);
  assert.equal(stats.complete, 1);
  assert.equal(stats.queue, 0);
  assert.ok(stats.files >= 7 && stats.windows >= 5 && stats.landmarks >= stats.windows);
  assert.equal(stats.model.id, basename(bundledModelDir('models')));
  assert.match(succeed(['stats', project]).out, /^files +\d+\n/);
});

test('an evaluation measures every arm and all together', () => {
  const cases = join(scratch, 'cases.jsonl');
  const hunks = { 'src/mail/sender.py': [[1, 3]] };
  const lines = [
    { id: 'mail', query: 'mail an invitation to a meeting', relevant: ['src/mail/sender.py'], hunks },
    { id: 'picture', query: 'shrink a picture', relevant: ['src/image/thumbnail.go'] },
  ];
  writeFileSync(cases, lines.map(line => JSON.stringify(line)).join('\n'));
  const report = json<EvaluationReport>(['eval', project, cases]);
  assert.equal(report.metrics['mrr@10'], 1);
  assert.equal(report.metrics['place@1'], 1);
  assert.ok(Object.keys(report.arms).includes('lexical'));
  assert.deepEqual(report.queries, [
    { id: 'mail', rank: 1 },
    { id: 'picture', rank: 1 },
  ]);
  assert.match(succeed(['eval', project, cases]).out, /^arm +mrr@10[^]*\nall +1\.000[^]*\nstage +recall@50\n/);
});

test('an evaluation of similar files measures them', () => {
  const cases = join(scratch, 'similar.jsonl');
  writeFileSync(cases, JSON.stringify({ id: 'a', file: 'src/net/retry.ts', relevant: ['src/net/backoff.ts'] }));
  const report = json<EvaluationReport>(['eval', project, cases, '--similar']);
  assert.equal(report.queries.length, 1);
  assert.ok(report.metrics['recall@10'] === 1);
});

test('history counts up to the named commit and not beyond', () => {
  const folder = folderWith('history', { 'alpha.c': 'int a;\n', 'beta.c': 'int b;\n' });
  const repository = join(scratch, 'repository');
  cpSync(folder, repository, { recursive: true });
  git(repository, ['init', '-q']);
  const commit = (file: string, subject: string): string => {
    writeFileSync(join(repository, file), `// ${subject.length}\n`, { flag: 'a' });
    git(repository, ['add', file]);
    git(repository, ['commit', '-qm', subject]);
    return git(repository, ['rev-parse', 'HEAD']).trim();
  };
  const past = commit('alpha.c', 'Tune the carburettor');
  commit('beta.c', 'Polish the chandelier');
  succeed(['index', folder, '--git', repository, '--at', past]);
  const found = (query: string): string[] =>
    json<SearchResponse>(['search', folder, query, '--arms', 'history']).results.map(({ path }) => path);
  assert.deepEqual(found('carburettor'), ['alpha.c']);
  assert.deepEqual(found('chandelier'), []);
  succeed(['index', folder, '--git', repository, '--at', 'HEAD']);
  assert.deepEqual(found('chandelier'), ['beta.c']);
  assertFails(landmark(['index', folder, '--git', repository, '--at', '0'.repeat(40)], data), 1, /0000/);
  assertFails(landmark(['index', folder, '--git', join(scratch, 'nowhere'), '--at', 'HEAD'], data), 1, /nowhere/);
});

test('a folder that was never indexed is named with the command to run', () => {
  const fresh = folderWith('fresh', { 'a.c': 'int a;\n' });
  for (const args of [
    ['search', fresh, 'x'],
    ['stats', fresh],
    ['similar', fresh, 'a.c'],
    ['explain', fresh, 'a.c'],
  ]) {
    assertFails(landmark(args, data), 1, /fresh has not been indexed yet: run "landmark index .*fresh" first/);
    assertFails(landmark(args, join(scratch, 'empty data')), 1, /landmark index/);
  }
});

test('a part of an indexed folder is searched in that index', () => {
  const { out, err } = succeed(['search', join(project, 'src/net'), 'mails an invitation or calls again']);
  assert.match(out, /src\/net\/retry\.ts/);
  assert.doesNotMatch(out, /sender\.py/);
  assert.match(err, /Searching src\/net in the index of .*project/);
  assert.match(succeed(['search', join(project, 'src'), 'calls again', '--scope', 'net']).out, /backoff\.ts/);
  const missed = succeed(['search', project, 'calls again', '--scope', 'sorce']);
  assert.equal(missed.out, 'Nothing was found.\n');
  assert.match(missed.err, /No indexed file lies in "sorce"\./);
});

test('what is not a folder fails with its name', () => {
  for (const command of [['index'], ['search', 'x']]) {
    const [name = '', ...rest] = command;
    assertFails(landmark([name, join(scratch, 'missing'), ...rest], data), 1, /no folder .*missing/);
    assertFails(landmark([name, join(project, 'settings.json'), ...rest], data), 1, /settings\.json is not a folder/);
  }
});

test('a folder without rights fails with its name', t => {
  const root = process.getuid?.() === 0;
  if (process.platform !== 'linux') return t.skip('file rights are tested on Linux only');
  const locked = folderWith('locked', { 'a.c': 'int a;\n' });
  const open = join(scratch, 'data for all');
  mkdirSync(open);
  chmodSync(scratch, 0o755);
  chmodSync(open, 0o777);
  chmodSync(locked, 0o000);
  // Rights do not hold for the superuser: the program runs as nobody then.
  const wrapper = root ? ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups'] : [];
  if (root && landmark(['--version'], open, wrapper).status !== 0)
    return t.skip('setpriv cannot run the program as another user here');
  try {
    assertFails(landmark(['index', locked], open, wrapper), 1, /locked/);
  } finally {
    chmodSync(locked, 0o755);
  }
});

test('a folder with nothing to index is done and finds nothing', () => {
  const trees = { empty: {}, images: { 'a.png': PROJECT['logo.png'], 'b/c.png': PROJECT['logo.png'] } };
  for (const [name, tree] of Object.entries(trees)) {
    const folder = folderWith(name, tree);
    const report = json<IndexReport>(['index', folder]);
    assertAddsUp(report);
    assert.equal(report.embedded, 0);
    assert.deepEqual(json<SearchResponse>(['search', folder, 'anything']).results, []);
    assert.equal(succeed(['search', folder, 'anything']).out, 'Nothing was found.\n');
  }
});

test('wrong use is told with the usage line', () => {
  assertFails(landmark([], data), 2, /no command/);
  assertFails(landmark(['search', project, ''], data), 2, /query is empty/);
  assertFails(landmark(['search', project, ' \t '], data), 2, /query is empty/);
  assertFails(landmark(['search', project, 'x', '--arms', 'nose'], data), 2, /"nose"/);
  assertFails(landmark(['similar', project, '../other.c'], data), 2, /other\.c is not in the folder/);
});

test('a query of any length and script gets an answer', () => {
  const long = succeed(['search', project, 'invitation meeting '.repeat(530).slice(0, 10_000)]);
  assert.match(long.out, /sender\.py/);
  assert.match(long.err, /Only the first \d+ characters/);
  const emoji = succeed(['search', project, '🎉🚀']);
  assert.equal(emoji.out, 'Nothing was found.\n');
  assert.match(emoji.err, /no words/);
  for (const query of ['Größe der Leinwand', '日本語', 'a', '(((', '*', '\u0000'.slice(1) + '%', '"']) {
    assert.equal(landmark(['search', project, query], data).status, 0, query);
  }
});

test('a model with a missing, a cut or an altered file fails with the file’s name', () => {
  const bundled = bundledModelDir('models');
  const damage: Readonly<Record<string, (model: string) => void>> = {
    'tokenizer.json': model => rmSync(join(model, 'tokenizer.json')),
    'model.onnx': model => truncateSync(join(model, 'model.onnx'), 1000),
    'manifest.json': model => rmSync(join(model, 'manifest.json')),
  };
  for (const [file, apply] of Object.entries(damage)) {
    const model = join(scratch, `model without ${file}`);
    cpSync(bundled, model, { recursive: true });
    apply(model);
    assertFails(landmark(['index', project, '--model', model], data), 1, new RegExp(file.replace('.', '\\.')));
    assertFails(landmark(['search', project, 'x', '--model', model], data), 1, new RegExp(file.replace('.', '\\.')));
    rmSync(model, { recursive: true });
  }
  const altered = join(scratch, 'altered model');
  cpSync(bundled, altered, { recursive: true });
  writeFileSync(join(altered, 'tokenizer.json'), ' ', { flag: 'a' });
  assertFails(landmark(['index', project, '--model', altered], data), 1, /tokenizer\.json/);
});

test('help, version and a reader that leaves early are no failure', async () => {
  assert.match(succeed(['--help']).out, /^Landmark Code Search/);
  for (const line of [
    ['search', '--help'],
    ['search', '-h'],
    ['help', 'search'],
  ]) {
    assert.match(succeed(line).out, /^Usage: landmark search /);
  }
  assert.match(succeed(['--version']).out, /^\d+\.\d+\.\d+\n$/);
  const running = startLandmark(['search', project, 'request', '--json'], data);
  running.child.stdout.destroy();
  assert.deepEqual(await running.finished, { status: 0, out: '', err: '' });
});

/** Enough to embed for some seconds; every file has words of its own. */
function largeProject(): string {
  const words = ['engine', 'valve', 'garden', 'ledger', 'violin', 'harbour', 'planet', 'kettle', 'tunnel', 'meadow'];
  const tree = Object.fromEntries(
    Array.from({ length: 56 }, (_, file) => {
      const line = (at: number): string =>
        `export function ${words[(file + at) % 10]}${file}x${at}() { return '${words[(file * 7 + at * 3) % 10]} number ${file * at}'; }`;
      return [`src/part${file}.ts`, `${Array.from({ length: 50 }, (__, at) => line(at)).join('\n')}\n`];
    }),
  );
  return folderWith('large', tree);
}

test('an index run goes on whatever process is killed, and the index is the same', { timeout: 300_000 }, async t => {
  if (process.platform !== 'linux') return t.skip('process ids are looked up on Linux only');
  const large = largeProject();
  const undisturbed = join(scratch, 'undisturbed');
  succeed(['index', large], undisturbed);
  const answers = (dataDir: string): unknown => {
    const { files, windows, landmarks, complete } = json<IndexStats>(['stats', large], dataDir);
    const { results } = json<SearchResponse>(['search', large, 'violin number harbour'], dataDir);
    return { files, windows, landmarks, complete, results };
  };
  const expected = answers(undisturbed);

  for (const victim of ['embedder', 'search'] as const) {
    const disturbed = join(scratch, `killed ${victim}`);
    const running = startLandmark(['index', large, '--json'], disturbed);
    const search = await whenRunning(running.pid, 'search.js');
    const embedder = await whenRunning(search, 'embedder.js');
    await whenBusy(embedder, 1000);
    process.kill(victim === 'search' ? search : embedder, 'SIGKILL');
    const { status, out, err } = await running.finished;
    assert.equal(status, 0, err);
    assertAddsUp(JSON.parse(out) as IndexReport);
    if (victim === 'search') assert.match(err, /SIGKILL/);
    assert.deepEqual(answers(disturbed), expected);
    await whenGone(embedder, 5000);
  }

  const shared = join(scratch, 'shared');
  const owner = startLandmark(['index', large, '--json'], shared);
  await whenBusy(await whenRunning(await whenRunning(owner.pid, 'search.js'), 'embedder.js'), 1000);
  // Partial answers come while another process writes.
  const early = json<SearchResponse>(['search', large, 'violin number harbour'], shared);
  assert.ok(early.complete < 1 && early.results.length > 0, JSON.stringify(early.complete));
  const second = succeed(['index', large, '--json'], shared);
  assert.equal((await owner.finished).status, 0);
  const handedOver = JSON.parse(second.out) as IndexReport;
  assertAddsUp(handedOver);
  assert.equal(handedOver.files, (JSON.parse((await owner.finished).out) as IndexReport).files);
  assert.deepEqual(answers(shared), expected);

  const interrupted = join(scratch, 'interrupted');
  const running = startLandmark(['index', large], interrupted);
  const search = await whenRunning(running.pid, 'search.js');
  const embedder = await whenRunning(search, 'embedder.js');
  // Something is stored, and there is more to come.
  while (json<IndexStats>(['stats', large], interrupted).complete === 0) continue;
  process.kill(running.pid, 'SIGINT');
  const stopped = await running.finished;
  assert.equal(stopped.status, 130, stopped.err);
  assert.equal(stopped.out, '');
  assert.match(stopped.err, /^Stopped\. What is indexed so far is kept/m);
  for (const pid of [search, embedder]) await whenGone(pid, 5000);
  const report = json<IndexReport>(['index', large], interrupted);
  assert.ok(report.windows.reused > 0, JSON.stringify(report));
  assert.deepEqual(answers(interrupted), expected);
});

test('the runtime neither keeps an id of the machine nor reports anything: a fresh home stays as it was', () => {
  const home = join(scratch, 'fresh home');
  mkdirSync(home);
  const env = ['env', `HOME=${home}`, `XDG_CACHE_HOME=${home}`, `XDG_CONFIG_HOME=${home}`, 'ORT_DISABLE_TELEMETRY='];
  const folder = folderWith('small', { 'a.ts': RETRY });
  assert.equal(landmark(['index', folder], data, env).status, 0);
  assert.equal(landmark(['search', folder, 'call again after a pause'], data, env).status, 0);
  assert.deepEqual(readdirSync(home), []);
});
