import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { dataLayout, workspaceId } from '../../src/engine/store/dataFolder';
import { dataRoot } from '../../src/util/dataRoot';

const LINUX = { env: {}, platform: 'linux', home: '/home/ada' } as const;

test('an explicit folder wins over the environment, and that over the cache folder', () => {
  const env = { LANDMARK_DATA: '/data', XDG_CACHE_HOME: '/cache' };
  assert.equal(dataRoot('/mine', { ...LINUX, env }), '/mine');
  assert.equal(dataRoot(undefined, { ...LINUX, env }), '/data');
  assert.equal(dataRoot('', { ...LINUX, env: { ...env, LANDMARK_DATA: '' } }), '/cache/landmark-code-search');
});

test('each system has its own cache folder', () => {
  assert.equal(dataRoot(undefined, LINUX), '/home/ada/.cache/landmark-code-search');
  assert.equal(
    dataRoot(undefined, { env: {}, platform: 'darwin', home: '/Users/ada' }),
    '/Users/ada/Library/Caches/landmark-code-search',
  );
  const windows = { platform: 'win32', home: 'C:\\Users\\ada' } as const;
  assert.equal(
    dataRoot(undefined, { ...windows, env: { LOCALAPPDATA: 'D:\\Local' } }),
    'D:\\Local\\landmark-code-search',
  );
  assert.equal(dataRoot(undefined, { ...windows, env: {} }), 'C:\\Users\\ada\\AppData\\Local\\landmark-code-search');
});

test('a relative XDG_CACHE_HOME is ignored, as its specification says', () => {
  const env = { XDG_CACHE_HOME: 'cache' };
  assert.equal(dataRoot(undefined, { ...LINUX, env }), '/home/ada/.cache/landmark-code-search');
});

test('a workspace is named by the sha256 of its real path', () => {
  // printf /src/project | sha256sum
  const id = '5744b1258f4498f7fc4031ee1287d4bfcdd22efe69a30bde9859011c8db9d72d';
  assert.equal(workspaceId('/src/project'), id);
  assert.deepEqual(dataLayout('/data', '/src/project'), {
    windows: join('/data', 'windows'),
    workspace: join('/data', 'workspaces', id),
    folderFile: join('/data', 'workspaces', id, 'folder.json'),
  });
});
