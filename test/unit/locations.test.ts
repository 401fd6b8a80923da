import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { bundledModelDir, defaultDataDir } from '../../src/host/locations';

test('the data folder is the named one, else in the user’s cache', () => {
  assert.equal(defaultDataDir({ LANDMARK_DATA: 'd', XDG_CACHE_HOME: '/c' }, 'linux', '/home/u'), resolve('d'));
  assert.equal(defaultDataDir({ XDG_CACHE_HOME: '/c' }, 'linux', '/home/u'), join('/c', 'landmark-code-search'));
  assert.equal(defaultDataDir({ LANDMARK_DATA: '' }, 'linux', '/home/u'), join('/home/u/.cache/landmark-code-search'));
  assert.equal(defaultDataDir({}, 'darwin', '/Users/u'), join('/Users/u/Library/Caches/landmark-code-search'));
  assert.equal(defaultDataDir({ LOCALAPPDATA: 'L' }, 'win32', 'U'), join('L', 'landmark-code-search'));
});

test('the bundled model is the only folder with a manifest', () => {
  const models = mkdtempSync(join(tmpdir(), 'landmark-models-'));
  const add = (name: string): void => {
    mkdirSync(join(models, name));
    writeFileSync(join(models, name, 'manifest.json'), '{}');
  };
  try {
    mkdirSync(join(models, 'training'));
    assert.throws(() => bundledModelDir(models), /no model in .*--model/);
    assert.throws(() => bundledModelDir(join(models, 'nowhere')), /no model/);
    add('one');
    assert.equal(bundledModelDir(models), join(models, 'one'));
    add('two');
    assert.throws(() => bundledModelDir(models), /more than one model/);
  } finally {
    rmSync(models, { recursive: true });
  }
});
