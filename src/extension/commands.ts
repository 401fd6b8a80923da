import * as vscode from 'vscode';
import { isCancelled } from '../util/errors';
import type { Disposable } from '../util/lifecycle';
import { DisposableStore } from '../util/lifecycle';
import type { Logger } from '../util/logger';
import type { BackgroundWork } from './backgroundWork';
import type { Manifest } from './copyDiagnostics';
import { copyDiagnostics } from './copyDiagnostics';
import type { ExplainParts } from './explainFile';
import { explainFile } from './explainFile';
import { COMMANDS } from './ids';
import type { IndexController } from './indexController';
import { errorText } from './model/errorText';
import { t } from './model/l10n';
import type { Problem } from './model/recentProblems';
import { PastReports } from './pastReport';
import type { QueryHistory } from './queryHistory';
import { ResultPick } from './resultPick';
import type { ResultsView } from './resultsView';
import type { SearchParts } from './searchQuickPick';
import { showSearch } from './searchQuickPick';
import { showSimilarFiles } from './similarFiles';
import { showFailures, showStatusMenu } from './statusMenu';

export interface CommandParts {
  readonly controller: IndexController;
  readonly pickParts: SearchParts;
  readonly history: QueryHistory;
  readonly results: ResultsView;
  readonly background: BackgroundWork;
  readonly lookAgain: ExplainParts['lookAgain'];
  readonly report: { readonly manifest: Manifest; readonly problems: readonly Problem[] };
  readonly log: vscode.LogOutputChannel;
  readonly logger: Logger;
}

/** Menus of the results view hand over the row, and all rows that are selected. */
type Command = (argument: unknown, more?: unknown) => Promise<void> | void;

/** Every command of the extension, in one table; what one throws is shown as its sentence. */
export function registerCommands(parts: CommandParts): Disposable {
  const { controller, pickParts, history, results, background, lookAgain, report, log, logger } = parts;
  const showLog = (): void => log.show();
  const store = new DisposableStore();
  const pastReports = store.add(new PastReports(controller));
  const table: Readonly<Record<keyof typeof COMMANDS, Command>> = {
    search: argument => showSearch(pickParts, argument),
    findSimilar: argument => showSimilarFiles(pickParts, results.uriOf(argument) ?? argument),
    rebuildIndex: () => controller.rebuild(),
    clearIndex: () => clearAfterAsking(controller),
    pauseIndexing: () => controller.setPaused(true),
    resumeIndexing: () => background.goOn(),
    showStatus: () => showStatusMenu(controller),
    explainFile: argument => explainFile({ controller, lookAgain, showLog }, argument),
    copyDiagnostics: () => copyDiagnostics(controller, report, logger),
    showFailures: () => showFailures(controller),
    showLog,
    evaluatePast: () => pastReports.show(),
    openToSide: () => ResultPick.current?.openActiveToSide(),
    compareSimilar: () => ResultPick.current?.compareActive(),
    clearHistory: () => history.clear(),
    openResults: () => ResultPick.current?.showAll() ?? results.focus(),
    refreshResults: () => results.refresh(),
    clearResults: () => results.clear(),
    nextResult: () => results.step(1),
    previousResult: () => results.step(-1),
    openResult: (...rows) => results.open(results.nodesOf(...rows), vscode.ViewColumn.Active),
    openResultToSide: (...rows) => results.open(results.nodesOf(...rows), vscode.ViewColumn.Beside),
    compareResult: (...rows) => results.compare(results.nodesOf(...rows)),
    dismissResult: (...rows) => results.dismiss(results.nodesOf(...rows)),
    copyResultPath: (...rows) => results.copyPaths(results.nodesOf(...rows)),
  };
  for (const name of Object.keys(table) as (keyof typeof COMMANDS)[]) {
    const run = async (argument: unknown, more: unknown): Promise<void> => {
      try {
        await table[name](argument, more);
      } catch (error) {
        if (isCancelled(error)) return;
        logger.error(`The command ${COMMANDS[name]} failed.`, error);
        void vscode.window.showErrorMessage(`Landmark: ${errorText(error)}`);
      }
    };
    store.add(vscode.commands.registerCommand(COMMANDS[name], run));
  }
  return store;
}

async function clearAfterAsking(controller: IndexController): Promise<void> {
  const names = controller.state.roots.map(({ name }) => name).join(', ');
  if (names === '') {
    void vscode.window.showInformationMessage(t('Landmark: no folder is open, so there is no index to clear.'));
    return;
  }
  const yes = t('Clear Index');
  const detail = t('Searching finds nothing until the index is rebuilt. Your files are not touched.');
  const question = t('Clear the index of {0}?', names);
  const answer = await vscode.window.showWarningMessage(question, { modal: true, detail }, yes);
  if (answer === yes) await controller.clear();
}
