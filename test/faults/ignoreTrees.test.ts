import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { walkFiles } from '../../src/engine/files/fileWalker';
import { IgnoreRules } from '../../src/engine/files/ignoreRules';
import { gitVerdicts, shownVerdict } from '../support/checkIgnore';
import { type FileTree, makeFileTree, writeFileTree } from '../support/fileTree';
import { git } from '../support/git';

const TREES = 200;
const SEED = 8_2024;

/** Folders that ignore files lie in; the deeper ones have names that are patterns, too. */
const FOLDERS = ['', 'a/', 'a/b/', 'gen/', 'b c/', '[x]/', 'a/gen/', 'été/'];
const NAMES = ['t', 'k.ts', 'x.log', '.env', '#x', '!y', 'sp ', 'A.ts', 'é.ts', 'a*b', 'gen/k.ts', 'b/b/x.log'];
const FILES = FOLDERS.flatMap(folder => NAMES.map(name => `${folder}${name}`));

const segment = fc.constantFrom(
  ...['a', 'b', 't', 'gen', 'x.log', 'k.ts', 'b c', 'é.ts', 'été', '.env', 'A.ts', 'sp ', '[x]'],
  ...['*', '**', '*.ts', '*.log', '?', '??', '.*', 'a*', '*b', '**.ts', 'a**', '***', '*.[lt]*'],
  ...['[ab]', '[!a]', '[^b]', '[a-c]', '[!a-c]*', '[]a]', '[[:alpha:]]', '[[:upper:]].ts', '[a', '[\\]a]', '[a-]', '[b-a]'],
  ...['\\#x', '\\!y', '\\a', 'a\\*b', '\\*', '#x', '!y', 'sp\\ ', '\\[x\\]', 'k\\.ts', '\\\\'],
); // prettier-ignore
const rule = fc
  .record({
    negated: fc.integer({ min: 0, max: 3 }).map(n => n === 0),
    rooted: fc.integer({ min: 0, max: 3 }).map(n => n === 0),
    segments: fc.array(segment, { minLength: 1, maxLength: 3 }),
    folder: fc.integer({ min: 0, max: 3 }).map(n => n === 0),
    end: fc.constantFrom('', '', '', '', ' ', '  ', '\t', '\\', '\r'),
  })
  .map(r => `${r.negated ? '!' : ''}${r.rooted ? '/' : ''}${r.segments.join('/')}${r.folder ? '/' : ''}${r.end}`);
const rules = fc
  .record({
    mark: fc.constantFrom('', '', '', '\ufeff'),
    lines: fc.array(fc.oneof({ weight: 8, arbitrary: rule }, fc.constantFrom('', '# note', ' ', '/', '!', '\\')), {
      minLength: 1,
      maxLength: 5,
    }),
    lineEnd: fc.constantFrom('\n', '\n', '\r\n'),
    last: fc.boolean(),
  })
  .map(({ mark, lines, lineEnd, last }) => mark + lines.join(lineEnd) + (last ? lineEnd : ''));

/** How the indexed folder is a work tree. */
const KINDS = ['plain', 'plain', 'plain', 'linked work tree', 'submodule'] as const;
const fixture = fc.record({
  kind: fc.constantFrom(...KINDS),
  ignoreFiles: fc.uniqueArray(fc.tuple(fc.constantFrom(...FOLDERS), rules), {
    minLength: 1,
    maxLength: 5,
    selector: ([at]) => at,
  }),
  exclude: fc.option(rules, { nil: '' }),
  global: fc.option(rules, { nil: '' }),
  ignoreCase: fc.integer({ min: 0, max: 7 }).map(n => n === 0),
});

const REPOSITORY: FileTree = { HEAD: 'ref: refs/heads/main\n', 'objects/': '', 'refs/': '' };
const below = (folder: string, tree: FileTree): FileTree =>
  Object.fromEntries(Object.entries(tree).map(([path, text]) => [`${folder}/${path}`, text]));
const config = (ignoreCase: boolean, more = ''): string =>
  `[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tignorecase = ${ignoreCase}\n${more}`;

/** What git keeps of a repository, written by hand: thousands of calls of git would take minutes. */
function repositoryOf(kind: (typeof KINDS)[number], ignoreCase: boolean, exclude: string): FileTree {
  switch (kind) {
    case 'plain':
      return below('work/.git', { ...REPOSITORY, config: config(ignoreCase), 'info/exclude': exclude });
    case 'linked work tree':
      return {
        ...below('main/.git', { ...REPOSITORY, config: config(ignoreCase), 'info/exclude': exclude }),
        ...below('main/.git/worktrees/w', { HEAD: 'ref: refs/heads/w\n', commondir: '../..\n', gitdir: '../../../../work/.git\n' }),
        'work/.git': 'gitdir: ../main/.git/worktrees/w\n',
      }; // prettier-ignore
    case 'submodule':
      return {
        ...below('.git', { ...REPOSITORY, config: config(false) }),
        '.gitmodules': '[submodule "work"]\n\tpath = work\n\turl = ./none\n',
        '.gitignore': '*\n!work\n',
        ...below('.git/modules/work', {
          ...REPOSITORY,
          config: config(ignoreCase, '\tworktree = ../../../work\n'),
          'info/exclude': exclude,
        }),
        'work/.git': 'gitdir: ../.git/modules/work\n',
      };
  }
}

test(`on ${TREES} generated trees the verdicts, and the rules they come from, are those of git`, async context => {
  const scratch = makeFileTree(context, below('work', Object.fromEntries(FILES.map(path => [path, 'x']))));
  const folder = join(scratch, 'work');
  const globalExcludes = join(scratch, 'global');
  let count = 0;
  let ignored = 0;
  await fc.assert(
    fc.asyncProperty(fixture, async ({ kind, ignoreFiles, exclude, global, ignoreCase }) => {
      const note = JSON.stringify({ kind, ignoreFiles, exclude, global, ignoreCase });
      for (const path of ['.git', '.gitignore', '.gitmodules', 'main', 'work/.git'].map(name => join(scratch, name)))
        rmSync(path, { recursive: true, force: true });
      for (const at of FOLDERS) rmSync(join(folder, at, '.gitignore'), { force: true });
      writeFileTree(scratch, {
        ...repositoryOf(kind, ignoreCase, exclude),
        global,
        ...below('work', Object.fromEntries(ignoreFiles.map(([at, text]) => [`${at}.gitignore`, text]))),
      });
      const expected = gitVerdicts(folder, FILES, globalExcludes);
      const { files } = await walkFiles(folder, { globalExcludes });
      const walked = new Set(files.map(file => file.path));
      const kept = FILES.filter(path => expected.get(path) === '');
      assert.deepEqual(
        FILES.filter(path => walked.has(path)),
        kept,
        note,
      );
      ignored += FILES.length - kept.length;
      // Where a verdict comes from is asked path by path, which takes longer: some of each tree, other ones each time.
      const judged = await IgnoreRules.open(folder, { globalExcludes });
      count++;
      for (const path of FILES.filter((_, at) => (at + count) % 5 === 0)) {
        assert.equal(shownVerdict(await judged.explain(path)), expected.get(path), `${path} in ${note}`);
      }
    }),
    { numRuns: TREES, seed: SEED },
  );
  assert.ok(ignored > TREES * 10, `only ${ignored} verdicts were "ignored"`);
});

test('what git tracks is indexed although a rule leaves it out, in a submodule and a linked work tree too', async context => {
  const folder = makeFileTree(context, {
    'lib/.gitignore': '*.gen.ts\n',
    'lib/kept.gen.ts': 'x',
    'main/.gitignore': 'out/\n',
    'main/out/kept.ts': 'x',
  });
  const [lib, main] = [join(folder, 'lib'), join(folder, 'main')];
  for (const top of [lib, main]) {
    git(top, ['init', '-q']);
    git(top, ['add', '-f', '.']);
    git(top, ['commit', '-qm', 'x']);
  }
  git(main, ['-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', '--force', lib, 'out/lib']);
  git(main, ['commit', '-qm', 'lib']);
  git(main, ['worktree', 'add', '-q', join(folder, 'linked')]);
  writeFileTree(folder, { 'main/out/lib/made.gen.ts': 'x', 'main/out/made.ts': 'x', 'linked/out/made.ts': 'x' });
  const pathsIn = async (top: string): Promise<string[]> =>
    (await walkFiles(top, { globalExcludes: false })).files.map(file => file.path).filter(path => path.endsWith('.ts'));
  assert.deepEqual(await pathsIn(join(folder, 'linked')), ['out/kept.ts']);
  assert.deepEqual(await pathsIn(join(main, 'out', 'lib')), ['kept.gen.ts']);
  assert.deepEqual(await pathsIn(main), ['out/kept.ts']);
});
