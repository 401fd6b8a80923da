import * as vscode from 'vscode';
import type { Disposable } from '../util/lifecycle';
import { DisposableStore } from '../util/lifecycle';
import { COMMANDS, CONTEXT_KEYS, EXTENSION_NAME, STATUS_ITEM_ID } from './ids';
import type { IndexController } from './indexController';
import { ProgressTracker } from './model/indexProgress';
import type { IndexState } from './model/indexState';
import { openStatuses } from './model/indexState';
import { statusView } from './model/statusView';

/** Keeps an item in the status bar, and the context key of the palette, equal to the index's state. */
export function createStatusItem(controller: IndexController): Disposable {
  const store = new DisposableStore();
  const item = store.add(vscode.window.createStatusBarItem(STATUS_ITEM_ID, vscode.StatusBarAlignment.Right, 50));
  item.name = EXTENSION_NAME;
  item.command = COMMANDS.showStatus;
  const tracker = new ProgressTracker();
  let paused: boolean | undefined;

  const render = (state: IndexState): void => {
    if (state.paused !== paused) {
      paused = state.paused;
      void vscode.commands.executeCommand('setContext', CONTEXT_KEYS.paused, paused);
    }
    const view = statusView(state, tracker.update(openStatuses(state)));
    if (view === undefined) {
      item.hide();
      return;
    }
    item.text = view.text;
    item.tooltip = view.tooltip;
    item.backgroundColor = backgroundOf(view.severity);
    item.accessibilityInformation = { label: `${view.text.replace(/\$\([^)]*\)\s*/g, '')}. ${view.tooltip}` };
    item.show();
  };
  store.add(controller.onDidChange(render));
  render(controller.state);
  return store;
}

function backgroundOf(severity: 'none' | 'warning' | 'error'): vscode.ThemeColor | undefined {
  return severity === 'none' ? undefined : new vscode.ThemeColor(`statusBarItem.${severity}Background`);
}
