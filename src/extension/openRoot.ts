import type { FolderOptions } from '../engine/folderEngine';
import type { FailedFile } from '../engine/types';
import type { FolderDraft, FolderStatus } from '../host/protocol';
import type { Deferred } from '../util/async';
import { isBelowAny } from '../util/paths';
import type { UnsavedText } from './model/unsavedTexts';
import { folderDrafts } from './model/unsavedTexts';
import type { LongRun, RootState, RootView } from './model/indexState';

/** One workspace folder as it should be indexed. */
export interface WorkspaceRoot {
  /** As the editor names it: may lead through symbolic links. */
  readonly path: string;
  readonly name: string;
  readonly options: FolderOptions;
}

/** A workspace folder that is open in the engine, or being opened. */
export interface OpenRoot {
  readonly root: WorkspaceRoot;
  state: RootState;
  /** The engine's name for the folder, once it is open. */
  folder?: string;
  /** Nothing is embedded: its size is being found out, or the user is asked. */
  question?: LongRun | 'measuring';
  /** When the index was last brought up to date. */
  updated?: Date;
  /** Files that could not be indexed when they were last looked at. */
  failed?: readonly FailedFile[];
  /** Settled when the folder can be searched, or cannot for now. */
  readonly opened: Deferred<void>;
}

export const OPENING: RootState = { kind: 'opening' };

export function sameRoot(a: WorkspaceRoot, b: WorkspaceRoot): boolean {
  return a.path === b.path && JSON.stringify(a.options) === JSON.stringify(b.options);
}

export function rootView(name: string, open: OpenRoot | undefined): RootView {
  const question = open?.question;
  return { name, state: open?.state ?? OPENING, ...(question === undefined ? {} : { question }) };
}

/** Until the engine tells. */
export function freshStatus(folder: string): FolderStatus {
  return {
    folder,
    state: 'indexing',
    done: 0,
    total: 0,
    complete: 0,
    files: 0,
    problems: 0,
    reason: '',
    vectors: true,
  };
}

/** @param paths relative ones that were looked at, files or folders; `all` = the whole folder. */
export function failedAfter(
  before: readonly FailedFile[] = [],
  paths: readonly string[] | 'all',
  failed: readonly FailedFile[],
): readonly FailedFile[] {
  if (paths === 'all') return failed;
  return [...before.filter(({ path }) => !isBelowAny(path, paths)), ...failed];
}

/** The part of a search's parameters that holds unsaved texts, where there are any. */
export function draftsFor(
  folders: readonly string[],
  open: readonly OpenRoot[],
  texts: readonly UnsavedText[],
): { readonly drafts?: readonly FolderDraft[] } {
  if (texts.length === 0) return {};
  const searched = open.flatMap(({ root: { path }, folder }) =>
    folder !== undefined && folders.includes(folder) ? [{ path, folder }] : [],
  );
  const drafts = folderDrafts(texts, searched);
  return drafts.length === 0 ? {} : { drafts };
}
