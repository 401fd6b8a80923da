import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type * as Ort from 'onnxruntime-node';
import { LandmarkError, messageOf, throwIfAborted } from '../../util/errors';
import type { Embedder } from './embedder';
import { layoutWindow } from './landmarkLayout';
import { invalid, type LoadedModel, type ModelManifest, WEIGHTS_FILE } from './modelManifest';
import { TextTokenizer } from './textTokenizer';
import { windowCapacity } from './windows';

type Runtime = Pick<typeof Ort, 'InferenceSession' | 'Tensor' | 'env'>;

/** The ids that a layout needs and the bound of all others. */
export type TokenIds = Pick<TextTokenizer, 'clsId' | 'landmarkId' | 'vocabularySize'>;

export interface OnnxOptions {
  /** Threads of the session, at least 1. Never left to the runtime, whose own choice fails where processors are restricted. */
  readonly threads: number;
  /** From the model's tokenizer where it is loaded; read from its file otherwise. */
  readonly tokenIds?: TokenIds;
  readonly signal?: AbortSignal;
}

const INPUTS = ['attention_mask', 'input_ids'];
const OUTPUT = 'last_hidden_state';

/**
 * Embeds windows with ONNX Runtime. The only module that knows it.
 *
 * Every window is an input of its own. The weights are int8 and the runtime chooses the range of the activations over a
 * whole batch, so in a batch a window's vector would depend on its neighbours (cosines down to 0.96 were seen), and
 * a window's key would no longer stand for its vector. Nor would a batch be faster: of 12 windows it gave 6,600 tokens a
 * processor second where single ones gave 7,900, and took 140 MB more.
 */
export class OnnxEmbedder implements Embedder {
  readonly dimensions: number;
  readonly #manifest: ModelManifest;
  readonly #tokenIds: TokenIds;
  readonly #runtime: Runtime;
  readonly #session: Ort.InferenceSession;
  #isClosed = false;

  private constructor(manifest: ModelManifest, tokenIds: TokenIds, runtime: Runtime, session: Ort.InferenceSession) {
    this.dimensions = manifest.dimensions;
    this.#manifest = manifest;
    this.#tokenIds = tokenIds;
    this.#runtime = runtime;
    this.#session = session;
  }

  /**
   * Opens a session and runs it once on a window without tokens.
   * @throws LandmarkError `runtime-unavailable` when the runtime does not load on this machine, `model-invalid` when it
   *   cannot open the weights or they are not what the manifest says, `invalid-argument`, `cancelled`.
   */
  static async create(model: LoadedModel, { threads, tokenIds, signal }: OnnxOptions): Promise<OnnxEmbedder> {
    if (!Number.isInteger(threads) || threads < 1) {
      throw new LandmarkError(
        'invalid-argument',
        `Expected threads to be a whole number of at least 1, got ${threads}.`,
      );
    }
    const ids = tokenIds ?? (await TextTokenizer.load(model, signal));
    const runtime = await loadRuntime();
    throwIfAborted(signal);
    const path = join(model.directory, WEIGHTS_FILE);
    const session = await openSession(runtime, path, threads);
    const embedder = new OnnxEmbedder(model.manifest, ids, runtime, session);
    try {
      checkNames(session, path);
      await embedder.#probe(path);
      throwIfAborted(signal);
    } catch (error) {
      await embedder.close();
      throw error;
    }
    return embedder;
  }

  async embed(windows: readonly Int32Array[], signal?: AbortSignal): Promise<Float32Array[]> {
    // All before any: a wrong tensor can end the process without an exception.
    for (const ids of windows) this.#checkIds(ids);
    const results: Float32Array[] = [];
    for (const ids of windows) {
      throwIfAborted(signal);
      if (this.#isClosed) throw new LandmarkError('engine-died', 'The model session is closed; open it again.');
      results.push(await this.#embedWindow(ids));
    }
    throwIfAborted(signal);
    return results;
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await this.#session.release();
  }

  async #embedWindow(ids: Int32Array): Promise<Float32Array> {
    const { inputIds, landmarks } = layoutWindow(ids, { k: this.#manifest.k, ...idsOf(this.#tokenIds) });
    const states = hiddenStates(await this.#run(inputIds), inputIds.length, this.dimensions);
    if (typeof states === 'string') throw new LandmarkError('internal', `ONNX Runtime failed: expected ${states}.`);
    const rows = new Float32Array(landmarks.length * this.dimensions);
    for (const [row, position] of landmarks.entries()) {
      const start = position * this.dimensions;
      rows.set(states.subarray(start, start + this.dimensions), row * this.dimensions);
    }
    return rows;
  }

  async #run(inputIds: Int32Array): Promise<Ort.Tensor | undefined> {
    const { Tensor } = this.#runtime;
    const shape = [1, inputIds.length];
    const feeds = {
      input_ids: new Tensor('int64', BigInt64Array.from(inputIds, BigInt), shape),
      attention_mask: new Tensor('int64', new BigInt64Array(inputIds.length).fill(1n), shape),
    };
    try {
      return (await this.#session.run(feeds))[OUTPUT];
    } catch (error) {
      const message = `ONNX Runtime failed on a window of ${inputIds.length} tokens: ${messageOf(error)}`;
      throw new LandmarkError('internal', message, { cause: error });
    }
  }

  async #probe(path: string): Promise<void> {
    const { inputIds } = layoutWindow(new Int32Array(), { k: this.#manifest.k, ...idsOf(this.#tokenIds) });
    const states = hiddenStates(await this.#run(inputIds), inputIds.length, this.dimensions);
    if (typeof states === 'string') throw invalid(path, `expected ${states}`);
  }

  #checkIds(ids: Int32Array): void {
    const capacity = windowCapacity(this.#manifest);
    if (ids.length > capacity) {
      throw new LandmarkError(
        'invalid-argument',
        `Expected a window of at most ${capacity} tokens, got ${ids.length}.`,
      );
    }
    const { vocabularySize } = this.#tokenIds;
    for (const id of ids) {
      if (id >= 0 && id < vocabularySize) continue;
      throw new LandmarkError('invalid-argument', `Expected token ids from 0 to ${vocabularySize - 1}, got ${id}.`);
    }
  }
}

function idsOf({ clsId, landmarkId }: TokenIds): { clsId: number; landmarkId: number } {
  return { clsId, landmarkId };
}

/** Imported here and nowhere else, so that a process that never embeds does not pay for it. */
async function loadRuntime(): Promise<Runtime> {
  // ONNX Runtime reports its use to its maker, and keeps an id of the device for that, unless it is told not to
  // before it loads (node_modules/onnxruntime-node, 1.30).
  process.env.ORT_DISABLE_TELEMETRY = '1';
  try {
    const module: Runtime & { readonly default?: Runtime } = await import('onnxruntime-node');
    const runtime = module.default ?? module;
    runtime.env.logLevel = 'error';
    return runtime;
  } catch (error) {
    const machine = `${process.platform} ${process.arch}`;
    throw new LandmarkError(
      'runtime-unavailable',
      `ONNX Runtime does not load on this machine (${machine}); search goes on without the model. (${firstLine(messageOf(error))})`,
      { cause: error },
    );
  }
}

/** Node adds the files that asked for a module that is not there. */
function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? '';
}

/** How the runtime is set up: one call at a time. */
export function sessionOptions(threads: number): Ort.InferenceSession.SessionOptions {
  return {
    executionProviders: ['cpu'],
    intraOpNumThreads: threads,
    interOpNumThreads: 1,
    executionMode: 'sequential',
    graphOptimizationLevel: 'all',
    // Windows differ in length: plans by shape would be made for each of them and kept.
    enableMemPattern: false,
    logSeverityLevel: 3,
  };
}

async function openSession(runtime: Runtime, path: string, threads: number): Promise<Ort.InferenceSession> {
  try {
    // From memory: given a path, the runtime opens files with non-ASCII names on some systems only.
    const weights = await readFile(path);
    return await runtime.InferenceSession.create(weights, sessionOptions(threads));
  } catch (error) {
    throw invalid(path, `expected weights that ONNX Runtime opens, got: ${messageOf(error)}`, error);
  }
}

function checkNames(session: Ort.InferenceSession, path: string): void {
  const got = [...session.inputNames].sort().join(', ');
  if (got !== INPUTS.join(', ')) throw invalid(path, `expected inputs ${INPUTS.join(', ')}, got ${got}`);
  if (!session.outputNames.includes(OUTPUT)) {
    throw invalid(path, `expected an output ${OUTPUT}, got ${session.outputNames.join(', ')}`);
  }
}

/** The output's numbers, `[1 × length × dimensions]`, or what was expected of it and what it is. */
function hiddenStates(output: Ort.Tensor | undefined, length: number, dimensions: number): Float32Array | string {
  const expected = `float32 [1, ${length}, ${dimensions}]`;
  if (output === undefined) return `${OUTPUT} to be ${expected}, got nothing`;
  const got = `${output.type} [${output.dims.join(', ')}]`;
  return got === expected && output.data instanceof Float32Array
    ? output.data
    : `${OUTPUT} to be ${expected}, got ${got}`;
}
