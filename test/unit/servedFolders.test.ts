import assert from 'node:assert/strict';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { ServedFolders } from '../../src/cli/mcp/servedFolders';
import { makeFileTree } from '../support/fileTree';

const TREE = {
  'app/src/main.ts': 'main',
  'app/README.md': 'readme',
  'app-secret/key.txt': 'key',
  'lib/src/main.ts': 'library',
  'outside/plan.md': 'plan',
};

function served(context: TestContext, names: readonly string[] = ['app']): { root: string; folders: ServedFolders } {
  const root = makeFileTree(context, TREE);
  return { root, folders: new ServedFolders(names.map(name => join(root, name))) };
}

test('a file is named by its path in the folder or by its absolute path', async context => {
  const { root, folders } = served(context);
  const expected = { folder: join(root, 'app'), path: 'src/main.ts' };
  for (const name of ['src/main.ts', './src/main.ts', 'src/../src/main.ts', join(root, 'app/src/main.ts')]) {
    assert.deepEqual(await folders.find(name, undefined), expected, name);
  }
});

test('a file that is not there has its place too', async context => {
  const { root, folders } = served(context);
  assert.deepEqual(await folders.find('new/folder/a.ts', undefined), {
    folder: join(root, 'app'),
    path: 'new/folder/a.ts',
  });
});

test('nothing outside is found, by dots, absolute paths, neighbours of a like name or links', async context => {
  const { root, folders } = served(context);
  symlinkSync(join(root, 'outside'), join(root, 'app/link'));
  symlinkSync(join(root, 'outside/plan.md'), join(root, 'app/plan.md'));
  symlinkSync(join(root, 'nowhere'), join(root, 'app/src/dangling'));
  const ways = [
    '..',
    '../outside/plan.md',
    'src/../../outside/plan.md',
    '/etc/passwd',
    join(root, 'app-secret/key.txt'),
  ];
  for (const name of [...ways, 'link/plan.md', 'link/absent.md', 'link', 'plan.md', '\0', 'a\0/../../../etc/passwd']) {
    const found = await folders.find(name, undefined).catch((error: unknown) => String(error));
    if (typeof found === 'string') assert.match(found, /is outside of what is served here/, name);
    else assert.ok(!found.path.startsWith('..') && found.folder === join(root, 'app'), `${name} → ${found.path}`);
  }
  for (const name of ['link/plan.md', 'link/absent.md', 'plan.md', '../outside/plan.md', '/etc/passwd']) {
    await assert.rejects(folders.find(name, undefined), /is outside of what is served here/, name);
  }
});

test('a link inside the folder leads to the file itself', async context => {
  const { root, folders } = served(context);
  symlinkSync(join(root, 'app/src'), join(root, 'app/alias'));
  assert.equal((await folders.find('alias/main.ts', undefined)).path, 'src/main.ts');
});

test('with several folders a relative path is looked for in each, and the folder can be named', async context => {
  const { root, folders } = served(context, ['app', 'lib']);
  assert.equal((await folders.find('README.md', undefined)).folder, join(root, 'app'));
  await assert.rejects(
    folders.find('src/main.ts', undefined),
    /There is a file src\/main.ts in .*: name the folder too\./,
  );
  assert.equal((await folders.find('src/main.ts', join(root, 'lib'))).folder, join(root, 'lib'));
  await assert.rejects(folders.find('plan.md', join(root, 'outside')), /outside of what is served here/);
  assert.throws(() => folders.named(root), /outside of what is served here/);
});

test('of folders inside each other the deeper one has an absolute path', async context => {
  const { root, folders } = served(context, ['app', 'app/src']);
  mkdirSync(join(root, 'app/src/deep'));
  writeFileSync(join(root, 'app/src/deep/a.ts'), 'a');
  const found = await folders.find(join(root, 'app/src/deep/a.ts'), undefined);
  assert.deepEqual(found, { folder: join(root, 'app/src'), path: 'deep/a.ts' });
});
