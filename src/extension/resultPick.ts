import * as vscode from 'vscode';
import { debounce } from '../util/async';
import type { Disposable } from '../util/lifecycle';
import { DisposableStore } from '../util/lifecycle';
import type { Logger } from '../util/logger';
import { AfterAnswer } from './afterAnswer';
import { CONTEXT_KEYS } from './ids';
import { errorText } from './model/errorText';
import { t } from './model/l10n';
import type { CopiesRow, ResultRow, Target } from './model/resultRows';
import { fileKey } from './model/resultRows';
import type { FileTarget } from './openHit';
import { openTarget } from './openHit';
import type { PickButton } from './pickButtons';
import { showButtons } from './pickButtons';
import { PreviewSession } from './previewSession';
import type { ItemAction, ResultItem } from './resultItem';
import { resultItem } from './resultItem';

/** Opening a file is work for the editor and its language extensions: passing over a row does not cause it. */
const PREVIEW_AFTER_MOVE_MS = 60;
/** While results still change with every key, the first of them is not opened. */
const PREVIEW_AFTER_RESULTS_MS = 250;
/** A click into the preview closes the list as Escape does, but the editor tells of the click a little later. */
const CLICK_GRACE_MS = 60;

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
  /** Stands in the box from the beginning, selected. */
  readonly value?: string;
  /** True: typing narrows the list by name. False: typing is a question, and the list is shown as it comes. */
  readonly filter: boolean;
  /** The focus is not in an editor and stays where it is. */
  readonly keepFocus: boolean;
}

/** What the owner of a list does when the user has chosen something in it. */
export interface ResultPickActions {
  /** A result was opened, or all of them are wanted in the results view. */
  readonly chosen?: () => void;
  /** Shows all results in the results view. */
  readonly showAll: () => void;
  /** Compares the region of a similar file with its own. */
  readonly compare?: (target: Target, from: readonly [number, number]) => Promise<void>;
  readonly forgetQuery?: (query: string) => void;
  readonly clearHistory?: () => void;
}

/**
 * A list of results with preview: moving shows a file, Enter goes there, Ctrl+Enter opens it to the side, Escape puts
 * everything back. The order of the rows is never changed.
 */
export class ResultPick implements Disposable {
  static #current: ResultPick | undefined;

  readonly #parts: ResultPickParts;
  readonly #options: ResultPickOptions;
  readonly #actions: ResultPickActions;
  readonly #store = new DisposableStore();
  readonly #pick: vscode.QuickPick<ResultItem>;
  readonly #preview: PreviewSession;
  readonly #previewSoon: Disposable & { request(): void };
  readonly #previewLater: Disposable & { request(): void };
  #buttons: readonly PickButton[] = [];
  #clicked = false;
  #rows: readonly ResultRow[] = [];
  /** Files whose copies are shown one by one. */
  readonly #unfolded = new Set<string>();
  readonly #afterAnswer = new AfterAnswer<ResultItem>();
  #leaving = false;

  /** The one that is open now. */
  static get current(): ResultPick | undefined {
    return ResultPick.#current;
  }

  /** Closes the list that is open, as Escape does, and opens another. */
  static async open(
    parts: ResultPickParts,
    options: ResultPickOptions,
    actions: ResultPickActions,
  ): Promise<ResultPick> {
    await ResultPick.#current?.close();
    const pick = new ResultPick(parts, options, actions);
    ResultPick.#current = pick;
    void vscode.commands.executeCommand('setContext', CONTEXT_KEYS.quickPickVisible, true);
    pick.#pick.show();
    return pick;
  }

  private constructor(parts: ResultPickParts, options: ResultPickOptions, actions: ResultPickActions) {
    this.#parts = parts;
    this.#options = options;
    this.#actions = actions;
    this.#preview = this.#store.add(new PreviewSession(parts.logger));
    const pick = this.#store.add(vscode.window.createQuickPick<ResultItem>());
    this.#pick = pick;
    pick.title = options.title;
    pick.placeholder = options.placeholder;
    pick.value = options.value ?? '';
    pick.matchOnDescription = options.filter;
    pick.matchOnDetail = false;
    keepOrder(pick);
    this.setButtons([]);
    this.#previewSoon = this.#store.add(debounce(() => this.#showActive(), PREVIEW_AFTER_MOVE_MS));
    this.#previewLater = this.#store.add(debounce(() => this.#showActive(), PREVIEW_AFTER_RESULTS_MS));
    this.#store.add(pick.onDidChangeActive(([item]) => this.#previewFor(item)));
    if (!options.filter) this.#store.add(pick.onDidChangeValue(() => this.#afterAnswer.questionChanged()));
    this.#store.add(pick.onDidAccept(() => void this.#withActive(item => this.#accept(item))));
    this.#store.add(pick.onDidHide(() => void this.#hidden()));
    this.#store.add(pick.onDidTriggerButton(button => this.#press(button)));
    this.#store.add(pick.onDidTriggerItemButton(({ item, button }) => void this.#act(item, button)));
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

  /** Shows these buttons beside the one that leads to the results view. */
  setButtons(buttons: readonly PickButton[]): void {
    const toView: PickButton = {
      icon: 'list-tree',
      tooltip: t('Show in Results View (Alt+Enter)'),
      press: () => void this.showAll(),
    };
    this.#buttons = showButtons(this.#pick, [...buttons, toView]);
  }

  /** @param keepActive leaves the mark on the same file where it is still there: the rows answer the same question. */
  setRows(rows: readonly ResultRow[], keepActive: boolean): void {
    const active = keepActive ? this.#pick.activeItems[0]?.target : undefined;
    this.#rows = rows;
    if (!keepActive) this.#unfolded.clear();
    const items = this.#showRows(active);
    this.#afterAnswer.answered(items.find(({ target }) => target !== undefined));
  }

  #showRows(active: Target | undefined): readonly ResultItem[] {
    const rows = this.#rows.flatMap(row =>
      row.kind === 'copies' && this.#unfolded.has(fileKey(row.target)) ? row.rows : [row],
    );
    const items = rows.map(row => resultItem(row, { filter: this.#options.filter, fileOf: this.#parts.fileOf }));
    this.#pick.keepScrollPosition = active !== undefined;
    this.#pick.items = items;
    const key = active === undefined ? undefined : fileKey(active);
    const again = items.find(({ target }) => target !== undefined && fileKey(target) === key);
    if (again !== undefined) this.#pick.activeItems = [again];
    return items;
  }

  /** Opens the active result beside the present editor, which gets its own state back. */
  openActiveToSide(): Promise<void> {
    return this.#withActive(item => this.#openToSide(item));
  }

  /** Compares the region of the active similar file. */
  compareActive(): Promise<void> {
    return this.#compare(this.#pick.activeItems[0]);
  }

  /** Closes the list, which then goes on in the results view. */
  showAll(): Promise<void> {
    return this.#leave(async () => {
      await this.#preview.restore(false);
      this.#actions.chosen?.();
      this.#actions.showAll();
    });
  }

  dispose(): void {
    if (ResultPick.#current === this) {
      ResultPick.#current = undefined;
      void vscode.commands.executeCommand('setContext', CONTEXT_KEYS.quickPickVisible, false);
    }
    this.#store.dispose();
  }

  #press(button: vscode.QuickInputButton): void {
    this.#buttons.find(({ shown }) => shown === button)?.press();
  }

  async #act(item: ResultItem, button: vscode.QuickInputButton): Promise<void> {
    const { action } = button as Partial<ItemAction>;
    if (action === 'toSide') await this.#openToSide(item);
    if (action === 'compare') await this.#compare(item);
    if (action === 'forget' && item.query !== undefined) this.#actions.forgetQuery?.(item.query);
  }

  /** Acts on the active row as soon as the rows answer the question. */
  #withActive(act: (item: ResultItem | undefined) => Promise<void>): Promise<void> {
    return this.#afterAnswer.act(act, this.#pick.activeItems[0]);
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

  async #accept(item: ResultItem | undefined): Promise<void> {
    if (item?.query !== undefined) this.#pick.value = item.query;
    if (item?.clearsHistory === true) this.#actions.clearHistory?.();
    if (item?.copies !== undefined) this.#unfold(item.copies);
    const target = item?.target;
    if (target === undefined) return;
    await this.#leave(async () => {
      this.#actions.chosen?.();
      await this.#preview.keep();
      const editor = vscode.workspace.getConfiguration('workbench.editor');
      const preview = editor.get('enablePreviewFromQuickOpen') === true;
      await this.#open(target, { viewColumn: this.#preview.viewColumn, preview });
    });
  }

  /** Shows the copies of a file one by one, the first of them marked. */
  #unfold({ target, rows: [first] }: CopiesRow): void {
    this.#unfolded.add(fileKey(target));
    this.#showRows(first?.kind === 'result' ? first.target : undefined);
  }

  async #openToSide(item: ResultItem | undefined): Promise<void> {
    const target = item?.target;
    if (target === undefined) return;
    await this.#leave(async () => {
      this.#actions.chosen?.();
      await this.#preview.restore(false);
      await this.#open(target, { viewColumn: vscode.ViewColumn.Beside, preview: false });
    });
  }

  async #compare(item: ResultItem | undefined): Promise<void> {
    const { compare } = this.#actions;
    if (item?.target === undefined || item.from === undefined || compare === undefined) return;
    const { target, from } = item;
    await this.#leave(async () => {
      await this.#preview.restore(false);
      await compare(target, from);
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
      void vscode.window.showErrorMessage(t('{0} could not be opened: {1}', target.path, errorText(error)));
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
