import assert from 'node:assert/strict';
import { appendFileSync, chmodSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { CommitHistory } from '../../src/engine/history/commitHistory';
import { readHistory } from '../../src/engine/history/gitLog';
import { isWorkTreeTop } from '../../src/engine/history/gitProcess';
import { isCancelled, LandmarkError } from '../../src/util/errors';
import { makeFileTree } from '../support/fileTree';
import { git } from '../support/git';

interface Change {
  readonly subject: string;
  readonly files: readonly string[];
  /** Marks of commits, counted from 1; by default the one before. */
  readonly parents?: readonly number[];
}

const START = 1_600_000_000;

/** Writes commits one minute apart through git's own importer and gives their ids. */
function importCommits(repository: string, changes: readonly Change[]): string[] {
  const lines: string[] = [];
  for (const [index, { subject, files, parents = index === 0 ? [] : [index] }] of changes.entries()) {
    lines.push(
      'commit refs/heads/main',
      `mark :${index + 1}`,
      `committer T <t@example.org> ${START + 60 * index} +0000`,
    );
    lines.push(`data ${Buffer.byteLength(subject)}`, subject);
    for (const [at, parent] of parents.entries()) lines.push(`${at === 0 ? 'from' : 'merge'} :${parent}`);
    for (const file of files)
      lines.push(`M 644 inline ${JSON.stringify(file)}`, `data ${String(index).length}`, String(index));
  }
  git(repository, ['fast-import', '--quiet', '--export-marks=marks'], `${lines.join('\n')}\n`);
  const order = git(repository, ['log', '--all', '--format=%ct %H']).trim().split('\n').sort();
  return order.map(line => line.split(' ')[1] ?? '');
}

function newRepository(
  context: Parameters<typeof makeFileTree>[0],
  changes: readonly Change[],
): { folder: string; ids: string[] } {
  const folder = makeFileTree(context);
  git(folder, ['init', '--quiet', '--initial-branch=main']);
  return { folder, ids: importCommits(folder, changes) };
}

async function refusal(work: Promise<unknown>): Promise<LandmarkError> {
  const error: unknown = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof LandmarkError, String(error));
  return error;
}

const many = (count: number): string[] => Array.from({ length: count }, (_, at) => `many/${at}.ts`);

test('commits come with their paths as they are, newest first, without merges and large ones', async context => {
  const odd = ['src/with space.ts', 'src/über/файл.ts', '-dash', ' lead', 'tab\there', 'quote".ts'];
  const { folder, ids } = newRepository(context, [
    { subject: 'First \u0001 part', files: odd },
    { subject: 'Twenty-five', files: many(25) },
    { subject: 'Twenty-six', files: [...many(26)] },
    { subject: 'Nothing', files: [] },
    { subject: 'Side', files: ['side.ts'], parents: [1] },
    { subject: 'Join', files: ['side.ts', 'join.ts'], parents: [4, 5] },
    { subject: 'Последний\n\nBody text', files: ['last.ts'], parents: [6] },
  ]);
  for (const gitDir of [folder, join(folder, '.git')]) {
    const commits = await readHistory({ gitDir, at: ids[6] ?? '' }, '');
    assert.deepEqual(
      commits.map(({ subject }) => subject),
      ['Последний', 'Side', 'Twenty-five', 'First \u0001 part'],
    );
    assert.deepEqual(
      commits.map(({ id }) => id),
      [ids[6], ids[4], ids[1], ids[0]],
    );
    assert.deepEqual([...(commits[3]?.files ?? [])].sort(), [...odd].sort());
    assert.equal(commits[0]?.time, START + 360);
  }
});

test('nothing newer than the named commit is read, and no more than the limit', async context => {
  const { folder, ids } = newRepository(context, [
    { subject: 'one', files: ['a'] },
    { subject: 'two', files: ['b'] },
    { subject: 'three', files: ['a'] },
  ]);
  const subjects = async (at: string, limit?: number): Promise<string[]> =>
    (await readHistory({ gitDir: folder, at }, '', limit === undefined ? {} : { limit })).map(({ subject }) => subject);
  assert.deepEqual(await subjects(ids[1] ?? ''), ['two', 'one']);
  assert.deepEqual(await subjects((ids[1] ?? '').slice(0, 12)), ['two', 'one']);
  assert.deepEqual(await subjects('HEAD', 2), ['three', 'two']);
});

test('below a folder only its commits and paths are there, sized by the whole commit', async context => {
  const { folder } = newRepository(context, [
    { subject: 'inside', files: ['lib/a.ts', 'other.ts', 'library.ts'] },
    { subject: 'outside', files: ['other.ts'] },
    { subject: 'everything', files: ['lib/a.ts', ...many(30)] },
  ]);
  const commits = await readHistory({ gitDir: folder, at: 'HEAD' }, 'lib/');
  assert.deepEqual(
    commits.map(({ subject, files }) => [subject, files]),
    [['inside', ['a.ts']]],
  );
});

test('a repository cannot make git run, write or fetch anything', async context => {
  const { folder, ids } = newRepository(context, [
    { subject: 'one', files: ['a.txt'] },
    { subject: 'two', files: ['a.txt'] },
  ]);
  const marker = join(folder, 'ran');
  const script = join(folder, 'run.sh');
  writeFileSync(script, `#!/bin/sh\ntouch "${marker}"\ncat\n`);
  chmodSync(script, 0o755);
  appendFileSync(
    join(folder, '.git', 'config'),
    `[core]\n\tpager = ${script}\n\tfsmonitor = ${script}\n\thooksPath = ${folder}\n\tsshCommand = ${script}\n` +
      `[pager]\n\tlog = ${script}\n[alias]\n\tlog = "!${script}"\n[log]\n\tshowSignature = true\n\tfollow = true\n` +
      `[gpg]\n\tprogram = ${script}\n[diff]\n\texternal = ${script}\n\trelative = true\n\trenames = copies\n` +
      `[diff "x"]\n\ttextconv = ${script}\n\tcommand = ${script}\n[color]\n\tui = always\n` +
      `[remote "origin"]\n\turl = ext::${script}\n\tpromisor = true\n\tpartialclonefilter = tree:0\n[extensions]\n\tpartialClone = origin\n`,
  );
  writeFileSync(join(folder, '.git', 'info', 'attributes'), '*.txt diff=x\n');
  mkdirSync(join(folder, '.git', 'refs', 'replace'), { recursive: true });
  writeFileSync(join(folder, '.git', 'refs', 'replace', ids[1] ?? ''), `${ids[0]}\n`);
  const before = readdirSync(join(folder, '.git'), { recursive: true }).length;
  const commits = await readHistory({ gitDir: folder, at: 'HEAD' }, '');
  assert.deepEqual(
    commits.map(({ subject, files }) => [subject, files]),
    [
      ['two', ['a.txt']],
      ['one', ['a.txt']],
    ],
  );
  assert.equal(existsSync(marker), false);
  assert.equal(readdirSync(join(folder, '.git'), { recursive: true }).length, before);
});

test('what a partial clone lacks is not fetched', async context => {
  const { folder, ids } = newRepository(context, [{ subject: 'one', files: ['a.txt'] }]);
  const marker = join(folder, 'ran');
  const script = join(folder, 'run.sh');
  writeFileSync(script, `#!/bin/sh\ntouch "${marker}"\n`);
  chmodSync(script, 0o755);
  appendFileSync(
    join(folder, '.git', 'config'),
    `[remote "origin"]\n\turl = ext::${script}\n\tpromisor = true\n[extensions]\n\tpartialClone = origin\n` +
      `[protocol]\n\tallow = always\n[protocol "ext"]\n\tallow = always\n`,
  );
  git(folder, ['config', 'core.repositoryFormatVersion', '1']);
  const tree = git(folder, ['rev-parse', `${ids[0]}^{tree}`]).trim();
  rmSync(join(folder, '.git', 'objects', tree.slice(0, 2), tree.slice(2)));
  const error = await refusal(readHistory({ gitDir: folder, at: 'HEAD' }, ''));
  assert.match(error.message, /^Git could not list the commits of /);
  assert.equal(existsSync(marker), false);
  assert.throws(() => git(folder, ['log', '--name-only']));
  assert.equal(existsSync(marker), true, 'git left alone does run it');
});

test('what is no commit is refused before git sees it, or named', async context => {
  const { folder } = newRepository(context, [{ subject: 'one', files: ['a'] }]);
  for (const at of [`--output=${join(folder, 'written')}`, 'HEAD..HEAD', '', 'a b', 'HEAD\n']) {
    assert.equal((await refusal(readHistory({ gitDir: folder, at }, ''))).reason, 'invalid-argument');
  }
  assert.equal(existsSync(join(folder, 'written')), false);
  const unknown = await refusal(readHistory({ gitDir: folder, at: 'f'.repeat(40) }, ''));
  assert.equal(unknown.reason, 'not-found');
  assert.match(unknown.message, /has no commit f{40}/);
});

test('a folder inside a repository is not its top, and its history is not read', async context => {
  const { folder } = newRepository(context, [{ subject: 'one', files: ['a'] }]);
  const inner = join(folder, 'inner');
  mkdirSync(join(inner, '.git'), { recursive: true });
  assert.equal(await isWorkTreeTop(folder), true);
  assert.equal(await isWorkTreeTop(inner), false);
  assert.equal(await isWorkTreeTop(join(folder, 'missing')), false);
  const error = await refusal(readHistory({ gitDir: inner, at: 'HEAD' }, ''));
  assert.equal(error.reason, 'not-found');
  assert.match(error.message, /is not a git repository/);
});

test('a linked work tree is a top of its own', async context => {
  const { folder } = newRepository(context, [{ subject: 'one', files: ['a'] }]);
  const linked = join(folder, 'linked');
  git(folder, ['worktree', 'add', '--quiet', '--detach', linked, 'main']);
  assert.equal(await isWorkTreeTop(linked), true);
  assert.deepEqual(
    (await readHistory({ gitDir: linked, at: 'HEAD' }, '')).map(({ subject }) => subject),
    ['one'],
  );
});

test('a repository without commits has no history', async context => {
  const folder = makeFileTree(context);
  git(folder, ['init', '--quiet', '--initial-branch=main']);
  assert.deepEqual(await readHistory({ gitDir: folder, at: 'HEAD' }, ''), []);
});

test('reading ends when it is given up', async context => {
  const { folder } = newRepository(context, [{ subject: 'one', files: ['a'] }]);
  const controller = new AbortController();
  const reading = readHistory({ gitDir: folder, at: 'HEAD' }, '', {}, controller.signal);
  controller.abort();
  await assert.rejects(reading, isCancelled);
});

const DAY = 86_400;

test('files are scored by the commits whose subjects are like the query', () => {
  const history = new CommitHistory([
    { id: 'a', time: START, subject: 'cache eviction', files: ['new.ts', 'gone.ts'] },
    { id: 'b', time: START - 730 * DAY, subject: 'cache eviction', files: ['old.ts', 'shared.ts', 'x.ts', 'y.ts'] },
    { id: 'c', time: START, subject: 'unrelated words', files: ['other.ts'] },
  ]);
  const { scores, coverage } = history.score(['cache', 'cache'], path => path !== 'gone.ts');
  assert.equal(coverage, 1);
  // Both subjects match equally well: s = 1; one file that is left of `a`, four files and one half-life for `b`.
  assert.deepEqual(
    [...scores],
    [
      ['new.ts', 1],
      ['old.ts', 0.25],
      ['shared.ts', 0.25],
      ['x.ts', 0.25],
      ['y.ts', 0.25],
    ],
  );
});

test('a weaker commit counts by its square, and a file adds up its commits', () => {
  const commits = [
    { id: 'a', time: START, subject: 'cache eviction', files: ['both.ts'] },
    { id: 'b', time: START, subject: 'cache padding', files: ['both.ts', 'weak.ts'] },
    { id: 'c', time: START, subject: 'other thing', files: ['other.ts'] },
  ];
  const { scores, coverage } = new CommitHistory(commits).score(['cache', 'eviction', 'why', 'how'], () => true);
  assert.equal(coverage, 0.5, 'two of the four words are in the best subject');
  // N = 3 and equal lengths, so a term gives its IDF: ln(1 + 1.5/2.5) for `cache`, ln(1 + 2.5/1.5) for `eviction`.
  const [cache, eviction] = [Math.log(1.6), Math.log(1 + 2.5 / 1.5)];
  const weak = (cache / (cache + eviction)) ** 2 / Math.SQRT2;
  assert.ok(Math.abs((scores.get('weak.ts') ?? 0) - weak) < 1e-12);
  assert.ok(Math.abs((scores.get('both.ts') ?? 0) - (1 + weak)) < 1e-12);
  assert.equal(scores.has('other.ts'), false);
});

test('only the best hundred commits count, and commits of files that are gone take no place', () => {
  const gone = Array.from({ length: 150 }, (_, at) => ({
    id: `g${at}`,
    time: START,
    subject: 'cache',
    files: ['gone.ts'],
  }));
  const left = Array.from({ length: 150 }, (_, at) => ({
    id: `l${at}`,
    time: START,
    subject: 'cache',
    files: ['left.ts'],
  }));
  const { scores } = new CommitHistory([...gone, ...left]).score(['cache'], path => path === 'left.ts');
  assert.deepEqual([...scores], [['left.ts', 100]]);
});

test('a history without commits scores nothing', () => {
  const { scores, coverage } = new CommitHistory([]).score(['cache'], () => true);
  assert.equal(scores.size, 0);
  assert.equal(coverage, 0);
});
