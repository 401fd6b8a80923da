import assert from 'node:assert/strict';
import { readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ownName, realPathOf } from '../../src/engine/files/realPath';
import { makeFileTree } from '../support/fileTree';

test('a real path leads through links and is spelled as the folders list it', async t => {
  const folder = makeFileTree(t, { 'Src/Straße/Ünder 1.ts': '' });
  symlinkSync(join(folder, 'Src'), join(folder, 'link'));
  assert.equal(await realPathOf(join(folder, 'link/Straße/Ünder 1.ts')), join(folder, 'Src/Straße/Ünder 1.ts'));
  assert.equal(await realPathOf(folder), folder);
  await assert.rejects(realPathOf(join(folder, 'none')), { code: 'ENOENT' });
});

test('a name that is listed stays as it is, beside one in other letters too', async t => {
  assert.equal(ownName('foo', new Set(['FOO', 'foo'])), 'foo');
  const folder = makeFileTree(t, { 'lib/a.ts': '', 'LIB/a.ts': '' });
  // Where cases are the same there is one folder, and both lead to it.
  const listed = new Set(readdirSync(folder));
  for (const name of ['lib', 'LIB'])
    assert.equal(await realPathOf(join(folder, name)), join(folder, ownName(name, listed)));
});

test('a name under which there is a file is the listed one in other letters, beyond ASCII too', () => {
  assert.equal(ownName('FOO.TS', new Set(['bar.ts', 'Foo.ts'])), 'Foo.ts');
  assert.equal(ownName('üÄ', new Set(['ÜÄ'])), 'ÜÄ');
  assert.equal(ownName('other', new Set(['Foo.ts'])), 'other');
});
