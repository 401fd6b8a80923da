import * as vscode from 'vscode';
import type { UnsavedText } from './model/unsavedTexts';
import { cellsText } from './model/unsavedTexts';

/** The texts of this window that are not saved, that of the active editor first. */
export function unsavedTexts(): UnsavedText[] {
  const active = vscode.window.activeTextEditor?.document;
  const documents = vscode.workspace.textDocuments.filter(({ isDirty, isClosed }) => isDirty && !isClosed);
  const texts = documents
    .filter(isSearchable)
    .sort((a, b) => Number(b === active) - Number(a === active))
    .map(document => ({ ...named(document.uri), text: document.getText() }));
  const notebooks = vscode.workspace.notebookDocuments
    .filter(notebook => notebook.isDirty && !notebook.isClosed && isSearchable(notebook))
    .map(notebook => ({
      ...named(notebook.uri),
      ...cellsText(notebook.getCells().map(cell => cell.document.getText())),
    }));
  return [...texts, ...notebooks];
}

/** Not what the editor itself keeps in a document: its search box, an output, a cell. */
function isSearchable({ uri }: { readonly uri: vscode.Uri }): boolean {
  return uri.scheme === 'file' || uri.scheme === 'untitled';
}

function named(uri: vscode.Uri): Pick<UnsavedText, 'uri' | 'file'> {
  return { uri: uri.toString(), file: uri.scheme === 'file' ? uri.fsPath : undefined };
}
