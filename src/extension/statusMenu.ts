import * as vscode from 'vscode';
import { COMMANDS, EXTENSION_NAME } from './ids';
import type { IndexController } from './indexController';
import { ProgressTracker } from './model/indexProgress';
import { openStatuses } from './model/indexState';
import type { StatusAction, StatusActionId } from './model/statusActions';
import { statusActions } from './model/statusActions';
import { statusView } from './model/statusView';

/** Shows what the index is doing, why, and what can be done about it. */
export async function showStatusMenu(controller: IndexController, log: vscode.LogOutputChannel): Promise<void> {
  const { state } = controller;
  const view = statusView(state, new ProgressTracker().update(openStatuses(state)));
  const items: (vscode.QuickPickItem & Partial<Pick<StatusAction, 'id'>>)[] = statusActions(state);
  const picked = await vscode.window.showQuickPick(items, {
    title: view === undefined ? `${EXTENSION_NAME}: open a folder first` : plainTitle(view.text),
    placeHolder: view?.tooltip.replace(/ Click .*$/, '') ?? '',
    ignoreFocusOut: false,
  });
  if (picked?.id !== undefined) await act(picked.id, controller, log);
}

async function act(id: StatusActionId, controller: IndexController, log: vscode.LogOutputChannel): Promise<void> {
  switch (id) {
    case 'pause':
      return controller.setPaused(true);
    case 'resume':
      return controller.setPaused(false);
    case 'restart':
      return controller.restart();
    case 'rebuild':
      await vscode.commands.executeCommand(COMMANDS.rebuildIndex);
      return;
    case 'clear':
      await vscode.commands.executeCommand(COMMANDS.clearIndex);
      return;
    case 'log':
      return log.show();
    case 'settings':
      await vscode.commands.executeCommand('workbench.action.openSettings', '@ext:landmark.landmark-code-search');
  }
}

function plainTitle(text: string): string {
  return text.replace(/\$\([^)]*\)\s*/g, '');
}
