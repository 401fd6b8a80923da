import * as vscode from 'vscode';
import { messageOf } from '../util/errors';
import type { Disposable } from '../util/lifecycle';
import type { Logger } from '../util/logger';
import type { FileTarget } from './openHit';
import { locate, rangeOf, showNotebookCell } from './openHit';
import { firstVisibleLine, scrollTo, TabSnapshot } from './tabSnapshot';

/** Later than this, in milliseconds, the user may be typing in a new input, which would close if it lost the focus. */
const FOCUS_LIMIT_MS = 500;

/**
 * Shows files while the user moves through a list, and puts everything back when asked to. Nothing is touched before
 * the first file is shown. One step at a time; of files that wait for their turn only the newest is shown.
 */
export class PreviewSession implements Disposable {
  readonly #logger: Logger;
  readonly #highlight = vscode.window.createTextEditorDecorationType({
    isWholeLine: true,
    backgroundColor: new vscode.ThemeColor('editor.rangeHighlightBackground'),
    overviewRulerColor: new vscode.ThemeColor('editorOverviewRuler.findMatchForeground'),
    overviewRulerLane: vscode.OverviewRulerLane.Full,
  });
  readonly #snapshot = new TabSnapshot();
  #steps: Promise<void> = Promise.resolve();
  #newest = 0;
  #touched = false;
  #shownTab: string | undefined;
  #shown: vscode.TextEditor | undefined;
  /** Scrolls the shown editor back, where it was open before. */
  #leave: () => Promise<void> = stay;

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  /** The group in which files are shown. */
  get viewColumn(): vscode.ViewColumn {
    return this.#snapshot.viewColumn;
  }

  /** The document that is shown, for telling whether a click went there. */
  get shownDocument(): vscode.TextDocument | undefined {
    return this.#shown?.document;
  }

  show(target: FileTarget): void {
    const mine = ++this.#newest;
    void this.#step(async () => {
      if (mine !== this.#newest) return;
      if (!this.#touched) await this.#makeRoom(target.uri);
      this.#touched = true;
      await this.#clear();
      await this.#open(target);
      this.#shownTab = this.#snapshot.topTab;
    });
  }

  /**
   * Puts back what showing files changed, unless the user has opened something else meanwhile.
   * @param focus gives the group the focus, which the editor loses when another file is shown in it.
   */
  restore(focus: boolean): Promise<void> {
    this.#newest++;
    const focusUntil = Date.now() + FOCUS_LIMIT_MS;
    return this.#step(async () => {
      if (!this.#touched || this.#snapshot.topTab !== this.#shownTab) return;
      this.#touched = false;
      await this.#clear();
      await this.#snapshot.restore();
      if (focus && Date.now() < focusUntil)
        await vscode.commands.executeCommand('workbench.action.focusActiveEditorGroup');
    });
  }

  /** Leaves what is shown to the user. */
  keep(): Promise<void> {
    this.#newest++;
    return this.#step(async () => {
      this.#touched = false;
      this.#leave = stay;
      await this.#clear();
    });
  }

  dispose(): void {
    this.#newest++;
    this.#highlight.dispose();
  }

  async #open(target: FileTarget): Promise<void> {
    const options = { viewColumn: this.viewColumn, preview: true, preserveFocus: true };
    if (await showNotebookCell(target, options)) return;
    const document = await vscode.workspace.openTextDocument(target.uri);
    const editor = await vscode.window.showTextDocument(document, options);
    this.#shown = editor;
    if (this.#snapshot.holds(target.uri)) {
      const firstLine = firstVisibleLine(editor);
      this.#leave = () => scrollTo(editor, firstLine);
    }
    const place = await locate(document, target.place);
    if (place === undefined) return;
    const line = new vscode.Range(place.line - 1, 0, place.line - 1, 0);
    editor.setDecorations(this.#highlight, [rangeOf(place)]);
    editor.revealRange(line, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
  }

  /**
   * The first file shown takes the preview tab's place if that tab is on top, and else a place beside the active one.
   * So the preview tab is put on top first: then restoring it in that place gives the same order of tabs.
   */
  async #makeRoom(uri: vscode.Uri): Promise<void> {
    const preview = this.#snapshot.previewTab;
    if (preview === undefined || this.#snapshot.holds(uri)) return;
    if (preview.isActive) {
      // A page that only its own extension can open again is kept from being replaced.
      if (!preview.canReopen) await vscode.commands.executeCommand('workbench.action.keepEditor');
      return;
    }
    if (preview.uri === undefined) return;
    await vscode.window.showTextDocument(preview.uri, {
      viewColumn: this.viewColumn,
      preview: true,
      preserveFocus: true,
    });
  }

  async #clear(): Promise<void> {
    this.#shown?.setDecorations(this.#highlight, []);
    this.#shown = undefined;
    const leave = this.#leave;
    this.#leave = stay;
    await leave();
  }

  #step(work: () => Promise<void>): Promise<void> {
    const step = this.#steps.then(work).catch((error: unknown) => {
      this.#logger.warn(`A result could not be shown: ${messageOf(error)}`);
    });
    this.#steps = step;
    return step;
  }
}

const stay = (): Promise<void> => Promise.resolve();
