import { basename, isAbsolute, join } from 'node:path';
import * as vscode from 'vscode';
import { fileFolders } from './fileFolders';
import { COMMANDS } from './ids';
import type { IndexController } from './indexController';
import { errorText } from './model/errorText';
import type { ExplanationAction } from './model/explanation';
import { explanation } from './model/explanation';
import { t } from './model/l10n';

export interface ExplainParts {
  readonly controller: IndexController;
  /** Looks at a file again, as after a save. */
  readonly lookAgain: (file: vscode.Uri) => void;
  readonly showLog: () => void;
}

interface ExplanationItem extends vscode.QuickPickItem {
  readonly run?: () => Promise<unknown> | void;
}

/**
 * Says why a file is, or is not, found: the one given by the Explorer, else that of the active editor, else one that the
 * user names. The answer is a list, which a screen reader reads line by line and the keyboard acts on.
 */
export async function explainFile(parts: ExplainParts, argument: unknown): Promise<void> {
  const uri = argument instanceof vscode.Uri ? argument : (activeFile() ?? (await askForFile(parts)));
  if (uri === undefined) return;
  const picked = await vscode.window.showQuickPick(itemsFor(parts, uri), {
    title: t('Why is {0} found, or not?', basename(uri.path)),
    placeHolder: t('Choose what to do, or press Escape'),
    matchOnDetail: true,
  });
  await picked?.run?.();
}

async function itemsFor(parts: ExplainParts, uri: vscode.Uri): Promise<ExplanationItem[]> {
  const another: ExplanationItem = {
    label: `$(edit) ${t('Ask about Another File…')}`,
    run: async () => {
      const other = await askForFile(parts, uri);
      if (other !== undefined) await explainFile(parts, other);
    },
  };
  if (uri.scheme !== 'file') {
    const line = t('It is not a file on disk, and only those are indexed.');
    return [{ label: `$(circle-slash) ${t('Left out')}`, detail: line }, another];
  }
  const { controller } = parts;
  try {
    const answer = await controller.reader.explain(uri.fsPath, new AbortController().signal);
    const { paused, held } = controller.state;
    const found = explanation(answer, {
      isDirty: vscode.workspace.textDocuments.some(each => each.isDirty && each.uri.toString() === uri.toString()),
      isPaused: paused || held !== undefined || controller.questions.size > 0,
    });
    const [first = '', ...others] = found.lines;
    const folder = controller.reader.workspacePath(answer.folder);
    return [
      { label: `$(${found.icon}) ${found.headline}`, description: answer.path, detail: first },
      ...others.map(line => ({ label: `$(info) ${line}` })),
      ...found.actions.map(action => ({
        label: `$(${ICONS[action.kind]}) ${action.label}`,
        run: () => carryOut(action, { parts, uri, folder }),
      })),
      another,
    ];
  } catch (error) {
    return [{ label: `$(warning) ${t('No answer')}`, detail: errorText(error) }, another];
  }
}

const ICONS: Readonly<Record<ExplanationAction['kind'], string>> = {
  'open-rule': 'go-to-file',
  setting: 'gear',
  'read-again': 'refresh',
  resume: 'debug-start',
  similar: 'files',
  log: 'output',
};

interface Case {
  readonly parts: ExplainParts;
  readonly uri: vscode.Uri;
  /** The workspace folder that holds the file. */
  readonly folder: string;
}

async function carryOut(action: ExplanationAction, { parts, uri, folder }: Case): Promise<void> {
  switch (action.kind) {
    case 'open-rule': {
      const file = isAbsolute(action.file) ? action.file : join(folder, action.file);
      const line = new vscode.Position(action.line - 1, 0);
      const selection = new vscode.Range(line, new vscode.Position(action.line - 1, Number.MAX_SAFE_INTEGER));
      await vscode.window.showTextDocument(vscode.Uri.file(file), { selection });
      return;
    }
    case 'setting':
      await vscode.commands.executeCommand('workbench.action.openSettings', `@id:${action.setting}`);
      return;
    case 'read-again':
      return parts.lookAgain(uri);
    case 'resume':
      await vscode.commands.executeCommand(COMMANDS.resumeIndexing);
      return;
    case 'similar':
      await vscode.commands.executeCommand(COMMANDS.findSimilar, uri);
      return;
    case 'log':
      return parts.showLog();
  }
}

function activeFile(): vscode.Uri | undefined {
  const input = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
  if (input instanceof vscode.TabInputNotebook || input instanceof vscode.TabInputCustom) return input.uri;
  return input instanceof vscode.TabInputText ? input.uri : vscode.window.activeTextEditor?.document.uri;
}

/** A path as the user types it: absolute, or below the first folder that has it. */
async function askForFile({ controller }: ExplainParts, before?: vscode.Uri): Promise<vscode.Uri | undefined> {
  const typed = await vscode.window.showInputBox({
    title: t('Why is a file found, or not?'),
    prompt: t('Path of the file, from the top of its folder or absolute'),
    value: before === undefined ? '' : vscode.workspace.asRelativePath(before, false),
  });
  const path = typed?.trim();
  if (path === undefined || path === '') return undefined;
  if (isAbsolute(path)) return vscode.Uri.file(path);
  const folders = fileFolders();
  const candidates = folders.map(({ uri }) => vscode.Uri.file(join(uri.fsPath, path)));
  for (const candidate of candidates) if (await exists(candidate)) return candidate;
  if (candidates[0] === undefined) await controller.reader.explain(path, new AbortController().signal);
  return candidates[0];
}

async function exists(uri: vscode.Uri): Promise<boolean> {
  try {
    await vscode.workspace.fs.stat(uri);
    return true;
  } catch {
    return false;
  }
}
