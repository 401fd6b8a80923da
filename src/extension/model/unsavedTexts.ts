import type { FolderDraft } from '../../host/protocol';
import { deepestRoot } from './roots';

/** The text of one editor that differs from what is on disk. */
export interface UnsavedText {
  readonly uri: string;
  /** Absolute path; undefined for a text that was never saved. */
  readonly file: string | undefined;
  readonly text: string;
  /** Of a notebook: the first line of each cell in `text`, 1-based. */
  readonly cellStartLines?: readonly number[];
}

/** A workspace folder that can be searched. */
export interface SearchedRoot {
  readonly path: string;
  /** The engine's name for it. */
  readonly folder: string;
}

/** Texts that go along with a question; people have few, programs may open many. */
const MOST_TEXTS = 20;
/** Longest text and all texts together, in characters: reading them again must not be felt while typing. */
const LONGEST_TEXT = 500_000;
const MOST_CHARACTERS = 2_000_000;

/** What a text that was never saved is called in answers: its URI, which is no path of any file. */
const UNTITLED = 'untitled:';

/** True for what stands for an unsaved text in an answer and has no file. */
export function isUntitled(path: string): boolean {
  return path.startsWith(UNTITLED);
}

/**
 * The texts to send along with a question, each to the folder that holds its file, a new one to the first folder. Of
 * too many or too long ones the saved files answer.
 */
export function folderDrafts(texts: readonly UnsavedText[], roots: readonly SearchedRoot[]): FolderDraft[] {
  const paths = roots.map(({ path }) => path);
  const drafts: FolderDraft[] = [];
  let characters = 0;
  for (const { uri, file, text, cellStartLines } of texts) {
    if (drafts.length >= MOST_TEXTS) break;
    if (text.length > LONGEST_TEXT || characters + text.length > MOST_CHARACTERS) continue;
    const place = file === undefined ? undefined : deepestRoot(file, paths);
    const folder = file === undefined ? roots[0]?.folder : roots.find(({ path }) => path === place?.root)?.folder;
    const isNew = file === undefined && isUntitled(uri);
    if (folder === undefined || (!isNew && place === undefined)) continue;
    characters += text.length;
    const cells = cellStartLines === undefined ? {} : { cellStartLines };
    drafts.push({ folder, id: uri, path: place?.path ?? uri, isNew, text, ...cells });
  }
  return drafts;
}

/** The text of a notebook's cells, a line end between two, as the index reads a saved one. */
export function cellsText(cells: readonly string[]): {
  readonly text: string;
  readonly cellStartLines: readonly number[];
} {
  const cellStartLines: number[] = [];
  const sources = cells.map(cell => cell.replace(/\r\n?/g, '\n'));
  let line = 1;
  for (const source of sources) {
    cellStartLines.push(line);
    line += source.split('\n').length;
  }
  return { text: sources.join('\n'), cellStartLines };
}
