import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { isCancelled, systemCode, throwIfAborted } from '../../util/errors';
import type { Logger } from '../../util/logger';
import { windowKey } from '../model/windows';
import type { Corpus } from '../search/corpus';
import { Catalog } from '../store/catalog';
import { dataLayout, workspacesFolder } from '../store/dataFolder';
import { Ownership } from '../store/ownership';
import type { ContentRow } from '../store/records';
import type { WindowStore } from '../store/windowStore';

export interface HousekeepingParts {
  readonly dataDir: string;
  readonly folder: string;
  readonly catalog: Catalog;
  readonly windowStore: WindowStore;
  /** Of the model, hex. */
  readonly fingerprint: string;
  /** Token ids of a path's words. */
  readonly pathWindow: (path: string) => Int32Array;
  readonly logger: Logger;
  /** Milliseconds since 1970; for tests. */
  readonly now?: () => number;
}

/** Contents without a file are kept for a branch that comes back, up to as many as are in use and these. */
const SPARE_CONTENTS = 1000;
/** The same for windows. */
const SPARE_WINDOWS = 5000;
const DELETE_AT_ONCE = 1000;
const DAY_MS = 24 * 3600_000;
/** Its time stamp says when the windows were last looked through. */
const SWEPT_FILE = 'swept';
/** Bytes of a fingerprint that the window store keeps. */
const MODEL_BYTES = 16;

/** What `folder.json` of a workspace says. */
interface WorkspaceNote {
  readonly folder: string;
  /** Windows in use, path words included; absent before the first whole sync. */
  readonly windows?: number;
}

interface Workspace {
  readonly directory: string;
  readonly note: WorkspaceNote;
  readonly usedAt: number;
}

/** Keeps what is stored in proportion to what is in use. Nothing here is needed for a right answer. */
export class Housekeeping {
  private readonly now: () => number;

  constructor(private readonly parts: HousekeepingParts) {
    this.now = parts.now ?? Date.now;
  }

  /** After a sync of the whole folder. A failure is logged and tried again another day. @throws only when cancelled. */
  async run(corpus: Corpus, signal?: AbortSignal): Promise<void> {
    try {
      await this.dropSpareContents(corpus, signal);
      await this.writeNote(corpus);
      if (!(await this.isDue())) return;
      const workspaces = await this.workspacesInUse(signal);
      if (this.isWasteful(workspaces)) await this.sweepWindows(corpus, workspaces, signal);
    } catch (error) {
      if (isCancelled(error)) throw error;
      this.parts.logger.warn(`Old data was not cleared away: ${String(error)}`);
    }
  }

  private async dropSpareContents(corpus: Corpus, signal: AbortSignal | undefined): Promise<void> {
    const { catalog } = this.parts;
    const used = new Set(corpus.hashes());
    if (catalog.contentCount() <= 2 * used.size + SPARE_CONTENTS) return;
    const spare = [...catalog.contentHashes()].filter(hash => !used.has(hash));
    for (let at = 0; at < spare.length; at += DELETE_AT_ONCE) {
      throwIfAborted(signal);
      await catalog.write(spare.slice(at, at + DELETE_AT_ONCE).map(hash => ({ kind: 'deleteContent', hash }) as const));
      await setImmediate();
    }
  }

  private async writeNote(corpus: Corpus): Promise<void> {
    const { dataDir, folder } = this.parts;
    let windows = corpus.size;
    for (const hash of corpus.hashes()) windows += corpus.content(hash)?.landmarkCounts.length ?? 0;
    await writeFile(
      dataLayout(dataDir, folder).folderFile,
      JSON.stringify({ folder, windows } satisfies WorkspaceNote),
    );
  }

  /** At most once a day for all workspaces together: the first that asks does it. */
  private async isDue(): Promise<boolean> {
    const path = join(dataLayout(this.parts.dataDir, this.parts.folder).windows, SWEPT_FILE);
    const last = await stat(path).catch(() => undefined);
    if (last !== undefined && this.now() - last.mtimeMs < DAY_MS) return false;
    await writeFile(path, '');
    return true;
  }

  /** Deletes the workspaces of folders that are gone, and gives the others. */
  private async workspacesInUse(signal: AbortSignal | undefined): Promise<Workspace[]> {
    const kept: Workspace[] = [];
    const root = workspacesFolder(this.parts.dataDir);
    for (const name of await readdir(root)) {
      throwIfAborted(signal);
      const workspace = await readWorkspace(join(root, name));
      if (workspace === undefined) continue;
      if (!(await this.isForsaken(workspace)) || !(await this.remove(workspace))) kept.push(workspace);
    }
    return kept;
  }

  /** Its folder is gone for sure: a drive that is not there takes the folder above with it. */
  private async isForsaken({ note, usedAt }: Workspace): Promise<boolean> {
    if (this.now() - usedAt < DAY_MS) return false;
    const isGone = await stat(note.folder).then(
      () => false,
      (error: unknown) => systemCode(error) === 'ENOENT',
    );
    return (
      isGone &&
      (await stat(join(note.folder, '..')).then(
        found => found.isDirectory(),
        () => false,
      ))
    );
  }

  private async remove({ directory, note }: Workspace): Promise<boolean> {
    const { logger } = this.parts;
    const ownership = await Ownership.acquire(directory, logger);
    if (!(ownership instanceof Ownership)) return false;
    await rm(directory, { recursive: true, force: true });
    await ownership.release();
    logger.info(`The index of ${note.folder} was deleted: the folder does not exist any more.`);
    return true;
  }

  private isWasteful(workspaces: readonly Workspace[]): boolean {
    let used = 0;
    for (const { note } of workspaces) used += note.windows ?? Infinity;
    return this.parts.windowStore.count() > 2 * used + SPARE_WINDOWS;
  }

  /** Windows of other models stay as long as a workspace of theirs does. */
  private async sweepWindows(
    corpus: Corpus,
    workspaces: readonly Workspace[],
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const { dataDir, folder, fingerprint, windowStore, logger } = this.parts;
    const live = new Set<string>();
    const otherModels = new Set<string>();
    const own = dataLayout(dataDir, folder).workspace;
    for (const { directory } of workspaces) {
      if (directory === own) continue;
      const catalog = await Catalog.open(directory, { access: 'read', fingerprint: undefined, logger });
      try {
        if (catalog.fingerprint === fingerprint) await this.collect(catalog, live, signal);
        else otherModels.add(modelOf(catalog.fingerprint));
      } finally {
        await catalog.close();
      }
    }
    for (const hash of corpus.hashes()) addWindows(corpus.content(hash), live);
    for (const { path } of corpus.documents()) live.add(text(windowKey(this.parts.pathWindow(path))));
    const ownModel = modelOf(fingerprint);
    const isLive = (key: Uint8Array, model: Uint8Array): boolean => {
      const name = Buffer.from(model).toString('hex');
      return name === ownModel ? live.has(text(key)) : otherModels.has(name);
    };
    const removed = await windowStore.sweep(isLive, this.now() - DAY_MS, signal);
    logger.info(`${removed} windows that no folder uses any more were deleted.`);
  }

  private async collect(catalog: Catalog, live: Set<string>, signal: AbortSignal | undefined): Promise<void> {
    const used = new Set<string>();
    for (const [path, row] of catalog.files()) {
      if (row.state !== 'indexed') continue;
      used.add(row.hash);
      live.add(text(windowKey(this.parts.pathWindow(path))));
    }
    let count = 0;
    for (const [hash, row] of catalog.contents()) {
      if (used.has(hash)) addWindows(row, live);
      if (++count % 100 === 0) await setImmediate();
      throwIfAborted(signal);
    }
  }
}

async function readWorkspace(directory: string): Promise<Workspace | undefined> {
  try {
    const path = join(directory, 'folder.json');
    const note = JSON.parse(await readFile(path, 'utf8')) as Partial<WorkspaceNote> | null;
    if (typeof note?.folder !== 'string') return undefined;
    return { directory, note: { ...note, folder: note.folder }, usedAt: (await stat(path)).mtimeMs };
  } catch {
    // Somebody is creating it, or it is damaged and is written again when the folder is opened.
    return undefined;
  }
}

function addWindows(row: ContentRow | undefined, live: Set<string>): void {
  if (row === undefined) return;
  for (let at = 0; at < row.windowKeys.length; at += 32) live.add(text(row.windowKeys.subarray(at, at + 32)));
}

/** A byte a character: half of what hexadecimal would take. */
function text(key: Uint8Array): string {
  return Buffer.from(key.buffer, key.byteOffset, key.byteLength).toString('latin1');
}

function modelOf(fingerprint: string): string {
  return fingerprint.slice(0, 2 * MODEL_BYTES);
}
