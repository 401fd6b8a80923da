import { cleanData } from '../../src/engine/dataKeeping';
import { EngineRuntime } from '../../src/engine/engineRuntime';
import { SemanticEngine } from '../../src/engine/semanticEngine';
import { EmbedderProcess } from '../../src/host/embedderProcess';
import { nullLogger } from '../../src/util/logger';
import { testModel } from './engineRuntime';
import { indexableFiles, RandomFiles, readFiles, writeFile } from './randomFiles';
import { randomNumbers } from './vectors';
import { WordEmbedder } from './wordEmbedder';

const DAY_MS = 24 * 3600_000;
const MOST_FILES = 30;

export interface SubjectOptions {
  readonly folder: string;
  readonly dataDir: string;
  readonly seed: number;
  /** Built embedder process around the stand-in for the model. */
  readonly embedderMain: string;
}

/** What a process under test says of itself. It waits until each message is in the channel, where a kill leaves it. */
export type SubjectMessage =
  | { readonly kind: 'opened' }
  /** From here on these files change on the disk and in the index. */
  | { readonly kind: 'begin'; readonly paths: readonly string[] }
  /** The engine has reported that it is done with these; null = the file is gone. */
  | { readonly kind: 'done'; readonly files: readonly (readonly [path: string, text: string | null])[] }
  | { readonly kind: 'embedder'; readonly pid: number | undefined }
  | { readonly kind: 'closing' };

/** Changes a folder and its index without an end, until it is killed. */
export async function runSubject({ folder, dataDir, seed, embedderMain }: SubjectOptions): Promise<never> {
  const random = new RandomFiles(randomNumbers(seed));
  const { dimensions, k } = (await testModel()).manifest;
  const embedder = new EmbedderProcess({
    embedderMain,
    modelDir: `${dimensions} ${k}`,
    dimensions,
    threads: 1,
    memoryLimitMb: 4000,
    logger: nullLogger,
    // One process for many windows would hardly ever be killed between two of them.
    limits: { batchWindows: 4 },
  });
  for (;;) {
    const runtime = new EngineRuntime({
      dataDir,
      model: testModel,
      queryEmbedder: () => Promise.resolve(new WordEmbedder(dimensions, k)),
      indexEmbedder: () =>
        Promise.resolve({
          dimensions,
          embed: (windows, signal) => embedder.embed(windows, signal),
          // Outlives the runtime: starting one takes longer than all else.
          close: () => Promise.resolve(),
        }),
      logger: nullLogger,
      snapshots: { changesWorth: 1, mostHeld: 4096 },
    });
    const engine = await SemanticEngine.open(folder, { access: 'write' }, runtime, () => {});
    await tell({ kind: 'opened' });
    await engine.sync({ rebuild: false }, () => {});
    await tell({ kind: 'done', files: [...indexableFiles(folder)] });
    await tell({ kind: 'embedder', pid: embedder.pid });
    for (let step = 0; step < 12; step++) await takeStep(engine, runtime, folder, random);
    await tell({ kind: 'closing' });
    await engine.close();
    await runtime.close();
  }
}

async function takeStep(
  engine: SemanticEngine,
  runtime: EngineRuntime,
  folder: string,
  random: RandomFiles,
): Promise<void> {
  const files = readFiles(folder);
  const choice = random.below(10);
  if (choice === 0) return void (await cleanData(runtime, undefined, Date.now() + DAY_MS));
  if (choice === 1) return void (await engine.sync({ rebuild: random.below(2) === 0 }, () => {}));
  const changes = new Map<string, string | null>();
  const count = 1 + random.below(4);
  for (let at = 0; at < count; at++) {
    const known = files.size > 0 ? random.pick([...files.keys()]) : random.path();
    if (choice < 4 && files.size > 8) changes.set(known, null);
    else if (choice < 7 && files.has(known)) changes.set(known, random.edited(files.get(known) ?? ''));
    else if (files.size < MOST_FILES) changes.set(random.path(), random.text());
  }
  await tell({ kind: 'begin', paths: [...changes.keys()] });
  for (const [path, text] of changes) writeFile(folder, path, text ?? undefined);
  await engine.update([...changes.keys()]);
  await tell({ kind: 'done', files: [...changes] });
}

function tell(message: SubjectMessage): Promise<void> {
  return new Promise((resolve, reject) => {
    process.send?.(message, undefined, undefined, error => (error === null ? resolve() : reject(error)));
  });
}
