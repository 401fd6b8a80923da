/** Opens an indexed folder as the search process does and measures it: time, memory, an unchanged sync, queries. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { SemanticEngine } from '../../../src/engine/semanticEngine';
import type { IndexProgress } from '../../../src/engine/types';
import { isCancelled } from '../../../src/util/errors';
import { answerParent } from '../child';
import type { CodeCorpus } from '../codeCorpus';
import { ownMemory, privateMb } from '../processMemory';
import { benchRuntime } from './benchRuntime';
import { FRESH, generatedCorpus, type GeneratedFolder } from './generatedFolder';

export interface MeasureInput {
  readonly folder: GeneratedFolder;
  readonly queries: number;
  /** Files that appear, so that there is something to index while queries are asked. */
  readonly freshFiles: number;
  readonly seconds: number;
}

export interface Memory {
  readonly rssMb: number;
  /** Without the pages of files. */
  readonly privateMb: number;
  /** JavaScript heap in use after a collection, and buffers outside of it. */
  readonly heapMb: number;
  readonly buffersMb: number;
}

export interface Measured {
  readonly openMs: number;
  readonly firstQueryMs: number;
  readonly memory: Memory;
  /** After all queries; the most that it ever was. */
  readonly peakRssMb: number;
  readonly sync: { readonly ms: number; readonly embeddedWindows: number; readonly files: number };
  readonly idleMs: readonly number[];
  /** By the phase in which the query was asked. */
  readonly indexing: { readonly lexical: readonly number[]; readonly embed: readonly number[] };
  readonly stats: {
    readonly files: number;
    readonly windows: number;
    readonly landmarks: number;
    readonly bytes: Readonly<Record<string, number>>;
  };
}

/** Between two queries while the index is being changed: people do not ask without a pause. */
const PAUSE_MS = 40;
const WARM_UP = 20;

answerParent(async (input: MeasureInput): Promise<Measured> => {
  const { folder } = input;
  const corpus = generatedCorpus(folder.files);
  const runtime = benchRuntime({ dataDir: folder.data, indexing: { threads: 1 }, queries: 'as stand-in' });
  const started = performance.now();
  const engine = await SemanticEngine.open(folder.tree, { access: 'write' }, runtime, () => {});
  const openMs = performance.now() - started;
  try {
    const firstQueryMs = await ask(engine, corpus.query(100_000));
    const memory = currentMemory();
    const sync = await unchangedSync(engine);
    for (let at = 0; at < WARM_UP; at++) await ask(engine, corpus.query(200_000 + at));
    const idleMs = await askMany(engine, corpus, input);
    const { files, windows, landmarks, bytes } = await engine.stats();
    const indexing = await askWhileIndexing(engine, corpus, input);
    const peakRssMb = ownMemory().most;
    const stats = { files, windows, landmarks, bytes };
    return { openMs, firstQueryMs, memory, peakRssMb, sync, idleMs, indexing, stats };
  } finally {
    await engine.close();
    await runtime.close();
  }
});

async function ask(engine: SemanticEngine, query: string): Promise<number> {
  const started = performance.now();
  const { results } = await engine.search({ query });
  if (results.length === 0) throw new Error(`There is no answer to “${query}”.`);
  return performance.now() - started;
}

async function askMany(engine: SemanticEngine, corpus: CodeCorpus, input: MeasureInput): Promise<number[]> {
  const times: number[] = [];
  const giveUpAt = performance.now() + input.seconds * 1000;
  while (times.length < input.queries && (times.length < 20 || performance.now() < giveUpAt))
    times.push(await ask(engine, corpus.query(times.length)));
  return times;
}

async function unchangedSync(engine: SemanticEngine): Promise<Measured['sync']> {
  const started = performance.now();
  const { windows, files } = await engine.sync({ rebuild: false }, () => {});
  return { ms: performance.now() - started, embeddedWindows: windows.embedded, files };
}

/** New files are read and embedded, by the model in its own process, while queries are asked; then they go again. */
async function askWhileIndexing(
  engine: SemanticEngine,
  corpus: CodeCorpus,
  { folder, queries, freshFiles, seconds }: MeasureInput,
): Promise<Measured['indexing']> {
  // Other texts each time: those that were seen before are not embedded again.
  const fresh = generatedCorpus(freshFiles, Date.now() | 0, FRESH);
  for (let at = 0; at < freshFiles; at++) {
    const { path, text } = fresh.file(at);
    mkdirSync(dirname(join(folder.tree, path)), { recursive: true });
    writeFileSync(join(folder.tree, path), text);
  }
  if (freshFiles === 0) return { lexical: [], embed: [] };
  const times = { lexical: [] as number[], embed: [] as number[] };
  const controller = new AbortController();
  let phase: IndexProgress['phase'] | 'done' = 'walk';
  const indexing = engine
    .sync({ rebuild: false }, progress => (phase = progress.phase), controller.signal)
    .catch((error: unknown) => {
      if (!isCancelled(error)) throw error;
    })
    .finally(() => (phase = 'done'));
  const giveUpAt = performance.now() + seconds * 1000;
  for (let at = 0; times.embed.length < queries && performance.now() < giveUpAt; at++) {
    const before = phase as IndexProgress['phase'] | 'done';
    if (before === 'done') break;
    const ms = await ask(engine, corpus.query(at));
    if (before === 'walk' || before === 'lexical') times.lexical.push(ms);
    if (before === 'embed') times.embed.push(ms);
    await sleep(PAUSE_MS);
  }
  controller.abort();
  await indexing;
  rmSync(join(folder.tree, FRESH), { recursive: true, force: true });
  await engine.sync({ rebuild: false }, () => {});
  return times;
}

function currentMemory(): Memory {
  globalThis.gc?.();
  globalThis.gc?.();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return {
    rssMb: megabytes(process.memoryUsage.rss()),
    privateMb: privateMb(),
    heapMb: megabytes(heapUsed),
    buffersMb: megabytes(arrayBuffers),
  };
}

function megabytes(bytes: number): number {
  return bytes / 1024 / 1024;
}
