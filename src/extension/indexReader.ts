import type { ExplainResponse, FailedFile, IndexStats, SearchRequest, SimilarResponse } from '../engine/types';
import { raceAbort } from '../util/cancellation';
import { throwIfAborted } from '../util/errors';
import type { Engine } from './controllerParts';
import { WordedError } from './model/errorText';
import type { IndexState } from './model/indexState';
import { t } from './model/l10n';
import type { FolderAnswer } from './model/resultRows';
import type { IndexDetails } from './model/statusHover';
import type { UnsavedText } from './model/unsavedTexts';
import { whyUnsearchable } from './model/unsearchable';
import type { OpenFolders } from './openFolders';

export interface IndexReaderParts {
  readonly folders: OpenFolders;
  /** @throws LandmarkError when there is no engine. */
  readonly running: () => Engine;
  readonly state: () => IndexState;
  /** Resolves when the folders that are being opened or closed are; undefined when there are none. */
  readonly settling: () => Promise<void> | undefined;
  /** What the editor holds and has not saved. */
  readonly unsavedTexts?: () => readonly UnsavedText[];
}

/** Asks the index. Waits for folders that are being opened, and says why nothing can be asked; changes nothing. */
export class IndexReader {
  constructor(private readonly parts: IndexReaderParts) {}

  /** The engine's folders with the names of their workspace folders, as far as they are open. */
  get folderNames(): ReadonlyMap<string, string> {
    return this.parts.folders.names;
  }

  /** The workspace's own path of an engine's folder, so that files open under the names that the editor uses. */
  workspacePath(folder: string): string {
    return this.parts.folders.workspacePath(folder);
  }

  /** Files that could not be indexed when their folder was last looked at, by the folder's path in the workspace. */
  get failedFiles(): ReadonlyMap<string, readonly FailedFile[]> {
    return this.parts.folders.failedFiles;
  }

  /** Searches every folder that is open, or only the one; waits for the first one while they are being opened. */
  async search(request: SearchRequest, signal: AbortSignal, only?: string): Promise<FolderAnswer[]> {
    const { folders: all, running, unsavedTexts } = this.parts;
    const open = await this.#searchableFolders(signal);
    const folders = open.filter(folder => only === undefined || all.workspacePath(folder) === only);
    if (folders.length === 0) return [];
    const drafts = all.drafts(folders, unsavedTexts?.() ?? []);
    const { responses } = await running().request('search', { folders, request, ...drafts }, { signal });
    // A folder may have been taken away while it was searched.
    return responses.filter(({ folder }) => all.names.has(folder));
  }

  /** @param file absolute path. */
  async similar(file: string, limit: number, signal: AbortSignal): Promise<SimilarResponse & { folder: string }> {
    const { folder, path } = await this.#placeOf(file, signal);
    return { folder, ...(await this.parts.running().request('similar', { folder, file: path, limit }, { signal })) };
  }

  /** @param file absolute path. */
  async explain(file: string, signal: AbortSignal): Promise<ExplainResponse & { folder: string }> {
    const { folder, path } = await this.#placeOf(file, signal);
    return { folder, ...(await this.parts.running().request('explain', { folder, file: path }, { signal })) };
  }

  /** Counts and sizes of the folders that are open. */
  async details(): Promise<IndexDetails[]> {
    return Promise.all(
      this.parts.folders.ready.map(async ({ root: { name }, folder = '', updated }) => {
        const stats = await this.parts.running().request('stats', { folder });
        return { name, stats, ...(updated === undefined ? {} : { updated }) };
      }),
    );
  }

  /** @param path of a workspace folder that is open. */
  statsOf(path: string): Promise<IndexStats> {
    return this.parts.running().request('stats', { folder: this.parts.folders.at(path)?.folder ?? path });
  }

  /** For what no state depends on. @throws WordedError where no engine runs. */
  readonly request: Engine['request'] = (kind, params, options) => this.parts.running().request(kind, params, options);

  /** Where an absolute path is in the engine's folders, once its folder is open. */
  async #placeOf(file: string, signal: AbortSignal): Promise<{ folder: string; path: string }> {
    const place = this.parts.folders.placeOf(file);
    if (place === undefined) {
      throw new WordedError('invalid-argument', t('{0} is in none of the open folders: open its folder first.', file));
    }
    const { open, path } = place;
    await raceAbort(Promise.resolve(open?.opened.promise), signal);
    if (open?.folder === undefined) throw whyUnsearchable(this.parts.state());
    return { folder: open.folder, path };
  }

  async #searchableFolders(signal: AbortSignal): Promise<string[]> {
    for (;;) {
      throwIfAborted(signal);
      const pending = this.parts.folders.all.filter(each => each.state.kind === 'opening');
      const folders = [...new Set(this.parts.folders.ready.flatMap(({ folder = [] }) => folder))];
      if (folders.length > 0) return folders;
      const settling = this.parts.settling();
      if (pending.length > 0) await raceAbort(Promise.race(pending.map(each => each.opened.promise)), signal);
      else if (settling !== undefined) await raceAbort(settling, signal);
      else throw whyUnsearchable(this.parts.state());
    }
  }
}
