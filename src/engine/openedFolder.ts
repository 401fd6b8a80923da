import { stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isDamage, LandmarkError, systemCode } from '../util/errors';
import type { EngineRuntime } from './engineRuntime';
import type { FolderOptions } from './folderEngine';
import { optionsOfReader, rememberOptions } from './indexedOptions';
import { ContentBuilder } from './indexing/contentBuilder';
import { FolderWriter } from './indexing/folderWriter';
import type { Vocabulary } from './lexical/vocabulary';
import { embedQuery } from './model/queryEmbedding';
import { FolderIndex } from './search/folderIndex';
import { PartScorer } from './search/partScorer';
import { Searcher } from './search/searcher';
import { Catalog } from './store/catalog';
import { createFolder } from './store/createFolder';
import { dataLayout } from './store/dataFolder';
import type { StoreAccess } from './store/indexStore';
import { storeError } from './store/storeErrors';
import { DATA_FILE } from './store/storeFolder';

/**
 * What this process is to a folder's index. `owner`: it writes the index, the only one among all processes.
 * `follower`: it would write but another owns the index; it hands changes over. `reader`: it only looks.
 */
export type FolderRole = 'owner' | 'follower' | 'reader';

/** What is open of a folder. Replaced as a whole when the role changes or a damaged catalogue is built again. */
export interface OpenedFolder {
  readonly role: FolderRole;
  /** Those of a reader are completed by what the index was made with. */
  readonly options: FolderOptions;
  readonly catalog: Catalog;
  readonly index: FolderIndex;
  readonly searcher: Searcher;
  /** Of the owner only. */
  readonly writer: FolderWriter | undefined;
  /** False when the catalogue's file, or what its numbers stand for, is not what was opened any more. */
  isCurrent(): Promise<boolean>;
}

const ACCESS: Readonly<Record<FolderRole, StoreAccess>> = { owner: 'write', follower: 'share', reader: 'read' };

/**
 * Opens a folder's stores and loads the index. The owner puts a damaged catalogue aside and starts with an empty one.
 * @param folder real path.
 * @param useSnapshot false after a snapshot has proved damaged: everything is read from the catalogue.
 * @throws LandmarkError `not-indexed` when there is nothing to read; `store-damaged` (never for the owner);
 *   `no-permission`, `disk-full`, `model-invalid`.
 */
export async function openFolder(
  folder: string,
  role: FolderRole,
  options: FolderOptions,
  runtime: EngineRuntime,
  onChange: () => void,
  useSnapshot = true,
): Promise<OpenedFolder> {
  const { workspace } = dataLayout(runtime.dataDir, folder);
  const parts = { folder, role, options, runtime, onChange, useSnapshot };
  try {
    return await openOnce(parts);
  } catch (error) {
    if (role !== 'owner' || !isDamage(error)) {
      throw systemCode(error) === undefined ? error : storeError(workspace, error);
    }
    runtime.logger.warn(`The index of ${folder} is damaged and is built again: ${error.message}`);
    await Catalog.quarantine(workspace, runtime.logger);
    return openOnce(parts);
  }
}

export async function closeFolder({ writer, index, catalog }: OpenedFolder): Promise<void> {
  await writer?.close();
  await index.close();
  await catalog.close();
}

interface OpeningParts {
  readonly folder: string;
  readonly role: FolderRole;
  readonly options: FolderOptions;
  readonly runtime: EngineRuntime;
  readonly onChange: () => void;
  readonly useSnapshot: boolean;
}

async function openOnce(parts: OpeningParts): Promise<OpenedFolder> {
  const { folder, role, runtime } = parts;
  const { workspace } = dataLayout(runtime.dataDir, folder);
  const { fingerprint } = await runtime.model();
  const access = ACCESS[role];
  const catalog = await Catalog.open(workspace, { access, fingerprint, folder, logger: runtime.logger });
  try {
    return await load(catalog, parts);
  } catch (error) {
    await catalog.close();
    throw error;
  }
}

async function load(catalog: Catalog, parts: OpeningParts): Promise<OpenedFolder> {
  const { folder, role, runtime, onChange, useSnapshot } = parts;
  const options = role === 'reader' ? optionsOfReader(catalog, parts.options) : parts.options;
  const { workspace, folderFile } = dataLayout(runtime.dataDir, folder);
  const { vocabulary } = catalog;
  const identity = await identityOf(workspace);
  const isCurrent = async (): Promise<boolean> =>
    catalog.vocabulary === vocabulary && (await identityOf(workspace)) === identity;
  const model = await runtime.model();
  const builder = new ContentBuilder(model, await runtime.tokenizer(), vocabulary);
  const windowStore = await runtime.windowStore(role === 'reader' ? 'read' : 'write');
  const index = await FolderIndex.load({
    directory: workspace,
    catalog,
    windowStore,
    model,
    pathWindow: path => builder.pathWindow(path),
    logger: runtime.logger,
    useSnapshot,
    mayWrite: role === 'owner',
    tuning: runtime.snapshots,
  });
  const searcher = searcherOf(index, vocabulary, { ...parts, options });
  if (role !== 'owner') return { role, options, catalog, index, searcher, writer: undefined, isCurrent };
  await createFolder(workspace);
  await writeFile(folderFile, JSON.stringify({ folder }));
  await rememberOptions(catalog, options);
  const written = { catalog, windowStore, model, builder, index };
  const writer = new FolderWriter({ folder, options, runtime, onChange, ...written });
  return { role, options, catalog, index, searcher, writer, isCurrent };
}

function searcherOf(index: FolderIndex, vocabulary: Vocabulary, { folder, options, runtime }: OpeningParts): Searcher {
  const { corpus, vectors } = index;
  return new Searcher({
    folder,
    maxFileSize: options.maxFileSize,
    corpus,
    vectors,
    vocabulary: () => vocabulary,
    scorer: new PartScorer({
      corpus,
      vectors,
      history: () => index.history,
      windowGraph: () => index.windows.graph,
      contentsOfWindow: key => index.windows.contentsOf(key),
    }),
    queryVector: (query, signal) => queryVector(query, runtime, signal),
  });
}

/** Names the catalogue's file as long as it is that one and not another under its name. */
async function identityOf(workspace: string): Promise<string> {
  const found = await stat(join(workspace, DATA_FILE), { bigint: true }).catch(() => undefined);
  return found === undefined ? '' : `${found.dev}:${found.ino}`;
}

async function queryVector(
  query: string,
  runtime: EngineRuntime,
  signal?: AbortSignal,
): Promise<Float32Array | undefined> {
  try {
    const model = await runtime.model();
    const tokenizer = await runtime.tokenizer();
    return await embedQuery(await runtime.queryEmbedder(), tokenizer, model.manifest, query, signal);
  } catch (error) {
    if (error instanceof LandmarkError && error.reason === 'runtime-unavailable') return undefined;
    throw error;
  }
}
