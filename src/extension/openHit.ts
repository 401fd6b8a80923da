import { readFile } from 'node:fs/promises';
import * as vscode from 'vscode';
import type { Place } from '../engine/types';
import type { AnchoredPlace, LiveLines } from './model/anchor';
import { anchorPlace } from './model/anchor';

/** A file, and where to look in it. */
export interface FileTarget {
  readonly uri: vscode.Uri;
  readonly place?: Place;
}

export interface OpenOptions {
  readonly viewColumn: vscode.ViewColumn;
  readonly preview: boolean;
}

/**
 * Opens a file and puts the cursor on the place, found again by its text in what the editor holds now.
 * @throws what the editor throws for a file that is gone or is no text.
 */
export async function openTarget(target: FileTarget, options: OpenOptions): Promise<void> {
  if (await showNotebookCell(target, { ...options, preserveFocus: false })) return;
  const document = await vscode.workspace.openTextDocument(target.uri);
  const place = await locate(document, target.place);
  if (place === undefined) {
    await vscode.window.showTextDocument(document, options);
    return;
  }
  const character = document.lineAt(place.line - 1).firstNonWhitespaceCharacterIndex;
  const cursor = new vscode.Position(place.line - 1, character);
  const editor = await vscode.window.showTextDocument(document, {
    ...options,
    selection: new vscode.Range(cursor, cursor),
  });
  editor.revealRange(rangeOf(place), vscode.TextEditorRevealType.InCenterIfOutsideViewport);
}

/** Shows a notebook at a cell. @returns false when the target is none. */
export async function showNotebookCell(
  { uri, place }: FileTarget,
  options: OpenOptions & { readonly preserveFocus: boolean },
): Promise<boolean> {
  if (place?.cell === undefined) return false;
  const notebook = await vscode.workspace.openNotebookDocument(uri);
  const cell = Math.min(place.cell, Math.max(0, notebook.cellCount - 1));
  const cells = new vscode.NotebookRange(cell, cell + 1);
  const editor = await vscode.window.showNotebookDocument(notebook, { ...options, selections: [cells] });
  editor.revealRange(cells, vscode.NotebookEditorRevealType.InCenterIfOutsideViewport);
  if (notebook.cellCount > 0 && !options.preserveFocus) await goToLineOfCell(notebook.cellAt(cell), place, options);
  return true;
}

/** The cell is a document of its own; the editor shows it inside its notebook. */
async function goToLineOfCell({ document }: vscode.NotebookCell, place: Place, options: OpenOptions): Promise<void> {
  const { line } = anchorPlace(place, liveLines(document));
  const character = document.lineAt(line - 1).firstNonWhitespaceCharacterIndex;
  const selection = new vscode.Range(line - 1, character, line - 1, character);
  await vscode.commands.executeCommand('vscode.open', document.uri, { ...options, selection });
}

/** Where the place is in the document as it is now; undefined when the target names only the file. */
export async function locate(
  document: vscode.TextDocument,
  place: Place | undefined,
): Promise<AnchoredPlace | undefined> {
  if (place === undefined) return undefined;
  const saved =
    place.live !== true && document.isDirty && document.uri.scheme === 'file'
      ? await savedLines(document.uri)
      : undefined;
  return anchorPlace(place, liveLines(document), saved);
}

/** The whole lines of a place. */
export function rangeOf(place: AnchoredPlace): vscode.Range {
  return new vscode.Range(place.startLine - 1, 0, place.endLine - 1, Number.MAX_SAFE_INTEGER);
}

/** What is on disk, which is what was indexed. Without it the place is found by its text alone. */
async function savedLines(uri: vscode.Uri): Promise<string[] | undefined> {
  try {
    return (await readFile(uri.fsPath, 'utf8')).split(/\r\n|\r|\n/);
  } catch {
    return undefined;
  }
}

function liveLines(document: vscode.TextDocument): LiveLines {
  return { count: document.lineCount, lineAt: index => document.lineAt(index).text };
}
