import assert from 'node:assert/strict';
import { existsSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { createFolder } from '../../src/engine/store/createFolder';
import { makeFileTree } from '../support/fileTree';

test('a folder is created with all that is missing above it, also by many at once', async context => {
  const folder = makeFileTree(context, { 'there/x': '' });
  await createFolder(join(folder, 'there'));
  await Promise.all(Array.from({ length: 20 }, () => createFolder(join(folder, 'there/a/b/c'))));
  assert.ok(statSync(join(folder, 'there/a/b/c')).isDirectory());
  symlinkSync('there', join(folder, 'link'));
  await createFolder(join(folder, 'link/d'));
  assert.ok(existsSync(join(folder, 'there/d')));
});

test('where there can be no folder, the reason comes at once', { timeout: 10_000 }, async context => {
  const folder = makeFileTree(context, { file: '' });
  await assert.rejects(createFolder(join(folder, 'file')), { code: 'ENOTDIR' });
  await assert.rejects(createFolder(join(folder, 'file/below')), { code: 'ENOTDIR' });
  // The file system of processes says of every new folder that its parent does not exist.
  if (process.platform === 'linux') await assert.rejects(createFolder('/proc/none/below'), { code: 'ENOENT' });
});
