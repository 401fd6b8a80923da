import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { loadModel } from '../../src/engine/model/modelManifest';
import { isCancelled, LandmarkError } from '../../src/util/errors';

const sha256 = (data: string) => createHash('sha256').update(data).digest('hex');
const WEIGHTS = 'weights';
const TOKENIZER = '{"model":{}}';

const MANIFEST = {
  schema: 1,
  id: 'test-model',
  dimensions: 384,
  landmarkDimensions: 128,
  window: 320,
  k: 64,
  preparation: 'lean-1',
  clsToken: '[CLS]',
  landmarkToken: '[SEP]',
  pathVector: true,
  license: 'MIT',
  base: 'nothing',
  files: { 'model.onnx': sha256(WEIGHTS), 'tokenizer.json': sha256(TOKENIZER) },
};

/** A model folder with a name that is not ASCII; `manifest` as JSON or as it is. */
async function modelFolder(t: TestContext, manifest: unknown = MANIFEST): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), 'landmark-model-'));
  t.after(() => rm(root, { recursive: true, force: true }));
  const folder = join(root, 'modèle 模型 ✓');
  await mkdir(folder);
  await writeFile(join(folder, 'manifest.json'), typeof manifest === 'string' ? manifest : JSON.stringify(manifest));
  await writeFile(join(folder, 'model.onnx'), WEIGHTS);
  await writeFile(join(folder, 'tokenizer.json'), TOKENIZER);
  return folder;
}

/** The model is refused in a sentence that says all of `parts` and the way out. */
async function assertInvalid(folder: string, ...parts: string[]): Promise<void> {
  await assert.rejects(loadModel(folder), error => {
    assert.ok(error instanceof LandmarkError, String(error));
    assert.equal(error.reason, 'model-invalid');
    for (const part of [...parts, 'copy the model folder again or choose another with --model']) {
      assert.ok(error.message.includes(part), `"${error.message}" says "${part}"`);
    }
    return true;
  });
}

test('a model whose files are what its manifest says is loaded', async t => {
  const folder = await modelFolder(t);
  const model = await loadModel(folder);
  assert.equal(model.directory, folder);
  assert.deepEqual(model.manifest, MANIFEST);
  assert.equal(model.fingerprint, sha256(JSON.stringify(MANIFEST)));
});

test('any change of the manifest is another fingerprint', async t => {
  const a = await loadModel(await modelFolder(t));
  const b = await loadModel(await modelFolder(t, { ...MANIFEST, k: 32 }));
  assert.notEqual(a.fingerprint, b.fingerprint);
});

test('landmarks may have all dimensions', async t => {
  const { manifest } = await loadModel(await modelFolder(t, { ...MANIFEST, landmarkDimensions: 384 }));
  assert.equal(manifest.landmarkDimensions, 384);
});

test('more files may be named, and are checked too', async t => {
  const files = { ...MANIFEST.files, 'tokenizer_config.json': sha256('{}') };
  const folder = await modelFolder(t, { ...MANIFEST, files });
  await assertInvalid(folder, 'tokenizer_config.json', 'expected a file, found none');
  await writeFile(join(folder, 'tokenizer_config.json'), '{}');
  assert.deepEqual((await loadModel(folder)).manifest.files, files);
});

test('a missing folder, manifest or file is named', async t => {
  const folder = await modelFolder(t);
  await assertInvalid(join(folder, 'nowhere'), join('nowhere', 'manifest.json'), 'found none');
  await rm(join(folder, 'model.onnx'));
  await assertInvalid(folder, 'model.onnx', 'found none');
  await mkdir(join(folder, 'model.onnx'));
  await assertInvalid(folder, 'model.onnx', 'expected a readable file');
});

test('an altered and a truncated file are named with both hashes', async t => {
  const folder = await modelFolder(t);
  for (const wrong of ['Weights', 'weight', '']) {
    await writeFile(join(folder, 'model.onnx'), wrong);
    await assertInvalid(folder, 'model.onnx', `expected sha256 ${sha256(WEIGHTS)}`, `got ${sha256(wrong)}`);
  }
});

test('a manifest that is no JSON object is refused', async t => {
  await assertInvalid(await modelFolder(t, '{"schema":1,'), 'manifest.json', 'expected JSON');
  await assertInvalid(await modelFolder(t, ''), 'manifest.json', 'expected JSON');
  await assertInvalid(await modelFolder(t, '[1]'), 'expected a JSON object, got [1]');
  await assertInvalid(await modelFolder(t, 'null'), 'expected a JSON object, got null');
});

test('every field is checked', async t => {
  const wrong: readonly (readonly [object, string])[] = [
    [{ schema: 2 }, 'expected "schema" to be 1, got 2'],
    [{ schema: undefined }, 'expected "schema" to be 1, got nothing'],
    [{ id: '' }, 'expected "id" to be a text that is not empty, got ""'],
    [{ dimensions: 0 }, 'expected "dimensions" to be a whole number from 1 to 8192, got 0'],
    [{ dimensions: 1e9 }, '"dimensions"'],
    [{ dimensions: '384' }, 'got "384"'],
    [{ landmarkDimensions: 385 }, 'expected "landmarkDimensions" to be a whole number from 1 to 384, got 385'],
    [{ window: 2 }, '"window"'],
    [{ window: 320.5 }, 'got 320.5'],
    [{ k: 0 }, 'expected "k" to be a whole number from 1 to 318, got 0'],
    [{ k: 319 }, 'got 319'],
    [{ window: 8192, k: 16 }, 'expected at most 255 landmarks in a window, got 481'],
    [{ preparation: 'lean-2' }, 'expected "preparation" to be one of lean-1, got "lean-2"'],
    [{ clsToken: 101 }, '"clsToken"'],
    [{ landmarkToken: null }, '"landmarkToken"'],
    [{ pathVector: 'yes' }, 'expected "pathVector" to be true or false, got "yes"'],
    [{ license: undefined }, '"license"'],
    [{ base: [] }, '"base"'],
    [{ files: [] }, '"files"'],
    [{ files: { 'model.onnx': sha256(WEIGHTS) } }, 'expected "files" to name tokenizer.json'],
    [
      { files: { ...MANIFEST.files, 'model.onnx': 'abc' } },
      'expected a sha256 of 64 hex digits for "model.onnx", got "abc"',
    ],
  ];
  for (const [change, problem] of wrong) await assertInvalid(await modelFolder(t, { ...MANIFEST, ...change }), problem);
});

test('a manifest cannot make the program read outside its folder', async t => {
  for (const name of ['../secret', 'a/b', 'a\\b', '..', '.', '/etc/passwd', 'C:x', '']) {
    const files = { ...MANIFEST.files, [name]: sha256('') };
    await assertInvalid(await modelFolder(t, { ...MANIFEST, files }), 'expected plain file names in "files"');
  }
});

test('loading can be cancelled', async t => {
  await assert.rejects(loadModel(await modelFolder(t), AbortSignal.abort()), isCancelled);
});
