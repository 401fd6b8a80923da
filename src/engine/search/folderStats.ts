import type { LoadedModel } from '../model/modelManifest';
import { cacheBytes } from '../store/cacheFile';
import type { Catalog } from '../store/catalog';
import { SNAPSHOT_FILES } from '../store/snapshotRecord';
import type { WindowStore } from '../store/windowStore';
import type { IndexStats } from '../types';
import { graphFiles } from '../vectors/graphFile';
import type { FolderIndex } from './folderIndex';
import { WINDOW_GRAPH } from './windowGraph';

export interface FolderStatsParts {
  /** Folder of the workspace's data. */
  readonly workspace: string;
  readonly catalog: Catalog;
  readonly index: FolderIndex;
  readonly windowStore: WindowStore;
  readonly model: LoadedModel;
}

/** Counts and sizes of one folder's index. Of the window store, which all folders share, the folder's part. */
export async function folderStats({
  workspace,
  catalog,
  index,
  windowStore,
  model,
}: FolderStatsParts): Promise<IndexStats> {
  const { corpus, vectors } = index;
  let source = 0;
  let queue = 0;
  for (const { size, content } of corpus.documents()) {
    source += size;
    const known = vectors.get(content);
    if (known === undefined || known.knownWindows < known.windows) queue++;
  }
  return {
    files: corpus.size,
    windows: vectors.windowCount,
    landmarks: vectors.landmarkCount,
    bytes: {
      source,
      windows: await shareOfWindows(windowStore, vectors.knownWindowCount + corpus.size),
      catalog: await catalog.sizeOnDisk(),
      windowGraph: await cacheBytes(workspace, graphFiles(WINDOW_GRAPH)),
      snapshot: await cacheBytes(workspace, SNAPSHOT_FILES),
    },
    model: { id: model.manifest.id, fingerprint: model.fingerprint },
    complete: index.completeness(),
    queue,
  };
}

/** The folder's part of the window store, by its number of records (windows and paths): records are of about one size. */
async function shareOfWindows(windowStore: WindowStore, records: number): Promise<number> {
  const share = Math.min(1, records / Math.max(1, windowStore.count()));
  return Math.round(share * (await windowStore.sizeOnDisk()));
}
