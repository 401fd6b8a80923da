import * as vscode from 'vscode';
import { isCancelled, messageOf } from '../util/errors';
import type { Disposable } from '../util/lifecycle';
import { DisposableStore } from '../util/lifecycle';
import type { Logger } from '../util/logger';
import { COMMANDS } from './ids';
import type { IndexController } from './indexController';
import type { ResultPickParts } from './resultPick';
import { ResultPick } from './resultPick';
import { showSearch } from './searchQuickPick';
import { showSimilarFiles } from './similarFiles';
import { showStatusMenu } from './statusMenu';

export interface CommandParts {
  readonly controller: IndexController;
  readonly pickParts: ResultPickParts;
  readonly log: vscode.LogOutputChannel;
  readonly logger: Logger;
}

type Command = (argument: unknown) => Promise<void> | void;

/** Every command of the extension, in one table; what one throws is shown as its sentence. */
export function registerCommands(parts: CommandParts): Disposable {
  const { controller, pickParts, log, logger } = parts;
  const table: Readonly<Record<keyof typeof COMMANDS, Command>> = {
    search: argument => showSearch(controller, pickParts, argument),
    findSimilar: argument => showSimilarFiles(controller, pickParts, argument),
    rebuildIndex: () => controller.rebuild(),
    clearIndex: () => clearAfterAsking(controller),
    pauseIndexing: () => controller.setPaused(true),
    resumeIndexing: () => controller.setPaused(false),
    showStatus: () => showStatusMenu(controller, log),
    openToSide: () => ResultPick.current?.openActiveToSide(),
  };
  const store = new DisposableStore();
  for (const name of Object.keys(table) as (keyof typeof COMMANDS)[]) {
    const run = async (argument: unknown): Promise<void> => {
      try {
        await table[name](argument);
      } catch (error) {
        if (isCancelled(error)) return;
        logger.error(`The command ${COMMANDS[name]} failed.`, error);
        void vscode.window.showErrorMessage(`Landmark: ${messageOf(error)}`);
      }
    };
    store.add(vscode.commands.registerCommand(COMMANDS[name], run));
  }
  return store;
}

async function clearAfterAsking(controller: IndexController): Promise<void> {
  const names = controller.state.roots.map(({ name }) => name).join(', ');
  if (names === '') {
    void vscode.window.showInformationMessage('Landmark: no folder is open, so there is no index to clear.');
    return;
  }
  const yes = 'Clear Index';
  const detail = 'Searching finds nothing until the index is rebuilt. Your files are not touched.';
  const answer = await vscode.window.showWarningMessage(`Clear the index of ${names}?`, { modal: true, detail }, yes);
  if (answer === yes) await controller.clear();
}
