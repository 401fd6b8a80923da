/** Source indexed by the product, beside the bare runtime on the same inputs and beside two plain ways, in turns. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { bundledModelDir } from '../../../src/cli/bundledModel';
import { layoutWindow } from '../../../src/engine/model/landmarkLayout';
import { type LoadedModel, loadModel, WEIGHTS_FILE } from '../../../src/engine/model/modelManifest';
import { prepareLine, splitLines } from '../../../src/engine/model/codeText';
import type { TextTokenizer } from '../../../src/engine/model/textTokenizer';
import { cutWindows, windowCapacity } from '../../../src/engine/model/windows';
import { cosine } from '../../../src/engine/vectors/vectorMath';
import { SemanticEngine } from '../../../src/engine/semanticEngine';
import { answerParent } from '../child';
import { benchRuntime } from '../folder/benchRuntime';
import { residentMb } from '../processMemory';
import { bytesOf, pinnedSources, type SourceFile } from '../sourceText';
import { floatModel } from './floatModel';
import { feedsOf, PlainSession } from './plainSession';

export interface IndexingInput {
  readonly cache: string;
  readonly rounds: number;
  /** Of source, in each round. */
  readonly bytes: number;
  /** Of the round's source that the slowest way reads, 0 to 1. */
  readonly slowShare: number;
  readonly threads: number;
}

/** Seconds, and what was done in them. */
export interface Work {
  readonly seconds: number;
  readonly tokens: number;
  readonly bytes: number;
}

export interface IndexingRound {
  /** The whole of `sync`. */
  readonly product: Work;
  /** Of it, from the first window to the last. */
  readonly embedding: Work;
  readonly runtime: Work;
  readonly batched: Work;
  readonly single: Work;
  /** Most memory of the embedder process so far. */
  readonly embedderMb: number;
}

/** Tokens of a plain chunk, with the two special ones. */
const CHUNK = 256;
const BATCH = 16;

interface Setup {
  readonly input: IndexingInput;
  readonly model: LoadedModel;
  readonly tokenizer: TextTokenizer;
  readonly engine: SemanticEngine;
  readonly tree: string;
  readonly quantised: PlainSession;
  readonly float: PlainSession;
}

answerParent(async (input: IndexingInput): Promise<IndexingRound[]> => {
  const scratch = mkdtempSync(join(input.cache, 'indexing-'));
  const tree = join(scratch, 'tree');
  mkdirSync(tree);
  const runtime = benchRuntime({
    dataDir: join(scratch, 'data'),
    indexing: { threads: input.threads },
    queries: 'model',
  });
  const model = await loadModel(bundledModelDir('models'));
  const weights = readFileSync(join(model.directory, WEIGHTS_FILE));
  const engine = await SemanticEngine.open(tree, { access: 'write' }, runtime, () => {});
  const [quantised, float] = [weights, floatModel(weights)].map(one => PlainSession.open(one, input.threads));
  const setup: Setup = {
    input,
    model,
    tokenizer: await runtime.tokenizer(),
    engine,
    tree,
    quantised: await quantised!,
    float: await float!,
  };
  try {
    await requireSameWeights(setup);
    const [warmUp = [], ...slices] = slicesOf(input);
    await oneRound(setup, warmUp.slice(0, 3));
    const rounds: IndexingRound[] = [];
    for (const slice of slices) rounds.push(await oneRound(setup, slice));
    return rounds;
  } finally {
    await setup.quantised.release();
    await setup.float.release();
    await engine.close();
    await runtime.close();
    rmSync(scratch, { recursive: true, force: true });
  }
});

/** How far apart the vectors of the two forms of the weights may be: int8 arithmetic costs about 0.01. */
const LEAST_COSINE = 0.97;

async function requireSameWeights({ quantised, float, tokenizer }: Setup): Promise<void> {
  const ids = tokenizer.encodeText('export function compareVersions(left: string, right: string): number').ids;
  const feeds = feedsOf([[tokenizer.clsId, ...ids, tokenizer.landmarkId]]);
  const similarity = cosine(await quantised.run(feeds), await float.run(feeds));
  if (!(similarity > LEAST_COSINE)) throw new Error(`The fp32 form of the model is another one: ${similarity}.`);
}

/** Files for the warm-up and for each round, different ones. */
function slicesOf({ rounds, bytes }: IndexingInput): SourceFile[][] {
  const slices: SourceFile[][] = [[]];
  // A line has some 36 bytes.
  for (const file of pinnedSources(((rounds + 2) * bytes) / 20)) {
    if (bytesOf(slices.at(-1) ?? []) >= bytes) slices.push([]);
    if (slices.length > rounds + 1) return slices.slice(0, rounds + 1);
    slices.at(-1)?.push(file);
  }
  throw new Error('There is not enough source for so many rounds.');
}

async function oneRound(setup: Setup, files: readonly SourceFile[]): Promise<IndexingRound> {
  const runtime = await bareRuntime(setup, files);
  const { product, embedding } = await byProduct(setup, files, runtime.tokens);
  const batched = await plainly(setup.quantised, setup, files, BATCH);
  const fewer = files.slice(0, Math.max(1, Math.round(files.length * setup.input.slowShare)));
  const single = await plainly(setup.float, setup, fewer, 1);
  return { product, embedding, runtime, batched, single, embedderMb: residentMb('embedder.js').most };
}

async function byProduct(
  { engine, tree }: Setup,
  files: readonly SourceFile[],
  tokens: number,
): Promise<Pick<IndexingRound, 'product' | 'embedding'>> {
  for (const { path, text } of files) {
    mkdirSync(dirname(join(tree, path)), { recursive: true });
    writeFileSync(join(tree, path), text);
  }
  const started = performance.now();
  const embed: number[] = [];
  const report = await engine.sync({ rebuild: false }, ({ phase }) => {
    if (phase === 'embed') embed.push(performance.now());
  });
  const seconds = (performance.now() - started) / 1000;
  if (report.failed.length > 0) throw new Error(`${report.failed.length} files could not be indexed.`);
  const bytes = bytesOf(files);
  const embedding = { seconds: ((embed.at(-1) ?? NaN) - (embed[0] ?? NaN)) / 1000, tokens, bytes };
  return { product: { seconds, tokens, bytes }, embedding };
}

/** The inputs that the product gives to the model for these files, by the runtime alone. */
async function bareRuntime({ model, tokenizer, quantised }: Setup, files: readonly SourceFile[]): Promise<Work> {
  const { manifest } = model;
  const windows = files.flatMap(({ path, text }) => {
    const { ids, lines } = tokenizer.encodeText(text);
    const cuts = cutWindows(ids, lines, { capacity: windowCapacity(manifest) });
    const pathWords = Int32Array.from(tokenizer.encodeLine(prepareLine(path)));
    return [...cuts.map(({ start, end }) => ids.subarray(start, end)), pathWords];
  });
  const { clsId, landmarkId } = tokenizer;
  const feeds = windows.map(ids => feedsOf([layoutWindow(ids, { k: manifest.k, clsId, landmarkId }).inputIds]));
  const started = performance.now();
  for (const one of feeds) await quantised.run(one);
  const seconds = (performance.now() - started) / 1000;
  return { seconds, tokens: windows.reduce((sum, ids) => sum + ids.length, 0), bytes: bytesOf(files) };
}

/** Raw text in chunks of the usual length, so many a call, their mean as the vector. */
async function plainly(
  session: PlainSession,
  { tokenizer, model }: Setup,
  files: readonly SourceFile[],
  batch: number,
): Promise<Work> {
  const started = performance.now();
  let tokens = 0;
  let waiting: number[][] = [];
  const flush = async (): Promise<void> => {
    if (waiting.length === 0) return;
    const states = await session.run(feedsOf(waiting));
    meanOf(states.subarray(0, (waiting[0]?.length ?? 0) * model.manifest.dimensions), model.manifest.dimensions);
    waiting = [];
  };
  for (const { text } of files) {
    const ids = splitLines(text).flatMap(line => tokenizer.encodeLine(line));
    tokens += ids.length;
    for (let at = 0; at < ids.length; at += CHUNK - 2) {
      waiting.push([tokenizer.clsId, ...ids.slice(at, at + CHUNK - 2), tokenizer.landmarkId]);
      if (waiting.length === batch) await flush();
    }
  }
  await flush();
  return { seconds: (performance.now() - started) / 1000, tokens, bytes: bytesOf(files) };
}

function meanOf(rows: Float32Array, dimensions: number): Float32Array {
  const mean = new Float32Array(dimensions);
  for (let at = 0; at < rows.length; at++) mean[at % dimensions]! += rows[at]!;
  return mean;
}
