import { join } from 'node:path';
import { bundledModelDir } from '../../../src/cli/bundledModel';
import { EngineRuntime } from '../../../src/engine/engineRuntime';
import type { Embedder } from '../../../src/engine/model/embedder';
import { loadModel } from '../../../src/engine/model/modelManifest';
import { OnnxEmbedder } from '../../../src/engine/model/onnxEmbedder';
import { EmbedderProcess } from '../../../src/host/embedderProcess';
import { nullLogger } from '../../../src/util/logger';
import { WordEmbedder } from '../../support/wordEmbedder';

/** As the command line has it. */
const MEMORY_LIMIT_MB = 1500;

export interface BenchRuntimeOptions {
  readonly dataDir: string;
  /** A stand-in that costs next to nothing, or the model, in a process of its own with so many threads. */
  readonly indexing: 'stand-in' | { readonly threads: number };
  /** By the model, or at the model's cost with the vectors of the stand-in: they fit an index that it made. */
  readonly queries: 'model' | 'as stand-in';
}

/** The engine as the search process has it, with a stand-in for the vectors where that is wanted. */
export function benchRuntime({ dataDir, indexing, queries }: BenchRuntimeOptions): EngineRuntime {
  const runtime: EngineRuntime = new EngineRuntime({
    dataDir,
    logger: nullLogger,
    model: () => loadModel(bundledModelDir('models')),
    async queryEmbedder() {
      const model = await runtime.model();
      const real = await OnnxEmbedder.create(model, { threads: 1, tokenIds: await runtime.tokenizer() });
      return queries === 'model' ? real : new DisguisedEmbedder(real, await wordEmbedder(runtime));
    },
    async indexEmbedder() {
      if (indexing === 'stand-in') return wordEmbedder(runtime);
      const { manifest, directory } = await runtime.model();
      return new EmbedderProcess({
        embedderMain: join(process.cwd(), 'dist/embedder.js'),
        modelDir: directory,
        dimensions: manifest.dimensions,
        threads: indexing.threads,
        memoryLimitMb: MEMORY_LIMIT_MB,
        logger: nullLogger,
      });
    },
  });
  return runtime;
}

async function wordEmbedder(runtime: EngineRuntime): Promise<WordEmbedder> {
  const { dimensions, k } = (await runtime.model()).manifest;
  return new WordEmbedder(dimensions, k);
}

/** Costs what the model costs and answers what the stand-in says, so that queries fit an index made by the stand-in. */
class DisguisedEmbedder implements Embedder {
  readonly dimensions: number;

  constructor(
    private readonly real: Embedder,
    private readonly shown: Embedder,
  ) {
    this.dimensions = real.dimensions;
  }

  async embed(windows: readonly Int32Array[], signal?: AbortSignal): Promise<Float32Array[]> {
    await this.real.embed(windows, signal);
    return this.shown.embed(windows, signal);
  }

  close(): Promise<void> {
    return this.real.close();
  }
}
