import type { FailedFile } from '../engine/types';
import type { FolderDraft, FolderStatus } from '../host/protocol';
import { Deferred } from '../util/async';
import type { LongRun, RootView } from './model/indexState';
import { deepestRoot } from './model/roots';
import type { UnsavedText } from './model/unsavedTexts';
import type { OpenRoot, WorkspaceRoot } from './openRoot';
import { draftsFor, freshStatus, OPENING, rootView, sameRoot } from './openRoot';

/**
 * The workspace's folders: which are wanted, and how each that was handed to the engine stands there. Asks the engine
 * nothing itself. Lists are copies: folders can come and go while one is gone through.
 */
export class OpenFolders {
  #wanted: readonly WorkspaceRoot[] = [];
  #open: OpenRoot[] = [];
  /** A status can come before the answer that tells whose it is. */
  readonly #lastStatus = new Map<string, FolderStatus>();

  get wanted(): readonly WorkspaceRoot[] {
    return this.#wanted;
  }

  want(roots: readonly WorkspaceRoot[]): void {
    this.#wanted = roots;
  }

  /** Everything that was handed to the engine, wanted or not. */
  get all(): readonly OpenRoot[] {
    return [...this.#open];
  }

  get unwanted(): readonly OpenRoot[] {
    return this.#open.filter(each => !this.#isWanted(each));
  }

  /** Those that have an index and are wanted. */
  get ready(): readonly OpenRoot[] {
    return this.#open.filter(each => each.state.kind === 'open' && this.#isWanted(each));
  }

  /** How each wanted folder stands, in the order of the workspace. */
  get views(): readonly RootView[] {
    return this.#wanted.map(root => rootView(root.name, this.find(root)));
  }

  add(root: WorkspaceRoot): OpenRoot {
    const each: OpenRoot = { root, state: OPENING, opened: new Deferred() };
    this.#open.push(each);
    return each;
  }

  forget(each: OpenRoot): void {
    this.#open = this.#open.filter(other => other !== each);
    if (each.folder !== undefined) this.#lastStatus.delete(each.folder);
    each.opened.resolve();
  }

  has(each: OpenRoot): boolean {
    return this.#open.includes(each);
  }

  /** The same folder with the same options. */
  find(root: WorkspaceRoot): OpenRoot | undefined {
    return this.#open.find(each => sameRoot(each.root, root));
  }

  /** @param path of the workspace folder. */
  at(path: string): OpenRoot | undefined {
    return this.#open.find(({ root }) => root.path === path);
  }

  /** @param folder the engine's name; two workspace folders can lead to one real folder. */
  isOpen(folder: string): boolean {
    return this.#open.some(each => each.folder === folder);
  }

  /** The engine's folders with the names of their workspace folders, as far as they are open. */
  get names(): ReadonlyMap<string, string> {
    const open = this.#open.filter(each => each.folder !== undefined && this.#isWanted(each));
    return new Map(open.map(each => [String(each.folder), each.root.name]));
  }

  /** The workspace's own path of an engine's folder, so that files open under the names that the editor uses. */
  workspacePath(folder: string): string {
    return this.#open.find(each => each.folder === folder)?.root.path ?? folder;
  }

  /** The folder that a file is in, and its path in there; undefined where it is in none that is wanted. */
  placeOf(file: string): { readonly open: OpenRoot | undefined; readonly path: string } | undefined {
    const roots = this.#wanted.map(root => root.path);
    const place = deepestRoot(file, roots);
    return place === undefined ? undefined : { open: this.at(place.root), path: place.path };
  }

  /** The part of a search's parameters that holds unsaved texts, where there are any. */
  drafts(folders: readonly string[], texts: readonly UnsavedText[]): { readonly drafts?: readonly FolderDraft[] } {
    return draftsFor(folders, this.#open, texts);
  }

  /** Files that could not be indexed when their folder was last looked at, by the folder's path in the workspace. */
  get failedFiles(): ReadonlyMap<string, readonly FailedFile[]> {
    return new Map(this.#open.map(({ root, failed = [] }) => [root.path, failed]));
  }

  /** Folders that wait for an answer of the user, by their path in the workspace. */
  get questions(): ReadonlyMap<string, LongRun | 'measuring'> {
    return new Map(this.#open.flatMap(({ root, question }) => (question ? [[root.path, question] as const] : [])));
  }

  takeStatus(status: FolderStatus): void {
    this.#lastStatus.set(status.folder, status);
    for (const each of this.#open) {
      if (each.folder === status.folder && each.state.kind === 'open') each.state = { kind: 'open', status };
    }
  }

  /** What the engine told last of a folder, else what holds until it does. */
  statusOf(folder: string): FolderStatus {
    return this.#lastStatus.get(folder) ?? freshStatus(folder);
  }

  #isWanted(each: OpenRoot): boolean {
    return this.#wanted.some(root => sameRoot(root, each.root));
  }
}
