import { setImmediate } from 'node:timers/promises';
import { throwIfAborted } from '../../util/errors';
import type { Logger } from '../../util/logger';
import { windowKey } from '../model/windows';
import { Catalog } from '../store/catalog';
import type { ContentRow } from '../store/records';
import type { WindowStore } from '../store/windowStore';

/** Bytes of a fingerprint that the window store keeps. */
const MODEL_BYTES = 16;

export interface SweepParts {
  /** Of the workspaces that keep their windows. */
  readonly directories: Iterable<string>;
  readonly windowStore: WindowStore;
  /** Of the model, hex. */
  readonly fingerprint: string;
  /** Token ids of a path's words. */
  readonly pathWindow: (path: string) => Int32Array;
  /** Milliseconds since 1970: what was written later stays. */
  readonly olderThan: number;
  readonly logger: Logger;
}

/**
 * Removes the windows that no catalogue refers to. Those of other models stay as long as a workspace of theirs does.
 * @returns how many were removed.
 * @throws LandmarkError what opening a catalogue throws: without it nobody knows what it refers to.
 */
export async function sweepWindows(parts: SweepParts, signal?: AbortSignal): Promise<number> {
  const { directories, windowStore, fingerprint, pathWindow, olderThan, logger } = parts;
  const live = new Set<string>();
  const otherModels = new Set<string>();
  for (const directory of directories) {
    const catalog = await Catalog.open(directory, { access: 'read', fingerprint: undefined, logger });
    try {
      if (catalog.fingerprint === fingerprint) await collect(catalog, pathWindow, live, signal);
      else otherModels.add(modelOf(catalog.fingerprint));
    } finally {
      await catalog.close();
    }
  }
  const ownModel = modelOf(fingerprint);
  const isLive = (key: Uint8Array, model: Uint8Array): boolean => {
    const name = Buffer.from(model).toString('hex');
    return name === ownModel ? live.has(text(key)) : otherModels.has(name);
  };
  const removed = await windowStore.sweep(isLive, olderThan, signal);
  logger.info(`${removed} windows that no folder uses any more were deleted.`);
  return removed;
}

async function collect(
  catalog: Catalog,
  pathWindow: SweepParts['pathWindow'],
  live: Set<string>,
  signal: AbortSignal | undefined,
): Promise<void> {
  const used = new Set<string>();
  for (const [path, row] of catalog.files()) {
    if (row.state !== 'indexed') continue;
    used.add(row.hash);
    live.add(text(windowKey(pathWindow(path))));
  }
  let count = 0;
  for (const [hash, row] of catalog.contents()) {
    if (used.has(hash)) addWindows(row, live);
    if (++count % 100 === 0) await setImmediate();
    throwIfAborted(signal);
  }
}

function addWindows(row: ContentRow, live: Set<string>): void {
  for (let at = 0; at < row.windowKeys.length; at += 32) live.add(text(row.windowKeys.subarray(at, at + 32)));
}

/** A byte a character: half of what hexadecimal would take. */
function text(key: Uint8Array): string {
  return Buffer.from(key.buffer, key.byteOffset, key.byteLength).toString('latin1');
}

function modelOf(fingerprint: string): string {
  return fingerprint.slice(0, 2 * MODEL_BYTES);
}
