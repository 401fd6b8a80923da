import * as vscode from 'vscode';
import { debounce } from '../util/async';
import { messageOf } from '../util/errors';
import type { Disposable } from '../util/lifecycle';
import { DisposableStore } from '../util/lifecycle';
import type { Logger } from '../util/logger';
import { CONTEXT_KEYS } from './ids';
import type { ResultRow, Target } from './model/resultRows';
import type { FileTarget } from './openHit';
import { openTarget } from './openHit';
import { PreviewSession } from './previewSession';

/** Opening a file is work for the editor and its language extensions: passing over a row does not cause it. */
const PREVIEW_AFTER_MOVE_MS = 60;
/** While results still change with every key, the first of them is not opened. */
const PREVIEW_AFTER_RESULTS_MS = 250;
/** A click into the preview closes the list as Escape does, but the editor tells of the click a little later. */
const CLICK_GRACE_MS = 60;

interface ResultItem extends vscode.QuickPickItem {
  readonly target?: Target;
}

export interface ResultPickParts {
  readonly logger: Logger;
  /** Where the file of a result is on disk. */
  readonly fileOf: (target: Target) => vscode.Uri;
  /** A file could not be opened: it is probably gone. */
  readonly onMissing: (target: Target) => void;
}

export interface ResultPickOptions {
  readonly title: string;
  readonly placeholder: string;
  /** True: typing narrows the list by name. False: typing is a question, and the list is shown as it comes. */
  readonly filter: boolean;
  /** The focus is not in an editor and stays where it is. */
  readonly keepFocus: boolean;
}

/**
 * A list of results with preview: moving shows a file, Enter goes there, Ctrl+Enter opens it to the side, Escape puts
 * everything back. The order of the rows is never changed.
 */
export class ResultPick implements Disposable {
  static #current: ResultPick | undefined;

  readonly #parts: ResultPickParts;
  readonly #options: ResultPickOptions;
  readonly #store = new DisposableStore();
  readonly #pick: vscode.QuickPick<ResultItem>;
  readonly #preview: PreviewSession;
  readonly #previewSoon: Disposable & { request(): void };
  readonly #previewLater: Disposable & { request(): void };
  #clicked = false;
  #leaving = false;

  /** The one that is open now. */
  static get current(): ResultPick | undefined {
    return ResultPick.#current;
  }

  /** Closes the list that is open, as Escape does, and opens another. */
  static async open(parts: ResultPickParts, options: ResultPickOptions): Promise<ResultPick> {
    await ResultPick.#current?.close();
    const pick = new ResultPick(parts, options);
    ResultPick.#current = pick;
    void vscode.commands.executeCommand('setContext', CONTEXT_KEYS.quickPickVisible, true);
    pick.#pick.show();
    return pick;
  }

  private constructor(parts: ResultPickParts, options: ResultPickOptions) {
    this.#parts = parts;
    this.#options = options;
    this.#preview = this.#store.add(new PreviewSession(parts.logger));
    const pick = this.#store.add(vscode.window.createQuickPick<ResultItem>());
    this.#pick = pick;
    pick.title = options.title;
    pick.placeholder = options.placeholder;
    pick.matchOnDescription = options.filter;
    pick.matchOnDetail = false;
    keepOrder(pick);
    this.#previewSoon = this.#store.add(debounce(() => this.#showActive(), PREVIEW_AFTER_MOVE_MS));
    this.#previewLater = this.#store.add(debounce(() => this.#showActive(), PREVIEW_AFTER_RESULTS_MS));
    this.#store.add(pick.onDidChangeActive(([item]) => this.#previewFor(item)));
    this.#store.add(pick.onDidAccept(() => void this.#accept()));
    this.#store.add(pick.onDidHide(() => void this.#hidden()));
    this.#store.add(pick.onDidTriggerItemButton(({ item }) => void this.#openToSide(item)));
    this.#store.add(vscode.window.onDidChangeTextEditorSelection(event => this.#noteClick(event)));
  }

  get value(): string {
    return this.#pick.value;
  }

  onDidChangeValue(listener: (value: string) => void): Disposable {
    return this.#pick.onDidChangeValue(listener);
  }

  /** Lives until the list is closed. */
  own<T extends Disposable>(item: T): T {
    return this.#store.add(item);
  }

  /** Puts everything back and closes the list. */
  close(): Promise<void> {
    return this.#leave(() => this.#preview.restore(false));
  }

  setBusy(busy: boolean): void {
    this.#pick.busy = busy;
  }

  setTitle(title: string): void {
    this.#pick.title = title;
  }

  /** @param keepActive leaves the mark on the same file where it is still there: the rows answer the same question. */
  setRows(rows: readonly ResultRow[], keepActive: boolean): void {
    const active = keepActive ? this.#pick.activeItems[0]?.target : undefined;
    const items = rows.map(row => this.#itemOf(row));
    this.#pick.keepScrollPosition = active !== undefined;
    this.#pick.items = items;
    const again = active && items.find(({ target }) => target?.folder === active.folder && target.path === active.path);
    if (again !== undefined) this.#pick.activeItems = [again];
  }

  /** Opens the active result beside the present editor, which gets its own state back. */
  openActiveToSide(): Promise<void> {
    return this.#openToSide(this.#pick.activeItems[0]);
  }

  dispose(): void {
    if (ResultPick.#current === this) {
      ResultPick.#current = undefined;
      void vscode.commands.executeCommand('setContext', CONTEXT_KEYS.quickPickVisible, false);
    }
    this.#store.dispose();
  }

  #itemOf(row: ResultRow): ResultItem {
    switch (row.kind) {
      case 'separator':
        return { label: row.label, kind: vscode.QuickPickItemKind.Separator };
      case 'note':
        return { label: row.label, detail: row.detail, alwaysShow: true };
      case 'result':
        return {
          label: row.label,
          description: row.description,
          detail: row.detail,
          iconPath: vscode.ThemeIcon.File,
          resourceUri: this.#parts.fileOf(row.target),
          alwaysShow: !this.#options.filter,
          buttons: [{ iconPath: new vscode.ThemeIcon('split-horizontal'), tooltip: 'Open to the Side (Ctrl+Enter)' }],
          target: row.target,
        };
    }
  }

  #previewFor(item: ResultItem | undefined): void {
    if (item?.target === undefined) return;
    const first = this.#pick.items.find(({ target }) => target !== undefined);
    (item === first ? this.#previewLater : this.#previewSoon).request();
  }

  #showActive(): void {
    const target = this.#pick.activeItems[0]?.target;
    if (target !== undefined && !this.#leaving) this.#preview.show(this.#fileTarget(target));
  }

  async #accept(): Promise<void> {
    const target = this.#pick.activeItems[0]?.target;
    if (target === undefined) return;
    await this.#leave(async () => {
      await this.#preview.keep();
      const editor = vscode.workspace.getConfiguration('workbench.editor');
      const preview = editor.get('enablePreviewFromQuickOpen') === true;
      await this.#open(target, { viewColumn: this.#preview.viewColumn, preview });
    });
  }

  async #openToSide(item: ResultItem | undefined): Promise<void> {
    const target = item?.target;
    if (target === undefined) return;
    await this.#leave(async () => {
      await this.#preview.restore(false);
      await this.#open(target, { viewColumn: vscode.ViewColumn.Beside, preview: false });
    });
  }

  async #hidden(): Promise<void> {
    await this.#leave(async () => {
      await new Promise(resolve => setTimeout(resolve, CLICK_GRACE_MS));
      // Who clicks into the text that is shown wants to stay there.
      await (this.#clicked ? this.#preview.keep() : this.#preview.restore(!this.#options.keepFocus));
    });
  }

  /** Closes the list for good, whatever else closes it meanwhile. */
  async #leave(last: () => Promise<void>): Promise<void> {
    if (this.#leaving) return;
    this.#leaving = true;
    this.#pick.hide();
    try {
      await last();
    } finally {
      this.dispose();
    }
  }

  #noteClick({ kind, textEditor }: vscode.TextEditorSelectionChangeEvent): void {
    const isShown = textEditor.document === this.#preview.shownDocument;
    if (isShown && kind === vscode.TextEditorSelectionChangeKind.Mouse) this.#clicked = true;
  }

  async #open(target: Target, options: { viewColumn: vscode.ViewColumn; preview: boolean }): Promise<void> {
    try {
      await openTarget(this.#fileTarget(target), options);
    } catch (error) {
      this.#parts.onMissing(target);
      void vscode.window.showErrorMessage(`${target.path} could not be opened: ${messageOf(error)}`);
    }
  }

  #fileTarget(target: Target): FileTarget {
    const uri = this.#parts.fileOf(target);
    return target.place === undefined ? { uri } : { uri, place: target.place };
  }
}

/**
 * `sortByLabel` is proposed API: with it on, a query of one word sorts the rows again by where their names hold it.
 * An editor that refuses it has to sort.
 */
function keepOrder(pick: vscode.QuickPick<ResultItem>): void {
  try {
    (pick as { sortByLabel?: boolean }).sortByLabel = false;
  } catch {
    // Stays as it is.
  }
}
