import { basename } from 'node:path';
import * as vscode from 'vscode';
import { isCancelled, messageOf } from '../util/errors';
import { NewestRuns } from './abort';
import type { IndexController } from './indexController';
import { plain, similarRows } from './model/resultRows';
import type { ResultPickParts } from './resultPick';
import { ResultPick } from './resultPick';

/** Files in the list. */
const LIMIT = 20;

/** Lists the files that are like one file: the given one, else that of the active editor. */
export async function showSimilarFiles(
  controller: IndexController,
  parts: ResultPickParts,
  argument: unknown,
): Promise<void> {
  const uri = argument instanceof vscode.Uri ? argument : activeFile();
  if (uri?.scheme !== 'file') {
    void vscode.window.showInformationMessage('Open a file from disk first, then ask for files like it.');
    return;
  }
  const name = basename(uri.fsPath);
  const pick = await ResultPick.open(parts, {
    title: `Files like ${name}`,
    placeholder: 'Type to narrow the list by name',
    filter: true,
    // From the Explorer one goes on there.
    keepFocus: argument instanceof vscode.Uri,
  });
  const { signal } = pick.own(new NewestRuns()).start();
  pick.setBusy(true);
  try {
    const { folder, results } = await controller.similar(uri.fsPath, LIMIT, signal);
    pick.setRows(similarRows(folder, results, controller.folderNames), false);
  } catch (error) {
    if (isCancelled(error)) return;
    parts.logger.warn(`Finding files like ${uri.fsPath} failed: ${messageOf(error)}`);
    pick.setRows([{ kind: 'note', label: `$(warning) ${plain(messageOf(error))}`, detail: '' }], false);
  }
  pick.setBusy(false);
}

/** Also of an editor that holds no text, as a notebook or an image. */
function activeFile(): vscode.Uri | undefined {
  const input = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
  if (input instanceof vscode.TabInputNotebook || input instanceof vscode.TabInputCustom) return input.uri;
  return vscode.window.activeTextEditor?.document.uri;
}
