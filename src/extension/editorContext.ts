import * as vscode from 'vscode';
import { fileFolders } from './fileFolders';
import type { RootedPath } from './model/roots';
import { deepestRoot } from './model/roots';
import type { ScopeContext } from './model/searchScope';
import { selectionQuery } from './model/selectionQuery';

/** The file of the active editor, also of one that holds no text, as a notebook or an image. */
export function activeFile(): vscode.Uri | undefined {
  return fileOfTab(vscode.window.tabGroups.activeTabGroup.activeTab) ?? vscode.window.activeTextEditor?.document.uri;
}

/** What a search can be narrowed to now. */
export function scopeContext(): ScopeContext {
  const roots = fileFolders().map(({ uri }) => uri.fsPath);
  const rooted = (uri: vscode.Uri | undefined): RootedPath | undefined =>
    uri?.scheme === 'file' ? deepestRoot(uri.fsPath, roots) : undefined;
  const tabs = vscode.window.tabGroups.all.flatMap(({ tabs: ofGroup }) => ofGroup);
  const openFiles = new Map(
    tabs.flatMap(tab => rooted(fileOfTab(tab)) ?? []).map(file => [JSON.stringify(file), file]),
  );
  const file = rooted(activeFile());
  return { openFiles: [...openFiles.values()], ...(file === undefined ? {} : { file }) };
}

/** The text selected in the active editor, as a question; empty without one. */
export function selectedQuestion(): string {
  const editor = vscode.window.activeTextEditor;
  return editor === undefined || editor.selection.isEmpty
    ? ''
    : selectionQuery(editor.document.getText(editor.selection));
}

function fileOfTab(tab: vscode.Tab | undefined): vscode.Uri | undefined {
  const input = tab?.input;
  if (input instanceof vscode.TabInputTextDiff) return input.modified;
  return input instanceof vscode.TabInputText ||
    input instanceof vscode.TabInputNotebook ||
    input instanceof vscode.TabInputCustom
    ? input.uri
    : undefined;
}
