import { stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isCancelled } from '../../util/errors';
import type { Logger } from '../../util/logger';
import type { Corpus } from '../search/corpus';
import { removeAllFiles } from '../store/cacheFile';
import type { Catalog } from '../store/catalog';
import { dataLayout } from '../store/dataFolder';
import { removePutAside } from '../store/putAside';
import type { WindowStore } from '../store/windowStore';
import { graphFiles } from '../vectors/graphFile';
import { isForsaken, removeWorkspace, type Workspace, type WorkspaceNote, workspacesIn } from '../store/workspaces';
import { dropSpareContents } from './spareContents';
import { sweepWindows } from './windowSweep';

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
const DAY_MS = 24 * 3600_000;
/** How long a damaged store is kept for who wants to look into it. */
const PUT_ASIDE_MS = 7 * DAY_MS;
/** Its time stamp says when the windows were last looked through. */
const SWEPT_FILE = 'swept';

/** Keeps what is stored in proportion to what is in use. Nothing here is needed for a right answer. */
export class Housekeeping {
  private readonly now: () => number;

  constructor(private readonly parts: HousekeepingParts) {
    this.now = parts.now ?? Date.now;
  }

  /** After a sync of the whole folder. A failure is logged and tried again another day. @throws only when cancelled. */
  async run(corpus: Corpus, signal?: AbortSignal): Promise<void> {
    try {
      await this.boundContents(corpus, signal);
      await this.writeNote(corpus);
      await this.removeGraphOfFiles();
      if (!(await this.isDue())) return;
      await removePutAside(this.parts.dataDir, this.now() - PUT_ASIDE_MS);
      const workspaces = await this.workspacesInUse(signal);
      if (!this.isWasteful(workspaces)) return;
      const directories = workspaces.map(({ directory }) => directory);
      await sweepWindows({ ...this.parts, directories, olderThan: this.now() - DAY_MS }, signal);
    } catch (error) {
      if (isCancelled(error)) throw error;
      this.parts.logger.warn(`Old data was not cleared away: ${String(error)}`);
    }
  }

  private async boundContents(corpus: Corpus, signal: AbortSignal | undefined): Promise<void> {
    const { catalog } = this.parts;
    const used = new Set(corpus.hashes());
    if (catalog.contentCount() <= 2 * used.size + SPARE_CONTENTS) return;
    await dropSpareContents(catalog, used, signal);
  }

  /** Former versions kept one. */
  private async removeGraphOfFiles(): Promise<void> {
    const { catalog, dataDir, folder, logger } = this.parts;
    if (catalog.graphs.get('files') === undefined) return;
    await catalog.graphs.remove('files');
    await removeAllFiles(dataLayout(dataDir, folder).workspace, graphFiles('files'), logger);
  }

  private async writeNote(corpus: Corpus): Promise<void> {
    const { dataDir, folder } = this.parts;
    let windows = corpus.size;
    for (const hash of corpus.hashes()) windows += corpus.windowsOf(hash)?.landmarkCounts.length ?? 0;
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
    const { dataDir, logger } = this.parts;
    const kept: Workspace[] = [];
    for (const workspace of await workspacesIn(dataDir, signal)) {
      const isOld = this.now() - workspace.usedAt >= DAY_MS;
      if (!isOld || !(await isForsaken(workspace)) || !(await removeWorkspace(workspace, logger))) kept.push(workspace);
    }
    return kept;
  }

  private isWasteful(workspaces: readonly Workspace[]): boolean {
    let used = 0;
    for (const { note } of workspaces) used += note.windows ?? Infinity;
    return this.parts.windowStore.count() > 2 * used + SPARE_WINDOWS;
  }
}
