import assert from 'node:assert/strict';
import { EngineRuntime } from '../../src/engine/engineRuntime';
import { windowKey } from '../../src/engine/model/windows';
import { SemanticEngine } from '../../src/engine/semanticEngine';
import { Catalog } from '../../src/engine/store/catalog';
import { dataLayout } from '../../src/engine/store/dataFolder';
import { WindowStore } from '../../src/engine/store/windowStore';
import { LandmarkError } from '../../src/util/errors';
import { nullLogger } from '../../src/util/logger';
import { testModel } from './engineRuntime';
import { assertExact, type ExactSearch, hex, sha256 } from './exactSearch';
import { type Files, indexableFiles } from './randomFiles';
import { WordEmbedder } from './wordEmbedder';

/** What was reported as done, by path: the text, or null for a file that is gone. */
export type Promised = ReadonlyMap<string, string | null>;

export interface CrashCheck {
  readonly folder: string;
  readonly dataDir: string;
  readonly exact: ExactSearch;
  readonly query: string;
  readonly what: string;
  /** What may be said of damage; by default nothing. */
  readonly warning?: RegExp;
}

/**
 * After a crash: what was reported as done is there, what is there is right, bringing the index up to date embeds what is
 * missing and nothing else, and then every answer is that of looking at all files.
 */
export async function assertSurvived(check: CrashCheck, promised: Promised): Promise<void> {
  const files = indexableFiles(check.folder);
  const missing = await assertKept(check, promised, files);
  const embedded = await bringUpToDate(check, files);
  assert.equal(embedded, missing.length, `${check.what}: windows embedded of those missing of ${missing.join(', ')}`);
}

/** @returns the file of every window that is not stored. */
async function assertKept(
  { folder, dataDir, exact, what }: CrashCheck,
  promised: Promised,
  files: Files,
): Promise<string[]> {
  const { fingerprint } = await testModel();
  const layout = dataLayout(dataDir, folder);
  const windows = await WindowStore.open(layout.windows, { access: 'read', fingerprint, logger: nullLogger });
  try {
    const rows = await rowsIn(layout.workspace, fingerprint);
    for (const [path, text] of promised) {
      assert.equal(rows.get(path), text === null ? undefined : sha256(text), `${what}: the row of ${path}`);
      if (text === null) continue;
      for (const ids of [exact.pathWindow(path), ...exact.windows(text)]) {
        assert.ok(windows.has(windowKey(ids)), `${what}: a window of ${path} is missing`);
      }
    }
    const missing: string[] = [];
    const seen = new Set<string>();
    for (const [path, text] of files) {
      for (const ids of [exact.pathWindow(path), ...exact.windows(text)]) {
        const key = windowKey(ids);
        if (seen.has(hex(key))) continue;
        seen.add(hex(key));
        const stored = windows.get(key);
        if (stored === undefined) missing.push(path);
        else assert.deepEqual(stored, await exact.record(ids), `${what}: a window of ${path} is wrong`);
      }
    }
    return missing;
  } finally {
    await windows.close();
  }
}

/** Hashes by path; none where the process ended before there was a catalogue. */
async function rowsIn(workspace: string, fingerprint: string): Promise<Map<string, string>> {
  let catalog: Catalog;
  try {
    catalog = await Catalog.open(workspace, { access: 'read', fingerprint, logger: nullLogger });
  } catch (error) {
    if (error instanceof LandmarkError && error.reason === 'not-indexed') return new Map();
    throw error;
  }
  try {
    return new Map([...catalog.files()].map(([path, row]) => [path, row.hash]));
  } finally {
    await catalog.close();
  }
}

/** @returns how many windows it had to embed. */
async function bringUpToDate(
  { folder, dataDir, exact, query, what, warning }: CrashCheck,
  files: Files,
): Promise<number> {
  const { dimensions, k } = (await testModel()).manifest;
  const embedder = new WordEmbedder(dimensions, k);
  const warnings: string[] = [];
  const runtime = new EngineRuntime({
    dataDir,
    model: testModel,
    queryEmbedder: () => Promise.resolve(new WordEmbedder(dimensions, k)),
    indexEmbedder: () => Promise.resolve(embedder),
    logger: { ...nullLogger, warn: message => warnings.push(message) },
    snapshots: { changesWorth: 1, mostHeld: 4096 },
  });
  try {
    const engine = await SemanticEngine.open(folder, { access: 'write' }, runtime, () => {});
    try {
      await engine.sync({ rebuild: false }, () => {});
      await assertExact(engine, exact, files, query, what);
    } finally {
      await engine.close();
    }
  } finally {
    await runtime.close();
  }
  assert.deepEqual(
    warnings.filter(sentence => warning?.test(sentence) !== true),
    [],
    what,
  );
  return embedder.windows;
}
