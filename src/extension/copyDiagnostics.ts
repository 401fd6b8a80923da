import { availableParallelism, homedir, release, totalmem } from 'node:os';
import * as vscode from 'vscode';
import { messageOf } from '../util/errors';
import type { Logger } from '../util/logger';
import type { IndexController } from './indexController';
import type { IndexReader } from './indexReader';
import { diagnosticsReport } from './model/diagnosticsReport';
import { t } from './model/l10n';
import type { Problem } from './model/recentProblems';
import { statusView } from './model/statusView';

/** The part of the extension's own manifest that is read. */
export interface Manifest {
  readonly version: string;
  readonly contributes: { readonly configuration: { readonly properties: Readonly<Record<string, unknown>> } };
}

/** Longest wait for an index that is busy, in milliseconds: the report says what is known without it. */
const DETAILS_MS = 3000;

/** Puts what a report of a fault needs on the clipboard; nothing leaves the machine. */
export async function copyDiagnostics(
  controller: IndexController,
  { manifest, problems }: { readonly manifest: Manifest; readonly problems: readonly Problem[] },
  logger: Logger,
): Promise<void> {
  const { state } = controller;
  const report = diagnosticsReport({
    versions: {
      'landmark-code-search': manifest.version,
      [vscode.env.appName]: vscode.version,
      node: process.versions.node,
      electron: process.versions['electron'] ?? 'none',
    },
    machine: {
      platform: `${process.platform} ${process.arch} ${release()}`,
      processors: `${availableParallelism()}`,
      memory: `${Math.round(totalmem() / 2 ** 30)} GB`,
      remote: vscode.env.remoteName ?? 'none',
      language: vscode.env.language,
      trusted: `${vscode.workspace.isTrusted}`,
    },
    settings: changedSettings(Object.keys(manifest.contributes.configuration.properties)),
    state,
    statusText: statusView(state, undefined).kind,
    details: await detailsInTime(controller, logger),
    failed: [...controller.reader.failedFiles.values()].flat().length,
    problems,
    home: homedir(),
  });
  await vscode.env.clipboard.writeText(report);
  const show = t('Show');
  const done = t('Landmark: the diagnostics are on the clipboard. They hold no file contents.');
  void vscode.window.showInformationMessage(done, show).then(async answer => {
    if (answer !== show) return;
    const document = await vscode.workspace.openTextDocument({ language: 'markdown', content: report });
    await vscode.window.showTextDocument(document);
  });
}

function changedSettings(keys: readonly string[]): Record<string, unknown> {
  const all = vscode.workspace.getConfiguration();
  const changed = keys.flatMap(key => {
    const value: unknown = all.get(key);
    const isDefault = JSON.stringify(value) === JSON.stringify(all.inspect(key)?.defaultValue);
    return isDefault ? [] : [[key, value] as const];
  });
  return Object.fromEntries(changed);
}

async function detailsInTime(controller: IndexController, logger: Logger): ReturnType<IndexReader['details']> {
  try {
    const late = new Promise<[]>(resolve => setTimeout(() => resolve([]), DETAILS_MS).unref());
    return await Promise.race([controller.reader.details(), late]);
  } catch (error) {
    logger.debug(`The sizes of the index are missing in the diagnostics: ${messageOf(error)}`);
    return [];
  }
}
