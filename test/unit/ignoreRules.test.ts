import assert from 'node:assert/strict';
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { withForwardSlashes } from '../../src/engine/files/filePaths';
import { IgnoreRules } from '../../src/engine/files/ignoreRules';
import { LandmarkError } from '../../src/util/errors';
import { gitVerdicts, shownVerdict } from '../support/checkIgnore';
import { type FileTree, makeFileTree, writeFileTree } from '../support/fileTree';
import { git, plainGitEnvironment } from '../support/git';

async function assertLikeGit(folder: string, files: readonly string[], note: string): Promise<number> {
  const expected = gitVerdicts(folder, files);
  const rules = await IgnoreRules.open(folder, { globalExcludes: false });
  let ignored = 0;
  for (const path of files) {
    const verdict = await rules.explain(path);
    assert.equal(shownVerdict(verdict), expected.get(path), `${path} in ${note}`);
    if (verdict.ignored) ignored++;
  }
  return ignored;
}

/** Rules of the root's ignore file, each against the same tree. */
const SINGLE_RULES = [
  '/gen', 'gen/', '**/gen', 'gen/**', 'gen/*', '!gen/keep.ts', 'gen/*\n!gen/keep.ts', 'gen/\n!gen/keep.ts', '\\#x', '#x', '\\!y',
  '!y', 'a.log   ', 'sp\\ ', 'sp ', '*.log\r\n!keep.log\r', '\ufeff*.log', '*', '*\n!*/\n!*.ts', '**', '/**/keep.ts', 'src/**/a.log',
  'src/*/a.log', 's?c', '[a-c].ts', '[!a-c].ts', '*.[lt]*', 'src', 'src//gen', './gen', '/', '!', 'deep/**/', '**/deep/keep.ts', 'GEN',
  'gen\\', 'a\\.log', 'src/gen', 'src/gen/', 'gen/keep.ts', '.*', '!.env\n.*', '\\*.ts', '\t', 'café.ts', 'src/[g]en/', 'foo\\ bar',
  '*.log\n\n# note\n!*.log\nkeep.log', 'a/**/b', 'src/gen/**/keep.ts', '***', 'src/**', '/*\n!/src', '/*\n!/src/\n/src/*\n!/src/gen/',
]; // prettier-ignore

const TREE: FileTree = Object.fromEntries(
  [
    'a.log', 'keep.log', 'a.ts', 'b.ts', 'd.ts', '.env', '#x', '!y', 'sp ', 'foo bar', '*.ts', 'café.ts', 'gen/a.ts', 'gen/keep.ts',
    'gen/x/keep.ts', 'src/a.ts', 'src/a.log', 'src/gen/keep.ts', 'src/gen/x/keep.ts', 'src/gen/a.log', 'src/deep/deep/keep.ts',
    'deep/keep.ts', 'a/b/c.ts', 'a/x/y/b/c.ts', 'GEN/a.ts',
  ].map(path => [path, 'x']), // prettier-ignore
);

test('every rule of a root ignore file has the meaning, and the place, that git gives it', async context => {
  let ignored = 0;
  for (const rule of SINGLE_RULES) {
    const folder = makeFileTree(context, { ...TREE, '.gitignore': rule });
    git(folder, ['init', '-q']);
    ignored += await assertLikeGit(folder, Object.keys(TREE), JSON.stringify(rule));
  }
  assert.ok(ignored > 200, `only ${ignored} verdicts were "ignored"`);
});

test('the same rules in a nested ignore file have the meaning that git gives them', async context => {
  const nested = Object.fromEntries(Object.entries(TREE).map(([path, text]) => [`pack[1]/${path}`, text]));
  let ignored = 0;
  for (const rule of SINGLE_RULES) {
    const folder = makeFileTree(context, { ...TREE, ...nested, 'pack[1]/.gitignore': rule });
    git(folder, ['init', '-q']);
    ignored += await assertLikeGit(
      folder,
      [...Object.keys(TREE), ...Object.keys(nested)],
      `nested ${JSON.stringify(rule)}`,
    );
  }
  assert.ok(ignored > 200, `only ${ignored} verdicts were "ignored"`);
});

test('random sets of nested ignore files give what git gives', async context => {
  const segment = fc.constantFrom('a', 'b', 'gen', 'x.log', 'k.ts', '*', '**', '*.ts', '[ab]', '?', 'b c');
  const rule = fc
    .record({
      negated: fc.boolean(),
      rooted: fc.boolean(),
      segments: fc.array(segment, { minLength: 1, maxLength: 3 }),
      folder: fc.boolean(),
      end: fc.constantFrom('', '', '', ' ', '\r'),
    })
    .map(r => `${r.negated ? '!' : ''}${r.rooted ? '/' : ''}${r.segments.join('/')}${r.folder ? '/' : ''}${r.end}`);
  const text = fc.array(rule, { minLength: 1, maxLength: 4 }).map(rules => rules.join('\n'));
  const folders = ['', 'a/', 'a/b/', 'gen/', 'b c/'];
  const fixture = fc.record({
    ignoreFiles: fc.uniqueArray(fc.tuple(fc.constantFrom(...folders), text), {
      minLength: 1,
      maxLength: 4,
      selector: ([at]) => at,
    }),
    exclude: fc.option(text, { nil: '' }),
  });
  const files = folders
    .flatMap(at => ['a', 'x.log', 'k.ts', 'gen/k.ts', 'b/b/k.ts'].map(name => `${at}t/${name}`))
    .concat(folders.flatMap(at => ['x.log', 'k.ts'].map(name => `${at}${name}`)));
  const folder = makeFileTree(context);
  let count = 0;
  let ignored = 0;
  await fc.assert(
    fc.asyncProperty(fixture, async ({ ignoreFiles, exclude }) => {
      const top = join(folder, String(count++));
      const tree: FileTree = Object.fromEntries([
        ...files.map(path => [path, 'x'] as const),
        ...ignoreFiles.map(([at, rules]) => [`${at}.gitignore`, rules] as const),
      ]);
      writeFileTree(top, tree);
      git(top, ['init', '-q', '--template=']);
      writeFileTree(top, { '.git/info/exclude': exclude });
      ignored += await assertLikeGit(top, files, JSON.stringify({ ignoreFiles, exclude }));
    }),
    { numRuns: 60, seed: 20240607 },
  );
  assert.ok(ignored > 300, `only ${ignored} verdicts were "ignored"`);
});

test('a rule of the folder of a project counts in that project only', async context => {
  const folder = makeFileTree(context, { 'app/.gitignore': '.out/\n', 'app/.out/x.ts': '', '.out/x.ts': '' });
  const rules = await IgnoreRules.open(folder, { globalExcludes: false });
  assert.deepEqual(await rules.explain('app/.out/x.ts'), {
    ignored: true,
    source: 'git',
    reason: 'It is left out by the rule “.out/” in app/.gitignore, line 1.',
    rule: '.out/',
    ruleFile: 'app/.gitignore',
    ruleLine: 1,
    decidedIn: 'app',
  });
  assert.equal((await rules.explain('.out/x.ts')).ignored, false);
});

test("the user's own rules come first, then those of the repository, then nested files; the last word counts", async context => {
  const home = makeFileTree(context, { ignore: '*.one\n*.two\n*.three\n' });
  const folder = makeFileTree(context, { '.gitignore': '!y.three\n', 'y.one': '', 'y.two': '', 'y.three': '' });
  git(folder, ['init', '-q']);
  writeFileTree(folder, { '.git/info/exclude': '!y.two\n' });
  const global = join(home, 'ignore');
  const rules = await IgnoreRules.open(folder, { globalExcludes: global });
  for (const path of ['y.one', 'y.two', 'y.three', 'z.two']) {
    assert.equal(shownVerdict(await rules.explain(path)), gitVerdicts(folder, [path], global).get(path), path);
  }
  assert.equal(shownVerdict(await rules.explain('y.one')), `${global}:1:*.one`);
});

test('the ignore file that git is configured to read counts, and without configuration the one in the usual place', async context => {
  const folder = makeFileTree(context, { 'home/mine': '*.mine\n', 'home/git/ignore': '*.usual\n', 'repo/a': '' });
  const repo = join(folder, 'repo');
  git(repo, ['init', '-q']);
  const before = { ...process.env };
  context.after(() => {
    process.env = before;
  });
  process.env = { ...plainGitEnvironment, XDG_CONFIG_HOME: join(folder, 'home') };
  assert.equal((await (await IgnoreRules.open(repo)).explain('x.usual')).ignored, true);
  git(repo, ['config', 'core.excludesFile', join(folder, 'home', 'mine')]);
  const configured = await IgnoreRules.open(repo);
  assert.equal((await configured.explain('x.usual')).ignored, false);
  assert.equal((await configured.explain('x.mine')).ignored, true);
});

test('rules of the repository around the indexed folder count, unless they leave out the folder itself', async context => {
  const top = makeFileTree(context, {
    '.gitignore': '*.log\n/pack/gen/\nprivate/\n',
    'pack/.gitignore': '!keep.log\n',
    'pack/in/a': '',
    'private/a': '',
  });
  git(top, ['init', '-q']);
  const inside = await IgnoreRules.open(join(top, 'pack'), { globalExcludes: false });
  assert.deepEqual(shownVerdict(await inside.explain('in/a.log')), `${join(top, '.gitignore')}:1:*.log`);
  assert.equal(shownVerdict(await inside.explain('gen/a.ts')), `${join(top, '.gitignore')}:2:/pack/gen/`);
  assert.equal((await inside.explain('in/keep.log')).ignored, false);
  const deeper = await IgnoreRules.open(join(top, 'pack', 'in'), { globalExcludes: false });
  assert.equal((await deeper.explain('keep.log')).ignored, false);
  assert.equal((await deeper.explain('a.log')).ignored, true);
  const wanted = await IgnoreRules.open(join(top, 'private'), { globalExcludes: false });
  assert.equal((await wanted.explain('a')).ignored, false);
  assert.equal((await wanted.explain('a.log')).ignored, false);
});

test('built-in excludes need no git, and ordinary folder names are not among them', async context => {
  const folder = makeFileTree(context, { 'package.json': '{}', 'src/build/x.ts': '', 'lib/Cargo.toml': '' });
  const rules = await IgnoreRules.open(folder);
  for (const path of [
    'node_modules/a/x.js',
    'lib/.venv/x.py',
    '.git/config',
    'sub/.git',
    'dist/x.js',
    'lib/target/x.rs',
  ]) {
    const verdict = await rules.explain(path);
    assert.ok(verdict.ignored && verdict.source === 'built-in', path);
  }
  for (const path of ['src/build/x.ts', 'src/dist/x.ts', 'target/x.ts', 'node_modules.ts', 'lib/out/a.rs']) {
    assert.equal((await rules.explain(path)).ignored, false, path);
  }
});

test('in a git repository build folders are judged by its ignore files alone', async context => {
  const folder = makeFileTree(context, { 'package.json': '{}', 'dist/x.js': '' });
  git(folder, ['init', '-q']);
  assert.equal((await (await IgnoreRules.open(folder)).explain('dist/x.js')).ignored, false);
});

test('rules from the settings count everywhere and name the setting', async context => {
  const folder = makeFileTree(context);
  const rules = await IgnoreRules.open(folder, { excludes: ['*.csv', '/top', '!keep.csv'] });
  const verdict = await rules.explain('a/b.csv');
  assert.ok(verdict.ignored);
  assert.equal(verdict.source, 'setting');
  assert.equal(verdict.reason, 'It is left out by “*.csv” in the setting landmark.exclude.');
  assert.equal(verdict.ruleFile, undefined);
  assert.equal((await rules.explain('a/keep.csv')).ignored, false);
  assert.equal((await rules.explain('top/x')).ignored, true);
  assert.equal((await rules.explain('a/top/x')).ignored, false);
});

test('an ignore file that is edited counts at once', async context => {
  const folder = makeFileTree(context, { '.gitignore': '' });
  const rules = await IgnoreRules.open(folder);
  assert.equal((await rules.explain('a.csv')).ignored, false);
  writeFileTree(folder, { '.gitignore': '*.csv' });
  assert.equal((await rules.explain('a.csv')).ignored, true);
});

test('an ignore file that is a link or a folder holds no rules', async context => {
  const folder = makeFileTree(context, { rules: '*', 'a/.gitignore/x': '', 'b/x.ts': '' });
  symlinkSync(join(folder, 'rules'), join(folder, 'b', '.gitignore'));
  const rules = await IgnoreRules.open(folder);
  assert.equal((await rules.explain('a/x.ts')).ignored, false);
  assert.equal((await rules.explain('b/x.ts')).ignored, false);
});

test('a path that leads out of the folder never reaches the matcher', async context => {
  const rules = await IgnoreRules.open(makeFileTree(context));
  for (const path of ['../x', '/etc/passwd', 'a/../../x', '']) {
    await assert.rejects(
      rules.explain(path),
      (error: unknown) => error instanceof LandmarkError && error.reason === 'invalid-argument',
      path,
    );
  }
});

test("the system's separators become forward slashes, and a backslash in a Linux name stays", () => {
  assert.equal(withForwardSlashes('src\\gen\\a.ts', '\\'), 'src/gen/a.ts');
  assert.equal(withForwardSlashes('src\\gen/a.ts', '/'), 'src\\gen/a.ts');
});
