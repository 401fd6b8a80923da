import { basename, join } from 'node:path';
import * as vscode from 'vscode';
import { COMMANDS } from './ids';
import type { IndexController } from './indexController';
import { failureText } from './model/failureText';
import { ProgressTracker } from './model/indexProgress';
import { openStatuses } from './model/indexState';
import { t } from './model/l10n';
import type { StatusActionId } from './model/statusActions';
import { statusActions } from './model/statusActions';
import { firstSentences, statusView } from './model/statusView';

/** Shows what the index is doing, why, and what can be done about it. */
export async function showStatusMenu(controller: IndexController): Promise<void> {
  const { state } = controller;
  const { kind, text, reason, cost } = statusView(state, new ProgressTracker().update(openStatuses(state)));
  const items = statusActions(kind).map(({ id, icon, label, detail }) => ({
    id,
    label: `$(${icon}) ${label}`,
    detail: id === 'resume' ? (cost ?? detail) : detail,
  }));
  const title = text.replace(/\$\([^)]*\)\s*/g, '');
  const picked = await vscode.window.showQuickPick(items, { title, placeHolder: firstSentences(reason) });
  if (picked !== undefined) await act(picked.id, controller);
}

async function act(id: StatusActionId, controller: IndexController): Promise<void> {
  switch (id) {
    case 'restart':
      return controller.restart();
    case 'openFolder':
      await vscode.commands.executeCommand('workbench.action.files.openFolder');
      return;
    case 'settings':
      await vscode.commands.executeCommand('workbench.action.openSettings', '@ext:landmark.landmark-code-search');
      return;
    default:
      await vscode.commands.executeCommand(COMMAND_OF[id]);
  }
}

const COMMAND_OF = {
  search: COMMANDS.search,
  pause: COMMANDS.pauseIndexing,
  resume: COMMANDS.resumeIndexing,
  rebuild: COMMANDS.rebuildIndex,
  failures: COMMANDS.showFailures,
  clear: COMMANDS.clearIndex,
  log: COMMANDS.showLog,
  diagnostics: COMMANDS.copyDiagnostics,
} as const;

/** Lists the files that could not be indexed with their reasons; choosing one explains it. */
export async function showFailures(controller: IndexController): Promise<void> {
  const items = [...controller.reader.failedFiles].flatMap(([folder, files]) =>
    files.map(file => ({
      label: `$(error) ${basename(file.path)}`,
      description: file.path,
      detail: failureText(file),
      uri: vscode.Uri.file(join(folder, file.path)),
    })),
  );
  if (items.length === 0) {
    void vscode.window.showInformationMessage(t('Landmark: no file has failed.'));
    return;
  }
  const picked = await vscode.window.showQuickPick(items, {
    title: t('Files that could not be indexed'),
    placeHolder: t('Choose one to see what can be done'),
    matchOnDescription: true,
    matchOnDetail: true,
  });
  if (picked !== undefined) await vscode.commands.executeCommand(COMMANDS.explainFile, picked.uri);
}
