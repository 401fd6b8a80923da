import * as vscode from 'vscode';
import type { Disposable } from '../util/lifecycle';
import { DisposableStore } from '../util/lifecycle';
import { fileFolders } from './fileFolders';
import type { IndexController } from './indexController';
import { t } from './model/l10n';
import { pastMarkdown, pastProgressText } from './model/pastMarkdown';

/** Documents that are shown and cannot be changed or saved. */
const SCHEME = 'landmark-report';

/** Asks a workspace folder's own past commits how well search works there, and shows the answer as a document. */
export class PastReports implements Disposable {
  readonly #store = new DisposableStore();
  readonly #texts = new Map<string, string>();
  readonly #changed = this.#store.add(new vscode.EventEmitter<vscode.Uri>());

  constructor(private readonly controller: IndexController) {
    const provider: vscode.TextDocumentContentProvider = {
      onDidChange: this.#changed.event,
      provideTextDocumentContent: uri => this.#texts.get(uri.path) ?? '',
    };
    this.#store.add(vscode.workspace.registerTextDocumentContentProvider(SCHEME, provider));
  }

  async show(): Promise<void> {
    const folder = await chosenFolder();
    if (folder === undefined) return;
    const title = t('Landmark: asking the past of {0}', folder.name);
    const options = { location: vscode.ProgressLocation.Notification, title, cancellable: true };
    const report = await vscode.window.withProgress(options, async (progress, token) => {
      const controller = new AbortController();
      const listening = token.onCancellationRequested(() => controller.abort());
      const onProgress = (step: Parameters<typeof pastProgressText>[0]): void =>
        progress.report({ message: pastProgressText(step) });
      const asked = this.controller.reader.request(
        'evaluatePast',
        { folder: folder.uri.fsPath },
        { signal: controller.signal, onProgress },
      );
      return asked.finally(() => void listening.dispose());
    });
    const uri = vscode.Uri.from({ scheme: SCHEME, path: `/${folder.name}.md` });
    this.#texts.set(uri.path, pastMarkdown(folder.name, report));
    this.#changed.fire(uri);
    await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(uri), { preview: true });
  }

  dispose(): void {
    this.#store.dispose();
  }
}

async function chosenFolder(): Promise<vscode.WorkspaceFolder | undefined> {
  const folders = fileFolders();
  if (folders.length === 0)
    void vscode.window.showInformationMessage(
      t('Landmark: open a folder first, then ask how well search works there.'),
    );
  if (folders.length < 2) return folders[0];
  const items = folders.map(folder => ({ label: folder.name, description: folder.uri.fsPath, folder }));
  const title = t('How well does search work in which folder?');
  return (await vscode.window.showQuickPick(items, { title }))?.folder;
}
