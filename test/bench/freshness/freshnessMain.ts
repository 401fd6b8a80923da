/** How an indexed folder follows its files: reopened unchanged, after saves, over checkouts. */
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SemanticEngine } from '../../../src/engine/semanticEngine';
import { answerParent } from '../child';
import { benchRuntime } from '../folder/benchRuntime';
import { generatedCorpus, type GeneratedFolder } from '../folder/generatedFolder';
import { checkout, makeBranches } from './branches';

export interface FreshnessInput {
  readonly folder: GeneratedFolder;
  readonly what: 'reopen' | 'save' | 'checkout';
  /** Files that are saved, or differ between the branches. */
  readonly count: number;
}

export interface Freshness {
  /** Until the folder is open and looked through. */
  readonly openMs: number;
  readonly embeddedOnOpening: number;
  readonly filesOnOpening: number;
  /** From the save until a search finds it. */
  readonly saveMs: readonly number[];
  /** Windows embedded by each checkout, in turn: other branch, back, other branch again. */
  readonly embeddedByCheckout: readonly number[];
  readonly checkoutMs: readonly number[];
}

/** Larger files are seldom written by hand. */
const MOST_SAVED_BYTES = 30_000;

answerParent(async ({ folder, what, count }: FreshnessInput): Promise<Freshness> => {
  const corpus = generatedCorpus(folder.files);
  if (what === 'checkout') makeBranches(folder.tree, corpus, count);
  // Saves are embedded by the model; what checkouts embed is counted, so the stand-in does.
  const indexing = what === 'save' ? { threads: 1 } : 'stand-in';
  const runtime = benchRuntime({ dataDir: folder.data, indexing, queries: 'as stand-in' });
  const started = performance.now();
  const engine = await SemanticEngine.open(folder.tree, { access: 'write' }, runtime, () => {});
  try {
    const { windows, files } = await engine.sync({ rebuild: false }, () => {});
    const openMs = performance.now() - started;
    const saveMs = what === 'save' ? await saves(engine, folder, count) : [];
    const checkouts = what === 'checkout' ? await checkOut(engine, folder.tree) : [];
    return {
      openMs,
      embeddedOnOpening: windows.embedded,
      filesOnOpening: files,
      saveMs,
      embeddedByCheckout: checkouts.map(({ embedded }) => embedded),
      checkoutMs: checkouts.map(({ ms }) => ms),
    };
  } finally {
    await engine.close();
    await runtime.close();
  }
});

/** Each a new function at the end of another file, with a word that is nowhere else. */
async function saves(engine: SemanticEngine, { tree, files }: GeneratedFolder, count: number): Promise<number[]> {
  const corpus = generatedCorpus(files);
  const times: number[] = [];
  // The first starts the model.
  for (let at = 0; times.length <= count; at++) {
    const path = corpus.path((at * 37) % files);
    const full = join(tree, path);
    if (statSync(full).size > MOST_SAVED_BYTES) continue;
    const before = readFileSync(full, 'utf8');
    const word = `unheard${Date.now().toString(36)}of${at}`;
    writeFileSync(full, `${before}\n// ${word} ${corpus.query(at)}\n`);
    const started = performance.now();
    const report = await engine.update([path]);
    const { results } = await engine.search({ query: word });
    times.push(performance.now() - started);
    if (results[0]?.path !== path || report.windows.embedded === 0)
      throw new Error(`${path} was saved and is not found, or not embedded.`);
    writeFileSync(full, before);
    await engine.update([path]);
  }
  return times.slice(1);
}

async function checkOut(engine: SemanticEngine, tree: string): Promise<{ embedded: number; ms: number }[]> {
  const results: { embedded: number; ms: number }[] = [];
  for (const branch of ['other', 'base', 'other'] as const) {
    checkout(tree, branch);
    const started = performance.now();
    const { windows } = await engine.sync({ rebuild: false }, () => {});
    results.push({ embedded: windows.embedded, ms: performance.now() - started });
  }
  checkout(tree, 'base');
  await engine.sync({ rebuild: false }, () => {});
  return results;
}
