import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { bundledModelDir } from '../../src/cli/bundledModel';
import { newDataDir } from '../support/engineRuntime';
import { makeFileTree } from '../support/fileTree';
import { buildPrograms, type Finished, landmark } from '../support/landmark';
import { randomNumbers } from '../support/vectors';

type Change = (bytes: Buffer) => Buffer;
const asJson =
  (change: (value: Record<string, unknown>) => unknown): Change =>
  bytes =>
    Buffer.from(JSON.stringify(change(JSON.parse(bytes.toString('utf8')) as Record<string, unknown>)));

/** A model whose file was changed by somebody who also set its hash right. */
function craftedModel(t: TestContext, name: string, change: Change): string {
  const source = bundledModelDir('models');
  const folder = makeFileTree(t, { 'model/': '' });
  const model = join(folder, 'model');
  for (const file of ['manifest.json', 'model.onnx', 'tokenizer.json']) copyFileSync(join(source, file), join(model, file));
  writeFileSync(join(model, name), change(readFileSync(join(source, name))));
  if (name !== 'manifest.json') {
    const path = join(model, 'manifest.json');
    const manifest = JSON.parse(readFileSync(path, 'utf8')) as { files: Record<string, string> };
    manifest.files[name] = createHash('sha256').update(readFileSync(join(model, name))).digest('hex');
    writeFileSync(path, JSON.stringify(manifest));
  }
  return model;
} // prettier-ignore

/** Done with what there is, or one sentence; never a stack, never a signal. */
function assertCivil({ status, out, err }: Finished, note: string): void {
  assert.ok(status === 0 || status === 1, `${note}: ended with ${status}\n${err}`);
  assert.doesNotMatch(`${out}${err}`, /^\s+at .*:\d+:\d+|unexpected went wrong/m, note);
  if (status === 1) assert.match(err.trimEnd().split('\n').at(-1) ?? '', /\.$/, note);
}

const patch =
  (seed: number): Change =>
  bytes => {
    const random = randomNumbers(seed);
    const copy = Buffer.from(bytes);
    // The structure of the network stands at the beginning and the end, between the weights.
    for (let at = 0; at < 40; at++) {
      const place = Math.floor(random() * 4000);
      copy[seed % 2 === 0 ? place : copy.length - 1 - place] = Math.floor(random() * 256);
    }
    return copy;
  };

const CASES: readonly (readonly [what: string, file: string, change: Change])[] = [
  ['a manifest that names files outside', 'manifest.json', asJson(value => ({ ...value, files: { ...(value['files'] as object), '../../../etc/passwd': 'x' } }))],
  ['a manifest of other sizes', 'manifest.json', asJson(value => ({ ...value, dimensions: 1e9, landmarkDimensions: 1e9 }))],
  ['a tokenizer without a vocabulary', 'tokenizer.json', asJson(value => ({ ...value, model: { type: 'WordPiece' } }))],
  ['a tokenizer whose ids lie outside of the model', 'tokenizer.json', bytes => Buffer.from(bytes.toString('utf8').replace(/:(\s*)2(\d{3})\b/g, ':$19992$2'))],
  ['a tokenizer of nothing', 'tokenizer.json', () => Buffer.from('[]')],
  ['weights cut in half', 'model.onnx', bytes => bytes.subarray(0, bytes.length >> 1)],
  ['weights changed at the beginning', 'model.onnx', patch(2)],
  ['weights changed at the end', 'model.onnx', patch(3)],
  ['weights of nothing', 'model.onnx', () => Buffer.alloc(0)],
]; // prettier-ignore

test('a crafted model is refused in a sentence, or leaves the words to answer', { timeout: 300_000 }, t => {
  buildPrograms();
  const folder = makeFileTree(t, { 'a.ts': 'function aardvark() {}\n', 'b.ts': 'function badger() {}\n' });
  for (const [what, file, change] of CASES) {
    const model = craftedModel(t, file, change);
    const data = newDataDir(t);
    assertCivil(landmark(['index', folder, '--model', model], data), what);
  }
});
