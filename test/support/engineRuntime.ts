import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { bundledModelDir } from '../../src/cli/bundledModel';
import { EngineRuntime } from '../../src/engine/engineRuntime';
import type { FolderOptions } from '../../src/engine/folderEngine';
import type { Embedder } from '../../src/engine/model/embedder';
import { type LoadedModel, loadModel } from '../../src/engine/model/modelManifest';
import { SemanticEngine } from '../../src/engine/semanticEngine';
import type { FolderStatus, IndexReport } from '../../src/engine/types';
import { throwIfAborted } from '../../src/util/errors';
import { type Logger, nullLogger } from '../../src/util/logger';
import { cleanUp } from './cleanUp';
import { randomNumbers } from './vectors';

let model: Promise<LoadedModel> | undefined;
/** The model that comes with the program, checked once. */
export const testModel = (): Promise<LoadedModel> => (model ??= loadModel(bundledModelDir('models')));

/** A stand-in for the model: a landmark's vector is the sum of random directions, one for each token of its chunk. */
export class WordEmbedder implements Embedder {
  /** Windows embedded so far. */
  windows = 0;
  /** Awaited before every call: a test can hold the embedding up or let it fail. */
  gate: () => Promise<void> = () => Promise.resolve();
  private readonly directions = new Map<number, Float32Array>();

  constructor(
    readonly dimensions: number,
    private readonly k: number,
  ) {}

  async embed(windows: readonly Int32Array[], signal?: AbortSignal): Promise<Float32Array[]> {
    await this.gate();
    throwIfAborted(signal);
    this.windows += windows.length;
    return windows.map(ids => this.landmarks(ids));
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  private landmarks(ids: Int32Array): Float32Array {
    const count = Math.max(1, Math.ceil(ids.length / this.k));
    const rows = new Float32Array(count * this.dimensions).fill(0.001);
    for (const [at, id] of ids.entries()) {
      const start = Math.floor(at / this.k) * this.dimensions;
      const direction = this.direction(id);
      for (let d = 0; d < this.dimensions; d++) rows[start + d]! += direction[d]!;
    }
    return rows;
  }

  private direction(id: number): Float32Array {
    const known = this.directions.get(id);
    if (known !== undefined) return known;
    const random = randomNumbers(id);
    const made = Float32Array.from({ length: this.dimensions }, () => random() - 0.5);
    this.directions.set(id, made);
    return made;
  }
}

export interface TestRuntime {
  readonly runtime: EngineRuntime;
  readonly dataDir: string;
  /** Of the indexing; queries have one of their own. */
  readonly embedder: WordEmbedder;
  readonly open: (folder: string, options?: Partial<FolderOptions>) => Promise<TestEngine>;
}

export interface TestEngine {
  readonly engine: SemanticEngine;
  /** The last one told. */
  readonly status: () => FolderStatus | undefined;
  readonly sync: (signal?: AbortSignal) => Promise<IndexReport>;
  /** Paths found, best first. */
  readonly find: (query: string) => Promise<string[]>;
  /** The same, by words alone. */
  readonly findWords: (query: string) => Promise<string[]>;
}

export interface TestRuntimeOptions {
  readonly dataDir?: string;
  /** Instead of the stand-in. */
  readonly indexEmbedder?: () => Promise<Embedder>;
  readonly queryEmbedder?: () => Promise<Embedder>;
  readonly logger?: Logger;
}

/** A runtime around the real model's tokenizer and a stand-in for its vectors; all is closed and removed after the test. */
export async function testRuntime(context: TestContext, options: TestRuntimeOptions = {}): Promise<TestRuntime> {
  const { manifest } = await testModel();
  const embedder = new WordEmbedder(manifest.dimensions, manifest.k);
  const queries = new WordEmbedder(manifest.dimensions, manifest.k);
  const dataDir = options.dataDir ?? newDataDir(context);
  const runtime = new EngineRuntime({
    dataDir,
    model: testModel,
    queryEmbedder: options.queryEmbedder ?? (() => Promise.resolve(queries)),
    indexEmbedder: options.indexEmbedder ?? (() => Promise.resolve(embedder)),
    logger: options.logger ?? nullLogger,
  });
  const engines: SemanticEngine[] = [];
  cleanUp(context, async () => {
    for (const engine of engines) await engine.close();
    await runtime.close();
  });
  const open = async (folder: string, more: Partial<FolderOptions> = {}): Promise<TestEngine> => {
    let last: FolderStatus | undefined;
    const engine = await SemanticEngine.open(folder, { access: 'write', ...more }, runtime, status => (last = status));
    engines.push(engine);
    return {
      engine,
      status: () => last,
      sync: signal => engine.sync({ rebuild: false }, () => {}, signal),
      find: async query => (await engine.search({ query, limit: 50 })).results.map(({ path }) => path),
      findWords: async query =>
        (await engine.search({ query, limit: 50, arms: ['lexical'] })).results.map(({ path }) => path),
    };
  };
  return { runtime, dataDir, embedder, open };
}

/** Removed after the test. */
export function newDataDir(context: TestContext): string {
  const dataDir = realpathSync(mkdtempSync(join(tmpdir(), 'landmark-data-')));
  cleanUp(context, () => rmSync(dataDir, { recursive: true, force: true, maxRetries: 3 }));
  return dataDir;
}
