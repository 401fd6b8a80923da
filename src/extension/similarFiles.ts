import { basename } from 'node:path';
import * as vscode from 'vscode';
import { isCancelled, messageOf } from '../util/errors';
import { NewestRuns } from './abort';
import { activeFile } from './editorContext';
import type { IndexController } from './indexController';
import { errorText } from './model/errorText';
import { t } from './model/l10n';
import { plain, similarRows } from './model/resultRows';
import type { Question } from './model/resultSet';
import { ask } from './questions';
import { compareRegions } from './regionDiff';
import type { ResultPickParts } from './resultPick';
import { ResultPick } from './resultPick';

/** Files in the list. */
const LIMIT = 20;

export interface SimilarParts extends ResultPickParts {
  readonly controller: IndexController;
  /** Shows the answer to a question in the results view. */
  readonly showInView: (question: Question) => void;
}

/** Lists the files that are like one file: the given one, else that of the active editor. */
export async function showSimilarFiles(parts: SimilarParts, argument: unknown): Promise<void> {
  const { controller, fileOf, logger } = parts;
  const uri = argument instanceof vscode.Uri ? argument : activeFile();
  if (uri?.scheme !== 'file') {
    void vscode.window.showInformationMessage(t('Open a file from disk first, then ask for files like it.'));
    return;
  }
  const question: Question = { kind: 'similar', file: uri.fsPath };
  const options = {
    title: t('Files like {0}', basename(uri.fsPath)),
    placeholder: t('Type to narrow the list by name'),
    filter: true,
    // From the Explorer one goes on there.
    keepFocus: argument instanceof vscode.Uri,
  };
  const pick = await ResultPick.open(parts, options, {
    showAll: () => parts.showInView(question),
    compare: ({ place, ...target }, from) => {
      const lines: [number, number] = place === undefined ? [1, 1] : [place.startLine, place.endLine];
      return compareRegions({ uri, lines: from }, { uri: fileOf(target), lines });
    },
  });
  const { signal } = pick.own(new NewestRuns()).start();
  pick.setBusy(true);
  try {
    const answer = await ask(controller, question, LIMIT, signal);
    pick.setRows(similarRows(answer, controller.reader.folderNames), false);
  } catch (error) {
    if (isCancelled(error)) return;
    logger.warn(`Finding files like ${uri.fsPath} failed: ${messageOf(error)}`);
    pick.setRows([{ kind: 'note', label: `$(warning) ${plain(errorText(error))}`, detail: '' }], false);
  }
  pick.setBusy(false);
}
