import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { checkFolder, walkFiles, type WalkOptions } from '../../src/engine/files/fileWalker';
import { IgnoreRules } from '../../src/engine/files/ignoreRules';
import { inspectPath } from '../../src/engine/files/inspectPath';
import { isCancelled, LandmarkError } from '../../src/util/errors';
import { makeFileTree, writeFileTree } from '../support/fileTree';
import { git } from '../support/git';

const plain: WalkOptions = { globalExcludes: false };

async function pathsIn(folder: string, options: WalkOptions = plain): Promise<string[]> {
  const { files, problems } = await walkFiles(folder, options);
  assert.deepEqual(problems, []);
  return files.map(file => file.path);
}

const hasReason = (reason: string) => (error: unknown) => error instanceof LandmarkError && error.reason === reason;

/** Runs as a user without rights: the rights of folders do not bind the superuser. */
async function withoutRights<T>(work: () => Promise<T>): Promise<T> {
  if (process.getuid?.() !== 0) return work();
  process.seteuid?.(65534);
  try {
    return await work();
  } finally {
    process.seteuid?.(0);
  }
}

test('all files come sorted by path, with size and time, whatever their kind', async context => {
  const folder = makeFileTree(context, { 'b/z.ts': 'xyz', 'b.ts': '', 'B.ts': 'x', 'a/é.png': 'ab', 'b-c/a b.ts': '' });
  const { files } = await walkFiles(folder, plain);
  assert.deepEqual(
    files.map(({ path, size }) => [path, size]),
    [
      ['B.ts', 1],
      ['a/é.png', 2],
      ['b-c/a b.ts', 0],
      ['b.ts', 0],
      ['b/z.ts', 3],
    ],
  );
  assert.ok(files.every(file => Math.abs(Date.now() - file.mtimeMs) < 60_000));
});

test('a folder of more files than are looked at at a time is complete', async context => {
  const names = Array.from({ length: 300 }, (_, i) => `d${i % 7}/s${i % 50}/f${i}.ts`);
  const folder = makeFileTree(context, Object.fromEntries(names.map(name => [name, 'x'])));
  assert.deepEqual(await pathsIn(folder), names.sort());
});

test('links are not followed: loops, doubles, broken ones and ways out all count for nothing', async context => {
  const outside = makeFileTree(context, { 'secret.ts': 'x', 'lib/x.ts': 'x' });
  const folder = makeFileTree(context, { 'lib/model/a.ts': 'x', 'web/b.ts': 'x' });
  symlinkSync('../lib/model', join(folder, 'web', 'model'));
  symlinkSync('.', join(folder, 'loop'));
  symlinkSync('nowhere', join(folder, 'broken.ts'));
  symlinkSync(join(outside, 'secret.ts'), join(folder, 'secret.ts'));
  symlinkSync(join(outside, 'lib'), join(folder, 'web', 'lib'));
  assert.deepEqual(await pathsIn(folder), ['lib/model/a.ts', 'web/b.ts']);
});

test('an installed package is left out without git, a folder with an ordinary name is not', async context => {
  const folder = makeFileTree(context, {
    'node_modules/p/i.js': '',
    'a/node_modules/p/i.js': '',
    'src/build/x.ts': '',
  });
  assert.deepEqual(await pathsIn(folder), ['src/build/x.ts']);
});

test('a file that git tracks is there although a rule names it, unless the settings or a built-in rule leave it out', async context => {
  const folder = makeFileTree(context, {
    'gen/kept.ts': 'x', 'gen/new.ts': 'x', 'gen/deep/kept é.ts': 'x', 'a.log': 'x', 'b.log': 'x', 'c.csv': 'x', 'node_modules/p.js': 'x',
    'gone.log': 'x', 'src/a.ts': 'x',
  }); // prettier-ignore
  git(folder, ['init', '-q']);
  git(folder, ['add', '-f', 'gen/kept.ts', 'gen/deep', 'a.log', 'c.csv', 'node_modules', 'gone.log', 'src']);
  writeFileTree(folder, { '.gitignore': 'gen/\n*.log\n*.csv\nnode_modules\n' });
  execFileSync('rm', [join(folder, 'gone.log')]);
  assert.deepEqual(await pathsIn(folder, { ...plain, excludes: ['*.csv'] }), [
    '.gitignore',
    'a.log',
    'gen/deep/kept é.ts',
    'gen/kept.ts',
    'src/a.ts',
  ]);
  assert.deepEqual(await pathsIn(folder, { ...plain, under: 'gen' }), ['gen/deep/kept é.ts', 'gen/kept.ts']);
  assert.deepEqual(await pathsIn(join(folder, 'gen')), ['deep/kept é.ts', 'kept.ts', 'new.ts']);
});

test('a sub-folder of a repository is walked with the rules and the tracked files of the whole', async context => {
  const top = makeFileTree(context, {
    '.gitignore': '*.log\n',
    'pack/a.log': '',
    'pack/b.log': '',
    'pack/src/c.ts': '',
    'x.ts': '',
  });
  git(top, ['init', '-q']);
  git(top, ['add', '-f', 'pack/a.log']);
  assert.deepEqual(await pathsIn(join(top, 'pack')), ['a.log', 'src/c.ts']);
});

test('a folder that looks like a repository but is none is walked all the same', async context => {
  const folder = makeFileTree(context, { '.git/HEAD': 'nonsense', '.gitignore': '*.log', 'a.log': '', 'a.ts': '' });
  assert.deepEqual(await pathsIn(folder), ['.gitignore', 'a.ts']);
});

test('nested work trees of the same repository are left out, its submodules and other repositories are not', async context => {
  const other = makeFileTree(context, { '.gitignore': '*.tmp\n', 'lib.ts': 'x', 'kept.tmp': 'x' });
  git(other, ['init', '-q']);
  git(other, ['add', '-f', '.']);
  git(other, ['commit', '-qm', 'x']);
  const folder = makeFileTree(context, {
    'a.ts': 'x',
    'own/.git/HEAD': 'ref: refs/heads/main\n',
    'own/b.ts': 'x',
    'own/b.log': 'x',
  });
  git(folder, ['init', '-q']);
  writeFileTree(folder, { '.gitignore': '*.log\n*.ts.bak\n' });
  git(folder, ['add', 'a.ts']);
  git(folder, ['commit', '-qm', 'x']);
  git(folder, ['worktree', 'add', '-q', '.trees/one']);
  git(folder, ['worktree', 'add', '-q', '.trees/two']);
  git(folder, ['-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', other, 'vendor lib']);
  git(other, ['worktree', 'add', '-q', join(folder, 'foreign')]);
  writeFileTree(folder, { 'vendor lib/new.tmp': 'x', 'vendor lib/new.log': 'x' });

  assert.deepEqual(await pathsIn(folder), [
    '.gitignore',
    '.gitmodules',
    'a.ts',
    'foreign/.gitignore',
    'foreign/kept.tmp',
    'foreign/lib.ts',
    // A repository of its own does not know the rules of the one around it.
    'own/b.log',
    'own/b.ts',
    'vendor lib/.gitignore',
    'vendor lib/kept.tmp',
    'vendor lib/lib.ts',
    'vendor lib/new.log',
  ]);
  const rules = await IgnoreRules.open(folder, plain);
  const verdict = await rules.explain('.trees/one/a.ts');
  assert.match(verdict.ignored ? verdict.reason : '', /one more work tree/);
  assert.deepEqual(await pathsIn(join(folder, '.trees', 'one')), ['a.ts']);

  writeFileTree(folder, { '.gitignore': 'vendor*/\n' });
  assert.deepEqual(
    (await pathsIn(folder)).filter(path => path.startsWith('vendor')),
    [],
  );
  assert.equal((await inspectPath(rules, 'vendor lib/lib.ts')).state, 'ignored');
});

test('work trees of a bare repository are indexed: there is no other copy', async context => {
  const folder = makeFileTree(context, { 'seed/a.ts': 'x' });
  const seed = join(folder, 'seed');
  git(seed, ['init', '-q']);
  git(seed, ['add', '.']);
  git(seed, ['commit', '-qm', 'x']);
  git(folder, ['clone', '-q', '--bare', 'seed', 'project/store']);
  git(join(folder, 'project', 'store'), ['worktree', 'add', '-q', '../main']);
  const found = await pathsIn(join(folder, 'project'));
  assert.deepEqual(found, ['main/a.ts']);
});

test('a folder that cannot be read is a problem with a sentence, and the rest is walked', async context => {
  const folder = makeFileTree(context, { 'a/x.ts': '', 'b/y.ts': '', 'c/z.ts': '', 'c/.gitignore': '*.log' });
  chmodSync(folder, 0o755);
  chmodSync(join(folder, 'b'), 0);
  chmodSync(join(folder, 'c', '.gitignore'), 0);
  const { files, problems } = await withoutRights(() => walkFiles(folder, plain));
  assert.deepEqual(
    files.map(file => file.path),
    ['a/x.ts', 'c/.gitignore', 'c/z.ts'],
  );
  assert.deepEqual(problems, [
    {
      path: 'b',
      reason: 'b cannot be read with your rights: change its permissions.',
      failure: { kind: 'no-permission' },
    },
    {
      path: 'c/.gitignore',
      reason: 'c/.gitignore cannot be read with your rights, so its ignore rules do not count.',
      failure: { kind: 'rules-unread' },
    },
  ]);
  chmodSync(folder, 0);
  await assert.rejects(
    withoutRights(() => walkFiles(folder, plain)),
    hasReason('no-permission'),
  );
  await assert.rejects(
    withoutRights(() => checkFolder(folder)),
    hasReason('no-permission'),
  );
  chmodSync(folder, 0o755);
});

test(
  'a name that is not UTF-8 is a problem, not a crash and not a wrong file',
  { skip: process.platform !== 'linux' },
  async context => {
    const folder = makeFileTree(context, { 'a.ts': '', 'genuine \ufffd.ts': '' });
    writeFileSync(Buffer.concat([Buffer.from(`${folder}/`), Buffer.from([0xd1, 0x61]), Buffer.from('.ts')]), 'x');
    mkdirSync(Buffer.concat([Buffer.from(`${folder}/`), Buffer.from([0xff])]));
    const { files, problems } = await walkFiles(folder, plain);
    assert.deepEqual(
      files.map(file => file.path),
      ['a.ts', 'genuine \ufffd.ts'],
    );
    assert.equal(problems.length, 2);
    assert.match(problems[0]?.reason ?? '', /not valid UTF-8/);
  },
);

test('the folder to index is given back as its real path, or refused for a reason that the sentence tells', async context => {
  const folder = makeFileTree(context, { 'real/a.ts': '', 'file.ts': '' });
  symlinkSync('real', join(folder, 'link'));
  assert.equal(await checkFolder(join(folder, 'link')), join(folder, 'real'));
  await assert.rejects(checkFolder(join(folder, 'nowhere')), hasReason('not-found'));
  await assert.rejects(checkFolder(join(folder, 'file.ts')), hasReason('not-a-folder'));
  await assert.rejects(checkFolder(join(folder, 'nowhere')), {
    message: `There is no folder ${join(folder, 'nowhere')}: check the spelling.`,
  });
});

test('a sub-folder is walked alone, with the rules above it; a way out of the folder is refused', async context => {
  const folder = makeFileTree(context, {
    '.gitignore': '*.log',
    'a/b/c.ts': '',
    'a/b/d.log': '',
    'a/e.ts': '',
    'ab/f.ts': '',
  });
  assert.deepEqual(await pathsIn(folder, { ...plain, under: 'a/b' }), ['a/b/c.ts']);
  assert.deepEqual(await pathsIn(folder, { ...plain, under: 'a/' }), ['a/b/c.ts', 'a/e.ts']);
  await assert.rejects(walkFiles(folder, { ...plain, under: '../x' }), hasReason('invalid-argument'));
  await assert.rejects(walkFiles(folder, { ...plain, under: 'gone' }), hasReason('not-found'));
});

test('a walk that is cancelled says so', async context => {
  const folder = makeFileTree(context, { 'a.ts': '' });
  await assert.rejects(walkFiles(folder, plain, AbortSignal.abort()), isCancelled);
});

test('one path is judged as the walk judges it', async context => {
  const folder = makeFileTree(context, {
    'src/a.ts': 'abc',
    'gen/kept.ts': '',
    'gen/new.ts': '',
    'only/new.ts': '',
    '.gitignore': 'gen/\nonly/\n',
  });
  git(folder, ['init', '-q']);
  git(folder, ['add', '-f', 'gen/kept.ts']);
  symlinkSync('src', join(folder, 'link'));
  const rules = await IgnoreRules.open(folder, plain);
  const states: Record<string, string> = {};
  for (const path of [
    'src/a.ts',
    'src',
    'src/',
    'gen',
    'gen/kept.ts',
    'gen/new.ts',
    'only',
    'link',
    'link/a.ts',
    'src/b.ts',
    '../x',
    'src/a.ts/b',
  ]) {
    states[path] = (await inspectPath(rules, path)).state;
  }
  assert.deepEqual(states, {
    'src/a.ts': 'file',
    src: 'folder',
    'src/': 'folder',
    gen: 'folder',
    'gen/kept.ts': 'file',
    'gen/new.ts': 'ignored',
    only: 'ignored',
    link: 'absent',
    'link/a.ts': 'absent',
    'src/b.ts': 'absent',
    '../x': 'absent',
    'src/a.ts/b': 'absent',
  });
  const state = await inspectPath(rules, 'src/a.ts');
  assert.equal(state.state === 'file' && state.file.size, 3);
});

test('after a rename that changes only the case there is one file, under the new name', async context => {
  const folder = makeFileTree(context, { 'util.ts': '', 'lib/a.ts': '' });
  renameSync(join(folder, 'util.ts'), join(folder, 'Util.ts'));
  renameSync(join(folder, 'lib'), join(folder, 'Lib'));
  assert.deepEqual(await pathsIn(folder), ['Lib/a.ts', 'Util.ts']);
  const rules = await IgnoreRules.open(folder, plain);
  assert.equal((await inspectPath(rules, 'util.ts')).state, 'absent');
  assert.equal((await inspectPath(rules, 'Util.ts')).state, 'file');
});
