import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { bundledModelDir } from '../../src/cli/bundledModel';
import { EngineRuntime } from '../../src/engine/engineRuntime';
import type { FolderOptions } from '../../src/engine/folderEngine';
import type { Embedder } from '../../src/engine/model/embedder';
import { type LoadedModel, loadModel } from '../../src/engine/model/modelManifest';
import type { SnapshotTuning } from '../../src/engine/search/snapshotKeeper';
import { SemanticEngine } from '../../src/engine/semanticEngine';
import type { FolderStatus, IndexReport } from '../../src/engine/types';
import { type Logger, nullLogger } from '../../src/util/logger';
import { cleanUp } from './cleanUp';
import { WordEmbedder } from './wordEmbedder';

let model: Promise<LoadedModel> | undefined;
/** The model that comes with the program, checked once. */
export const testModel = (): Promise<LoadedModel> => (model ??= loadModel(bundledModelDir('models')));

export { WordEmbedder };

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
  /** Otherwise every sync that changes anything writes one, and most of it is read from the file. */
  readonly snapshots?: SnapshotTuning;
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
    snapshots: options.snapshots ?? { changesWorth: 1, mostHeld: 4096 },
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
