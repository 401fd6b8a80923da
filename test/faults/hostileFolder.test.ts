import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import {
  appendFileSync, chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync,
} from 'node:fs'; // prettier-ignore
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { walkFiles } from '../../src/engine/files/fileWalker';
import { IgnoreRules } from '../../src/engine/files/ignoreRules';
import { inspectPath } from '../../src/engine/files/inspectPath';
import { readFolderFile } from '../../src/engine/files/textReader';
import { readHistory } from '../../src/engine/history/gitLog';
import { LandmarkError } from '../../src/util/errors';
import { testRuntime } from '../support/engineRuntime';
import { makeFileTree } from '../support/fileTree';
import { git } from '../support/git';

const hasReason =
  (reason: LandmarkError['reason']) =>
  (error: unknown): boolean =>
    error instanceof LandmarkError && error.reason === reason && /\.$/.test(error.message);

/** Leads out of the folder, in the ways that paths can. */
const WAYS_OUT = [
  '../outside.ts',
  'in/../../outside.ts',
  '/etc/passwd',
  './a.ts',
  'in//a.ts',
  '..',
  '\\..\\outside.ts',
];

test('paths that lead out of the folder are answered with a sentence and never read', async t => {
  const top = makeFileTree(t, {
    'outside.ts': 'let outsideSecret;\n',
    'folder/a.ts': 'let a;\n',
    'folder/in/b.ts': 'let b;\n',
  });
  const { open } = await testRuntime(t);
  const { engine, sync, findWords } = await open(join(top, 'folder'));
  await sync();
  const report = await engine.update(WAYS_OUT);
  assert.deepEqual([report.files, report.failed], [0, []]);
  for (const path of [...WAYS_OUT, join(top, 'outside.ts')]) {
    const { state, reason } = await engine.explain(path);
    assert.equal(state, 'absent', path);
    assert.match(reason, /\.$/);
    await assert.rejects(engine.similar(path, 3), hasReason('not-found'), path);
    await assert.rejects(readFolderFile(join(top, 'folder'), path, 1000), hasReason('not-found'), path);
  }
  assert.deepEqual(await findWords('outside secret'), []);
  assert.equal((await engine.stats()).files, 2);
});

test('a folder that becomes a link after it was indexed is not read through it', async t => {
  const top = makeFileTree(t, {
    'folder/lib/a.ts': 'function aardvark() {}\n',
    'folder/b.ts': 'function badger() {}\n',
    'outside/a.ts': 'function aardvark() {}\n',
  });
  const folder = join(top, 'folder');
  const { open } = await testRuntime(t);
  const { engine, sync, find, findWords } = await open(folder);
  await sync();
  rmSync(join(folder, 'lib'), { recursive: true });
  symlinkSync('../outside', join(folder, 'lib'));
  // Before any event: the content would be the same, and still is not read.
  const [hit] = (await engine.search({ query: 'aardvark' })).results;
  assert.deepEqual([hit?.path, hit?.places[0]?.lineText], ['lib/a.ts', '']);
  await assert.rejects(readFolderFile(folder, 'lib/a.ts', 1000), hasReason('not-found'));
  renameSync(join(folder, 'b.ts'), join(top, 'b.ts'));
  symlinkSync('../b.ts', join(folder, 'b.ts'));
  await assert.rejects(readFolderFile(folder, 'b.ts', 1000), hasReason('not-found'));
  writeFileSync(join(top, 'outside/a.ts'), 'function albatross() {}\n');
  await engine.update(['lib', 'lib/a.ts', 'b.ts']);
  for (const word of ['aardvark', 'albatross', 'badger']) assert.deepEqual(await findWords(word), [], word);
  assert.deepEqual(await find('albatross'), []);
  assert.equal((await engine.explain('lib/a.ts')).state, 'absent');
});

/** Gives a tracked file another path in the index, which git itself would refuse. Both have the same length. */
function forgeIndex(top: string, from: string, to: string): void {
  const file = join(top, '.git/index');
  const bytes = readFileSync(file);
  const at = bytes.indexOf(from);
  assert.ok(at > 0 && from.length === to.length);
  bytes.write(to, at, 'latin1');
  const body = bytes.subarray(0, -20);
  writeFileSync(file, Buffer.concat([body, createHash('sha1').update(body).digest()]));
}

test('a forged git index leads to no file outside of the folder', async t => {
  const top = makeFileTree(t, {
    'outside.ts': 'x',
    'repo/gen/aa/aa/outside.ts': 'x',
    'repo/.gitignore': 'gen/\n',
    'repo/gen/kept.ts': 'x',
  });
  const folder = join(top, 'repo');
  git(folder, ['init', '-q', '--template=']);
  git(folder, ['add', '-f', '.']);
  forgeIndex(folder, 'gen/aa/aa/outside.ts', 'gen/../../outside.ts');
  assert.ok(git(folder, ['ls-files']).includes('gen/../../outside.ts'), 'git lists it');
  const { files } = await walkFiles(folder, { globalExcludes: false });
  assert.deepEqual(
    files.map(file => file.path),
    ['.gitignore', 'gen/kept.ts'],
  );
});

/** A repository whose settings run a program wherever git can be made to run one. */
function hostileRepository(t: TestContext): { readonly folder: string; readonly ran: () => string[] } {
  const folder = makeFileTree(t, {
    'a.txt': 'x\n', 'gen/kept.txt': 'x\n', 'deep/in/b.txt': 'x\n', '.gitignore': 'gen/\n', 'own.gitignore': '*.mine\n', 'c.mine': 'x\n',
  }); // prettier-ignore
  git(folder, ['init', '-q', '--template=']);
  git(folder, ['add', '-f', '.']);
  git(folder, ['commit', '-qm', 'Add all']);
  const marks = join(folder, '.git/ran');
  mkdirSync(marks);
  const program = (name: string): string => {
    const path = join(folder, '.git', `run-${name}.sh`);
    writeFileSync(path, `#!/bin/sh\ntouch "${marks}/${name}"\ncat\n`);
    chmodSync(path, 0o755);
    return path;
  };
  mkdirSync(join(folder, '.git/hooks'));
  for (const hook of [
    'post-index-change',
    'pre-auto-gc',
    'fsmonitor-watchman',
    'post-checkout',
    'reference-transaction',
  ])
    writeFileSync(join(folder, '.git/hooks', hook), readFileSync(program(hook)), { mode: 0o755 });
  appendFileSync(
    join(folder, '.git/config'),
    `[core]\n\tfsmonitor = ${program('fsmonitor')}\n\tpager = ${program('pager')}\n\thooksPath = ${join(folder, '.git/hooks')}\n` +
      `\tsshCommand = ${program('ssh')}\n\teditor = ${program('editor')}\n\taskPass = ${program('askpass')}\n\tattributesFile = .git/info/attributes\n` +
      `\texcludesFile = ${join(folder, 'own.gitignore')}\n\talternateRefsCommand = ${program('alternates')}\n\tuntrackedCache = true\n` +
      `[pager]\n\tls-files = ${program('pager-ls')}\n\tconfig = ${program('pager-config')}\n\tlog = ${program('pager-log')}\n` +
      `[alias]\n\tls-files = "!${program('alias-ls')}"\n\tconfig = "!${program('alias-config')}"\n\tlog = "!${program('alias-log')}"\n` +
      `[filter "x"]\n\tclean = ${program('clean')}\n\tsmudge = ${program('smudge')}\n\tprocess = ${program('process')}\n\trequired = true\n` +
      `[diff]\n\texternal = ${program('diff')}\n[diff "x"]\n\ttextconv = ${program('textconv')}\n\tcommand = ${program('diff-x')}\n` +
      `[merge "x"]\n\tdriver = ${program('merge')}\n[gpg]\n\tprogram = ${program('gpg')}\n[log]\n\tshowSignature = true\n` +
      `[credential]\n\thelper = "!${program('credential')}"\n[uploadpack]\n\tpackObjectsHook = ${program('pack')}\n` +
      `[remote "origin"]\n\turl = ext::${program('fetch')}\n\tpromisor = true\n\tuploadpack = ${program('uploadpack')}\n` +
      `[protocol]\n\tallow = always\n[protocol "ext"]\n\tallow = always\n[trace2]\n\teventTarget = ${join(marks, 'trace')}\n`,
  );
  mkdirSync(join(folder, '.git/info'), { recursive: true });
  writeFileSync(join(folder, '.git/info/attributes'), '*.txt filter=x diff=x merge=x\n');
  return { folder, ran: () => readdirSync(marks) };
}

test('a repository cannot make git run anything while its files and commits are listed', async t => {
  const { folder, ran } = hostileRepository(t);
  const { files } = await walkFiles(folder);
  const paths = files.map(file => file.path);
  assert.ok(paths.includes('gen/kept.txt') && paths.includes('deep/in/b.txt'), paths.join());
  assert.ok(paths.includes('c.mine'), 'tracked, whatever the rules of the repository’s settings say');
  const rules = await IgnoreRules.open(folder);
  assert.equal((await inspectPath(rules, 'gen/kept.txt')).state, 'file');
  assert.equal((await rules.explain('d.mine')).ignored, true);
  const { open } = await testRuntime(t);
  const { sync, find, engine } = await open(folder);
  assert.ok((await sync()).files >= 5);
  assert.ok((await find('add all')).length > 0, 'its history is read');
  assert.equal((await engine.explain('a.txt')).state, 'indexed');
  assert.deepEqual(ran(), []);
});

test('what a sparse index of a partial clone lacks is not fetched', async t => {
  const { folder, ran } = hostileRepository(t);
  const safe = ['-c', 'core.fsmonitor=', '-c', 'core.hooksPath=/dev/null', '-c', 'filter.x.required=false', '-c', 'filter.x.process=', '-c', 'filter.x.smudge=', '-c', 'filter.x.clean=', '-c', 'trace2.eventTarget=0']; // prettier-ignore
  git(folder, [...safe, 'sparse-checkout', 'set', '--cone', '--sparse-index', 'gen']);
  const tree = git(folder, [...safe, 'rev-parse', 'HEAD:deep']).trim();
  rmSync(join(folder, '.git/objects', tree.slice(0, 2), tree.slice(2)));
  git(folder, [...safe, 'config', 'core.repositoryFormatVersion', '1']);
  git(folder, [...safe, 'config', 'extensions.partialClone', 'origin']);
  for (const mark of ran()) rmSync(join(folder, '.git/ran', mark));
  const { files } = await walkFiles(folder);
  assert.ok(files.some(file => file.path === 'a.txt'));
  // Its commits may then be unreadable; nothing may be run for them.
  await readHistory({ gitDir: folder, at: 'HEAD' }, '').catch(() => undefined);
  assert.deepEqual(ran(), []);
  assert.ok(!existsSync(join(folder, '.git/objects', tree.slice(0, 2), tree.slice(2))));
});

test('nothing of a secret file reaches the index, and explaining names it', async t => {
  const secrets = {
    '.env': 'API=platypus-one\n',
    'id_rsa': 'platypus-two\n',
    'server.pem': 'platypus-three\n',
    'credentials.json': '{"key": "platypus-four"}\n',
    'deploy_access': '-----BEGIN OPENSSH PRIVATE KEY-----\nplatypus-five\n',
  }; // prettier-ignore
  const folder = makeFileTree(t, {
    ...secrets,
    'config.json': '{"colour": "wombat"}\n',
    'settings.json': '{"size": "wombat"}\n',
  });
  const { open, dataDir } = await testRuntime(t);
  const { engine, sync, findWords } = await open(folder);
  assert.deepEqual((await sync()).skipped, { secret: 5 });
  for (const path of Object.keys(secrets)) {
    const { state, reason, rule } = await engine.explain(path);
    assert.deepEqual([state, rule], ['skipped', 'secret'], path);
    assert.match(reason, /keys or passwords|private key/);
  }
  assert.deepEqual(await findWords('platypus'), []);
  assert.deepEqual((await findWords('wombat')).sort(), ['config.json', 'settings.json']);
  await engine.close();
  for (const entry of readdirSync(dataDir, { recursive: true, withFileTypes: true })) {
    if (entry.isFile())
      assert.ok(!readFileSync(join(entry.parentPath, entry.name)).includes('platypus'), `${entry.name} holds a secret`);
  }
});
