import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test, type TestContext } from 'node:test';
import type { ArmName } from '../../src/engine/types';
import { type TestEngine, testRuntime } from '../support/engineRuntime';
import { makeFileTree, writeFileTree } from '../support/fileTree';
import { git } from '../support/git';
import { randomNumbers } from '../support/vectors';

const HOUR_AGO = new Date(Date.now() - 3600_000);
/** A word of its own for each number: digits would part it. */
const name = (word: string, at: number): string =>
  `${word}${String.fromCharCode(97 + (at % 26), 97 + Math.floor(at / 26))}x`;
const WORDS = 'engine valve garden ledger violin harbour planet kettle tunnel meadow copper lantern'.split(' ');

test('files of the same size and age that change places are read again', async t => {
  const folder = makeFileTree(t, { 'a.ts': 'let aardvark;\n', 'b.ts': 'let bandicoo;\n' });
  for (const name of ['a.ts', 'b.ts']) utimesSync(join(folder, name), HOUR_AGO, HOUR_AGO);
  const { engine, sync, findWords } = await (await testRuntime(t)).open(folder);
  await sync();
  const swap = (): void => {
    renameSync(join(folder, 'a.ts'), join(folder, 'c'));
    renameSync(join(folder, 'b.ts'), join(folder, 'a.ts'));
    renameSync(join(folder, 'c'), join(folder, 'b.ts'));
  };
  swap();
  await engine.update(['a.ts', 'b.ts']);
  assert.deepEqual(await findWords('aardvark'), ['b.ts']);
  swap();
  await sync();
  assert.deepEqual([await findWords('aardvark'), await findWords('bandicoo')], [['a.ts'], ['b.ts']]);
});

test('a file that cannot be read when it is saved is counted until it can be, or is gone', async t => {
  if (process.getuid?.() !== 0) return t.skip('needs a superuser that can be another user for a moment');
  const folder = makeFileTree(t, { 'a.ts': 'let aardvark;\n', 'b.ts': 'let badger;\n', 'c.ts': 'let caracal;\n' });
  chmodSync(folder, 0o755);
  const { engine, sync, status, findWords } = await (await testRuntime(t)).open(folder);
  await sync();
  const told = (): unknown[] => [status()?.state, status()?.problems];
  assert.deepEqual(told(), ['ready', 0]);
  for (const name of ['a.ts', 'b.ts']) {
    writeFileSync(join(folder, name), 'let beaver;\n');
    chmodSync(join(folder, name), 0o600);
  }
  process.seteuid?.(65534);
  const { failed } = await engine.update(['a.ts', 'b.ts']).finally(() => process.seteuid?.(0));
  assert.deepEqual(
    failed.map(({ path }) => path),
    ['a.ts', 'b.ts'],
  );
  assert.deepEqual(told(), ['problems', 2]);
  assert.match(status()?.reason ?? '', /2 files/);
  rmSync(join(folder, 'b.ts'));
  await engine.update(['b.ts', 'c.ts']);
  assert.deepEqual(told(), ['problems', 1]);
  await engine.update(['a.ts']);
  assert.deepEqual(told(), ['ready', 0]);
  assert.deepEqual(await findWords('beaver'), ['a.ts']);
});

test('a deleted folder goes with all below it, however its path is written, and no other of a like name', async t => {
  const folder = makeFileTree(t, {
    'old/a.ts': 'let aardvark;\n',
    'old/in/b.ts': 'let badger;\n',
    'older/c.ts': 'let caracal;\n',
  });
  const { engine, sync, findWords } = await (await testRuntime(t)).open(folder);
  await sync();
  rmSync(join(folder, 'old'), { recursive: true });
  await engine.update(['old/']);
  assert.deepEqual(
    [await findWords('aardvark'), await findWords('badger'), await findWords('caracal')],
    [[], [], ['older/c.ts']],
  );
});

test('what was deleted, renamed and written while nothing ran is as it is on disk after the first look', async t => {
  const files = Array.from({ length: 8 }, (_, at) => [`file${at}.ts`, `let ${name('animal', at)};\n`]);
  const folder = makeFileTree(t, Object.fromEntries(files) as Record<string, string>);
  const { open, embedder } = await testRuntime(t);
  const before = await open(folder);
  await before.sync();
  await before.engine.close();
  const { windows } = embedder;
  for (const at of [0, 1, 2]) rmSync(join(folder, `file${at}.ts`));
  for (const at of [3, 4]) renameSync(join(folder, `file${at}.ts`), join(folder, `moved${at}.ts`));
  writeFileSync(join(folder, 'new.ts'), 'let numbat;\n');
  const after = await open(folder);
  const report = await after.sync();
  assert.deepEqual([report.files, report.windows.embedded], [6, 1]);
  assert.equal(embedder.windows - windows, 1 + 3, 'the new file, and the words of three new paths');
  for (const at of [0, 1, 2]) assert.deepEqual(await after.findWords(name('animal', at)), []);
  assert.deepEqual(await after.findWords(name('animal', 3)), ['moved3.ts']);
  assert.deepEqual(await after.findWords('numbat'), ['new.ts']);
});

test('a checkout that replaces files loses none, whatever its events say', async t => {
  const tree = (word: string) =>
    Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`src/f${at}.ts`, `let ${name(word, at)};\n`]));
  const folder = makeFileTree(t, tree('first'));
  git(folder, ['init', '-q', '-b', 'one']);
  git(folder, ['add', '.']);
  git(folder, ['commit', '-qm', 'one']);
  git(folder, ['checkout', '-qb', 'two']);
  writeFileTree(folder, tree('second'));
  git(folder, ['commit', '-qam', 'two']);
  const { engine, sync, findWords } = await (await testRuntime(t)).open(folder);
  await sync();
  git(folder, ['checkout', '-q', 'one']);
  git(folder, ['checkout', '-q', 'two']);
  // Deleted, created, changed: an event only says where to look.
  const report = await engine.update(Object.keys(tree('x')));
  assert.equal(report.files, 20);
  assert.equal((await engine.stats()).files, 20);
  for (const at of [0, 7, 19]) assert.deepEqual(await findWords(name('second', at)), [`src/f${at}.ts`]);
  assert.deepEqual(await findWords(name('first', 0)), []);
});

test('a folder that is moved in is found as a whole', async t => {
  const top = makeFileTree(t, {
    'lib/.gitignore': '*.gen.ts\n',
    'lib/x.gen.ts': 'let wolverine;\n',
    'project/a.ts': 'let aardvark;\n',
  });
  writeFileTree(
    top,
    Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`lib/deep/f${at}.ts`, `let ${name('moved', at)};\n`])),
  );
  const { engine, sync, findWords } = await (await testRuntime(t)).open(join(top, 'project'));
  await sync();
  renameSync(join(top, 'lib'), join(top, 'project/lib'));
  const report = await engine.update(['lib']);
  assert.deepEqual([report.files, report.embedded], [41, 41]);
  assert.deepEqual(await findWords(name('moved', 39)), ['lib/deep/f39.ts']);
  assert.deepEqual(await findWords('wolverine'), []);
});

test('saving through a temporary file, two hundred times, embeds the last text only and leaves no other name', async t => {
  const folder = makeFileTree(t, { 'a.ts': 'let start;\n' });
  const { open, embedder } = await testRuntime(t);
  const { engine, sync, findWords } = await open(folder);
  await sync();
  let release = (): void => {};
  const held = new Promise<void>(resolve => (release = resolve));
  embedder.gate = () => held;
  const { windows } = embedder;
  const saves: Promise<unknown>[] = [];
  for (let at = 0; at < 200; at++) {
    writeFileSync(join(folder, 'a.ts.tmp'), `let ${name('save', at)};\n`);
    if (at % 50 === 0) saves.push(engine.update(['a.ts.tmp', '.a.ts.swp', '4913']));
    renameSync(join(folder, 'a.ts.tmp'), join(folder, 'a.ts'));
    if (at % 10 === 0) saves.push(engine.update(['a.ts', 'a.ts.tmp']));
  }
  saves.push(engine.update(['a.ts', 'a.ts.tmp']));
  release();
  await Promise.all(saves);
  assert.deepEqual(
    [await findWords(name('save', 199)), await findWords(name('save', 198)), await findWords('start')],
    [['a.ts'], [], []],
  );
  assert.equal((await engine.stats()).files, 1);
  assert.ok(embedder.windows - windows < 20, `${embedder.windows - windows} windows`);
});

test('rules that change while running take files out and let them in, at the top, below, and in info/exclude', async t => {
  const folder = makeFileTree(t, {
    'data/a.ts': 'let aardvark;\n',
    'data/in/b.ts': 'let badger;\n',
    'c.ts': 'let caracal;\n',
  });
  git(folder, ['init', '-q']);
  const { engine, sync, findWords } = await (await testRuntime(t)).open(folder);
  await sync();
  const found = async (): Promise<string> =>
    (await Promise.all(['aardvark', 'badger', 'caracal'].map(async word => (await findWords(word)).length))).join('');
  const step = async (file: string, rules: string | undefined, expected: string): Promise<void> => {
    if (rules === undefined) rmSync(join(folder, file));
    else writeFileTree(folder, { [file]: rules });
    await engine.update([file]);
    assert.equal(await found(), expected, `${file}: ${rules}`);
  };
  await step('.gitignore', 'data/\n', '001');
  await step('.gitignore', 'in/\n', '101');
  await step('.gitignore', undefined, '111');
  await step('data/.gitignore', '*\n!in/\n!in/*\n', '011');
  await step('data/.gitignore', '', '111');
  await step('.git/info/exclude', 'c.ts\n', '110');
  await step('.git/info/exclude', '', '111');
});

const QUESTIONS = [
  'garden ledger',
  'where is the violin',
  'file7',
  'kettle of the harbour',
  'planet tunnel meadow',
  'commit about copper',
];

/** What a user sees: paths, scores and places. */
async function answersOf({ engine }: TestEngine, arms?: readonly ArmName[]): Promise<unknown> {
  const answers: unknown[] = [];
  for (const query of QUESTIONS) {
    const { results, complete } = await engine.search({ query, limit: 15, ...(arms ? { arms } : {}) });
    answers.push([
      query,
      complete,
      results.map(hit => [hit.path, hit.score.toFixed(5), hit.copies, hit.places.map(place => place.line)]),
    ]);
  }
  const { files, windows, complete, queue } = await engine.stats();
  return { answers, files, windows, complete, queue };
}

/** A repository with branches, renames, ignore rules and files that come and go. @returns its commits, oldest first. */
function generateRepository(folder: string, commits: number, seed: number): string[] {
  const random = randomNumbers(seed);
  const below = (limit: number): number => Math.floor(random() * limit);
  const word = (): string => WORDS[below(WORDS.length)] ?? '';
  const text = (): string => Array.from({ length: 3 + below(12) }, (_, at) => `const ${word()}${at} = '${word()} ${word()} ${below(99)}';\n`).join('');
  const write = (path: string, content: string): void => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  };
  const run = (...args: string[]): string => git(folder, args);
  run('init', '-q', '-b', 'main');
  for (let at = 0; at < 25; at++) write(`src/part${at % 4}/file${at}.ts`, text());
  run('add', '.');
  run('commit', '-qm', 'Begin');
  const tracked = (): string[] => run('ls-files', '-z').split('\0').filter(path => path.endsWith('.ts'));
  const made = [run('rev-parse', 'HEAD').trim()];
  while (made.length < commits) {
    const files = tracked();
    const pick = (): string => files[below(files.length)] ?? 'src/none.ts';
    switch (below(9)) {
      case 0: write(`src/new${below(6)}/file${below(60)}.ts`, text()); break;
      case 1: run('mv', '-f', pick(), `src/moved${made.length}.ts`); break;
      case 2: if (files.length > 12) run('rm', '-q', pick()); break;
      case 3: write('.gitignore', ['*.gen.ts\n', 'gen/\n', '/src/part1/\n'][below(3)] ?? ''); break;
      case 4: write(`src/copy${below(9)}.ts`, git(folder, ['show', `HEAD:${pick()}`])); break;
      case 5: run('mv', '-k', `src/part${below(4)}`, `src/renamed${made.length}`); break;
      case 6: run('checkout', '-q', '-B', `side${below(3)}`, made[Math.max(0, made.length - 1 - below(6))] ?? 'HEAD'); break;
      default: write(pick(), text());
    }
    write(`notes/${made.length % 5}.md`, `About ${word()} and ${word()}.\n`);
    run('add', '-f', '.');
    run('commit', '-qm', `Commit about ${word()} and ${word()}`);
    made.push(run('rev-parse', 'HEAD').trim());
  }
  return made;
} // prettier-ignore

/** Moves HEAD and gives the paths that a watcher would name: files, and now and then only the folder above. */
function moveHead(folder: string, at: number, ...args: string[]): string[] {
  const before = git(folder, ['rev-parse', 'HEAD']).trim();
  git(folder, args);
  const changed = git(folder, ['diff', '--name-only', '--no-renames', '-z', before, 'HEAD'])
    .split('\0')
    .filter(Boolean);
  return at % 3 === 0 ? [...new Set(changed.map(path => (path.startsWith('src/') ? dirname(path) : path)))] : changed;
}

async function freshOf(t: TestContext, folder: string): Promise<TestEngine> {
  const fresh = await (await testRuntime(t)).open(folder);
  await fresh.sync();
  return fresh;
}

test(
  'at each of 100 commits of a repository, and after a rebase and a pull, the index equals a fresh one',
  { timeout: 600_000 },
  async t => {
    const folder = makeFileTree(t);
    const commits = generateRepository(folder, 100, 20240801);
    assert.equal(commits.length, 100);
    const walked = await (await testRuntime(t)).open(folder);
    git(folder, ['checkout', '-q', commits[0] ?? '']);
    await walked.sync();
    let fresh = await freshOf(t, folder);
    const compare = async (at: number, changed: readonly string[], note: string): Promise<void> => {
      await walked.engine.update(changed);
      if (at % 10 === 0) {
        await fresh.engine.close();
        fresh = await freshOf(t, folder);
      } else await fresh.engine.sync({ rebuild: true }, () => {});
      const arms: readonly ArmName[] = ['file', 'landmark', 'path', 'lexical', 'definition'];
      assert.deepEqual(await answersOf(walked, arms), await answersOf(fresh, arms), note);
      if (at % 4 !== 0) return;
      // The move of HEAD has the whole folder looked at, past commits too.
      await walked.sync();
      assert.deepEqual(await answersOf(walked), await answersOf(fresh), `${note}, with its commits`);
    };
    for (const [at, commit] of commits.entries()) {
      await compare(at, moveHead(folder, at, 'checkout', '-q', '-f', commit), `commit ${at} (${commit})`);
    }
    git(folder, ['checkout', '-q', '-b', 'topic', commits[50] ?? '']);
    writeFileTree(folder, { 'topic.ts': 'const topicOfViolin = 1;\n' });
    git(folder, ['add', 'topic.ts']);
    git(folder, ['commit', '-qm', 'Topic']);
    await walked.sync();
    await compare(100, moveHead(folder, 1, 'rebase', '-q', commits[70] ?? ''), 'rebase');
    symlinkSync(folder, `${folder}-origin`);
    t.after(() => rmSync(`${folder}-origin`));
    git(folder, ['checkout', '-q', '-b', 'behind', commits[60] ?? '']);
    await walked.sync();
    await compare(
      104,
      moveHead(folder, 1, 'pull', '-q', '--no-rebase', '--no-edit', '-X', 'theirs', `${folder}-origin`, 'topic'),
      'pull',
    );
  },
);
