import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { type LoadedModel, loadModel } from '../../src/engine/model/modelManifest';
import { OnnxEmbedder } from '../../src/engine/model/onnxEmbedder';
import { leading, poolLandmarks } from '../../src/engine/model/landmarkPooling';
import { embedQuery } from '../../src/engine/model/queryEmbedding';
import { TextTokenizer } from '../../src/engine/model/textTokenizer';
import { cosine } from '../../src/engine/vectors/vectorMath';
import { type ErrorReason, isCancelled, LandmarkError } from '../../src/util/errors';
import { goldenCases, MODEL_FOLDER } from '../support/golden';

const failsWith = (reason: ErrorReason, part: string) => (error: unknown) => {
  assert.ok(error instanceof LandmarkError, String(error));
  assert.equal(error.reason, reason);
  assert.ok(error.message.includes(part), error.message);
  return true;
};

describe('the embedder with the real model', () => {
  let model: LoadedModel;
  let tokenizer: TextTokenizer;
  let embedder: OnnxEmbedder;
  let scratch: string;

  before(async () => {
    scratch = await mkdtemp(join(tmpdir(), 'landmark-onnx-'));
    model = await loadModel(MODEL_FOLDER);
    tokenizer = await TextTokenizer.load(model);
    embedder = await OnnxEmbedder.create(model, { threads: 2, tokenIds: tokenizer });
  });

  after(async () => {
    await embedder.close();
    await rm(scratch, { recursive: true, force: true });
  });

  test('the vectors of the reference are reached', async () => {
    const cases = goldenCases().filter(({ vector }) => vector !== undefined);
    assert.equal(cases.length, 28);
    const rows = await embedder.embed(cases.map(({ ids }) => Int32Array.from(ids)));
    for (const [at, { name, landmarks, vector }] of cases.entries()) {
      const got = rows[at] ?? new Float32Array();
      assert.equal(got.length, (landmarks?.length ?? 0) * model.manifest.dimensions, name);
      const similarity = cosine(poolLandmarks(got, model.manifest.dimensions), Float32Array.from(vector ?? []));
      assert.ok(similarity >= 0.99, `${name}: cosine ${similarity}`);
    }
  });

  test('a window has the same vector alone and among others', async () => {
    const windows = ['return x', 'def parse_retry_after(value: str)', ''].map(text => tokenizer.encodeText(text).ids);
    const together = await embedder.embed(windows);
    for (const [at, window] of windows.entries()) {
      const [alone] = await embedder.embed([window]);
      assert.deepEqual(together[at], alone);
    }
  });

  test('a query is a text: one landmark, a unit vector, and what fits one window when it is long', async () => {
    const golden = goldenCases().find(({ name }) => name === 'query');
    const vector = await embedQuery(embedder, tokenizer, model.manifest, golden?.text ?? '');
    const { landmarkDimensions } = model.manifest;
    assert.ok(cosine(vector, leading(Float32Array.from(golden?.vector ?? []), landmarkDimensions)) >= 0.99);
    assert.ok(Math.abs(cosine(vector, vector) - 1) < 1e-6);
    const lines = await embedQuery(embedder, tokenizer, model.manifest, 'where do we\nretry failed uploads');
    assert.deepEqual(lines, vector);
    const long = await embedQuery(embedder, tokenizer, model.manifest, 'retry failed uploads '.repeat(500));
    assert.equal(long.length, landmarkDimensions);
  });

  test('a query is nearer to code that does it than to other code', async () => {
    const [query, same, other] = await Promise.all(
      [
        'retry the request after a failure',
        'async function retryFailedRequest(attempts) {}',
        'struct Color { r: u8, g: u8 }',
      ].map(text => embedQuery(embedder, tokenizer, model.manifest, text)),
    );
    assert.ok(query !== undefined && same !== undefined && other !== undefined);
    assert.ok(cosine(query, same) > cosine(query, other) + 0.1);
  });

  test('wrong ids never reach the runtime', async () => {
    const bad: readonly (readonly [Int32Array, string])[] = [
      [Int32Array.of(5, -1), 'Expected token ids from 0 to 30521, got -1'],
      [Int32Array.of(30522), 'got 30522'],
      [new Int32Array(257), 'Expected a window of at most 256 tokens, got 257'],
    ];
    for (const [ids, message] of bad)
      await assert.rejects(embedder.embed([ids]), failsWith('invalid-argument', message));
    assert.equal((await embedder.embed([new Int32Array(256)])).length, 1);
    assert.deepEqual(await embedder.embed([]), []);
  });

  test('embedding can be cancelled between windows', async () => {
    await assert.rejects(embedder.embed([Int32Array.of(1)], AbortSignal.abort()), isCancelled);
    const controller = new AbortController();
    const running = embedder.embed(Array<Int32Array>(200).fill(new Int32Array(256)), controller.signal);
    setImmediate(() => controller.abort());
    await assert.rejects(running, isCancelled);
  });

  test('a closed session says so', async () => {
    const other = await OnnxEmbedder.create(model, { threads: 1 });
    await other.close();
    await other.close();
    await assert.rejects(other.embed([Int32Array.of(1)]), failsWith('engine-died', 'closed'));
  });

  test('threads are a number that a machine can have', async () => {
    for (const threads of [0, -1, 1.5, NaN]) {
      await assert.rejects(OnnxEmbedder.create(model, { threads }), failsWith('invalid-argument', `got ${threads}`));
    }
  });

  test('a model in a folder whose name is not ASCII is opened', async () => {
    const directory = join(scratch, 'Ünï 中文 ✓');
    await cp(MODEL_FOLDER, directory, { recursive: true });
    const other = await OnnxEmbedder.create(await loadModel(directory), { threads: 1 });
    assert.equal((await other.embed([Int32Array.of(2709)])).length, 1);
    await other.close();
  });

  test('weights that are no network, or not the one of the manifest, are refused', async () => {
    const directory = join(scratch, 'broken');
    await cp(MODEL_FOLDER, directory, { recursive: true });
    const weights = (await readFile(join(directory, 'model.onnx'))).subarray(0, 100_000);
    await writeFile(join(directory, 'model.onnx'), weights);
    // A manifest made for these very bytes: the hash is right, the weights are not.
    const files = { ...model.manifest.files, 'model.onnx': createHash('sha256').update(weights).digest('hex') };
    await writeFile(join(directory, 'manifest.json'), JSON.stringify({ ...model.manifest, files }));
    const broken = await loadModel(directory);
    await assert.rejects(
      OnnxEmbedder.create(broken, { threads: 1 }),
      failsWith('model-invalid', 'model.onnx: expected weights'),
    );

    const wider = { ...model, manifest: { ...model.manifest, dimensions: 512 } };
    await assert.rejects(
      OnnxEmbedder.create(wider, { threads: 1 }),
      failsWith('model-invalid', 'expected last_hidden_state to be float32 [1, 2, 512], got float32 [1, 2, 384]'),
    );
  });
});
