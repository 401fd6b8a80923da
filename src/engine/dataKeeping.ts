import { readdir, rm, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { throwIfAborted } from '../util/errors';
import type { EngineRuntime } from './engineRuntime';
import { ContentBuilder } from './indexing/contentBuilder';
import { sweepWindows } from './indexing/windowSweep';
import { Vocabulary } from './lexical/vocabulary';
import { dataLayout, workspacesFolder } from './store/dataFolder';
import { Ownership } from './store/ownership';
import { PUT_ASIDE_FILE, removePutAside } from './store/putAside';
import { DATA_FILE } from './store/storeFolder';
import { isForsaken, removeWorkspace, type Workspace, workspacesIn } from './store/workspaces';
import type { DataReport, StoredFolder } from './types';

const HOUR_MS = 3600_000;
const WORKSPACE_NAME = /^[0-9a-f]{64}$/;

/** What lies in the data folder, largest first. */
export async function listData({ dataDir }: Pick<EngineRuntime, 'dataDir'>): Promise<DataReport> {
  const files = await filesBelow(dataDir);
  const sizeBelow = (directory: string): number => sum(files, path => path.startsWith(join(directory, '/')));
  const folders = await Promise.all(
    (await workspacesIn(dataDir)).map(async (workspace): Promise<StoredFolder> => ({
      folder: workspace.note.folder,
      bytes: sizeBelow(workspace.directory),
      usedAt: Math.round(workspace.usedAt),
      state: await stateOf(workspace),
    })),
  );
  return {
    dataDir,
    folders: folders.sort((a, b) => b.bytes - a.bytes),
    vectors: sizeBelow(dataLayout(dataDir, '').windows),
    putAside: sum(files, path => basename(path) === PUT_ASIDE_FILE),
    bytes: sum(files, () => true),
  };
}

/**
 * Deletes the indexes of folders that are gone, damaged files that were put aside, and vectors that no folder refers to;
 * then gives the room back to the disk. What another process has open stays.
 * @param now milliseconds since 1970; for tests.
 */
export async function cleanData(runtime: EngineRuntime, signal?: AbortSignal, now = Date.now()): Promise<DataReport> {
  const { dataDir, logger } = runtime;
  const before = await listData(runtime);
  const kept: Workspace[] = [];
  const removed: string[] = [];
  for (const workspace of await workspacesIn(dataDir, signal)) {
    if ((await isForsaken(workspace)) && (await removeWorkspace(workspace, logger)))
      removed.push(workspace.note.folder);
    else kept.push(workspace);
  }
  await removeNameless(runtime, kept, signal);
  await removePutAside(dataDir, Infinity);
  const windows = await sweepAll(
    runtime,
    kept.map(({ directory }) => directory),
    now,
    signal,
  );
  const after = await listData(runtime);
  return { ...after, removed: { folders: removed, windows, bytes: Math.max(0, before.bytes - after.bytes) } };
}

async function sweepAll(
  runtime: EngineRuntime,
  directories: readonly string[],
  now: number,
  signal: AbortSignal | undefined,
): Promise<number> {
  const { dataDir, logger } = runtime;
  if ((await sizeOf(join(dataLayout(dataDir, '').windows, DATA_FILE))) === 0) return 0;
  const model = await runtime.model();
  const builder = new ContentBuilder(model, await runtime.tokenizer(), new Vocabulary());
  const windowStore = await runtime.windowStore('write');
  const pathWindow = (path: string): Int32Array => builder.pathWindow(path);
  const { fingerprint } = model;
  // What was written within the hour may be on its way into a catalogue.
  const olderThan = now - HOUR_MS;
  const swept = await sweepWindows({ directories, windowStore, fingerprint, pathWindow, olderThan, logger }, signal);
  throwIfAborted(signal);
  if ((await windowStore.unusedBytes()) > (await windowStore.sizeOnDisk()) / 10) await windowStore.compact();
  return swept;
}

/** Workspaces that do not say of which folder they are, unless somebody is at them. */
async function removeNameless(
  { dataDir, logger }: EngineRuntime,
  named: readonly Workspace[],
  signal: AbortSignal | undefined,
): Promise<void> {
  const known = new Set(named.map(({ directory }) => directory));
  for (const name of await readdir(workspacesFolder(dataDir)).catch(() => [])) {
    throwIfAborted(signal);
    const directory = join(workspacesFolder(dataDir), name);
    if (!WORKSPACE_NAME.test(name) || known.has(directory)) continue;
    const ownership = await Ownership.acquire(directory, logger);
    if (!(ownership instanceof Ownership)) continue;
    await rm(directory, { recursive: true, force: true });
    await ownership.release();
  }
}

async function stateOf(workspace: Workspace): Promise<StoredFolder['state']> {
  if (await isForsaken(workspace)) return 'gone';
  return stat(workspace.note.folder).then(
    () => 'here',
    () => 'unreachable',
  );
}

/** Sizes in bytes by path. */
async function filesBelow(directory: string): Promise<ReadonlyMap<string, number>> {
  const sizes = new Map<string, number>();
  const entries = await readdir(directory, { recursive: true, withFileTypes: true }).catch(() => []);
  for (const entry of entries) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    sizes.set(path, await sizeOf(path));
  }
  return sizes;
}

async function sizeOf(path: string): Promise<number> {
  return (await stat(path).catch(() => undefined))?.size ?? 0;
}

function sum(files: ReadonlyMap<string, number>, counts: (path: string) => boolean): number {
  let bytes = 0;
  for (const [path, size] of files) if (counts(path)) bytes += size;
  return bytes;
}
