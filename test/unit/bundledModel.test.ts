import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { bundledModelDir } from '../../src/cli/bundledModel';

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
