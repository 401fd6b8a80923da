import assert from 'node:assert/strict';
import { test } from 'node:test';
import { resolve } from 'node:path';
import { openIndexedFolder, scopeInside } from '../../src/cli/indexedFolder';
import type { Engine } from '../../src/cli/commands';
import { LandmarkError } from '../../src/util/errors';

const never = new AbortController().signal;

/** Knows an index of these folders and fails for all others. */
function engineWith(indexed: readonly string[], reason: 'not-indexed' | 'not-a-folder' = 'not-indexed'): Engine {
  const request = (_: string, { folder }: { folder: string }): Promise<{ folder: string }> =>
    indexed.includes(folder)
      ? Promise.resolve({ folder })
      : Promise.reject(new LandmarkError(reason, `${folder} is not there`));
  return { request, onStatus: () => undefined } as unknown as Engine;
}

test('the nearest folder with an index is opened', async () => {
  const [far, near, own] = ['/w', '/w/repo', '/w/repo/src/net'].map(folder => resolve(folder)) as [
    string,
    string,
    string,
  ];
  const opened = (indexed: string[]): Promise<object> => openIndexedFolder(engineWith(indexed), own, never);
  assert.deepEqual(await opened([own, near]), { folder: own, inside: '' });
  assert.deepEqual(await opened([far, near]), { folder: near, inside: 'src/net' });
  await assert.rejects(opened([]), { message: `${own} is not there` }, 'the folder that was typed is named');
});

test('only a missing index is looked for above', async () => {
  const near = resolve('/w/repo');
  const opened = openIndexedFolder(engineWith([near], 'not-a-folder'), resolve('/w/repo/src'), never);
  await assert.rejects(opened, { reason: 'not-a-folder' });
});

test('a scope is meant within the part that was asked about', () => {
  assert.equal(scopeInside('', undefined), undefined);
  assert.equal(scopeInside('', 'net/*.ts'), 'net/*.ts');
  assert.equal(scopeInside('src', undefined), 'src');
  assert.equal(scopeInside('src', 'net'), 'src/net');
  assert.equal(scopeInside('src', './net/*.ts'), 'src/net/*.ts');
  assert.equal(scopeInside('src', '*.ts'), 'src/**/*.ts');
});
