import * as vscode from 'vscode';
import { isCancelled, messageOf } from '../util/errors';
import type { Disposable } from '../util/lifecycle';
import { DisposableStore } from '../util/lifecycle';
import type { Logger } from '../util/logger';
import { NewestRuns } from './abort';
import { CONTEXT_KEYS, RESULTS_VIEW_ID } from './ids';
import type { IndexController } from './indexController';
import { errorText } from './model/errorText';
import { t } from './model/l10n';
import type { Target } from './model/resultRows';
import type { Question } from './model/resultSet';
import { resultSetFrom, toStored } from './model/resultSet';
import type { ResultNode } from './model/resultTree';
import { headline, questionText, ResultTree, targetOf } from './model/resultTree';
import type { FileTarget } from './openHit';
import { openTarget } from './openHit';
import { ask } from './questions';
import { compareRegions } from './regionDiff';
import { ResultsProvider } from './resultsProvider';

const STORED_KEY = 'results';
/** Files in the view: more than the list has, which is for the first look. */
const LIMIT = 50;

export interface ResultsViewParts {
  readonly controller: IndexController;
  readonly logger: Logger;
  /** Keeps the results over a reload of the window. */
  readonly state: vscode.Memento;
  readonly fileOf: (target: Target) => vscode.Uri;
  readonly onMissing: (target: Target) => void;
}

/** The answer to one question as a tree that stays until another is asked. */
export class ResultsView implements Disposable {
  readonly #parts: ResultsViewParts;
  readonly #store = new DisposableStore();
  readonly #runs = this.#store.add(new NewestRuns());
  readonly #provider: ResultsProvider;
  readonly #view: vscode.TreeView<ResultNode>;
  #tree: ResultTree | undefined;
  /** Where next and previous go on from. */
  #currentId: string | undefined;

  constructor(parts: ResultsViewParts) {
    this.#parts = parts;
    const { controller, fileOf } = parts;
    this.#provider = this.#store.add(new ResultsProvider({ fileOf, folderNames: () => controller.reader.folderNames }));
    this.#view = this.#store.add(
      vscode.window.createTreeView(RESULTS_VIEW_ID, {
        treeDataProvider: this.#provider,
        dragAndDropController: this.#provider,
        showCollapseAll: true,
        canSelectMany: true,
      }),
    );
    this.#store.add(
      this.#view.onDidChangeSelection(({ selection: [node] }) => {
        if (node !== undefined) this.#currentId = node.id;
      }),
    );
    const set = resultSetFrom(parts.state.get(STORED_KEY));
    if (set !== undefined) this.#show(new ResultTree(set));
  }

  /** Opens the view with the focus in it, whatever it holds. */
  async focus(): Promise<void> {
    await vscode.commands.executeCommand(`${RESULTS_VIEW_ID}.focus`);
  }

  /** Asks and shows the answer in place of what was there. */
  async ask(question: Question): Promise<void> {
    const { signal, isCurrent } = this.#runs.start();
    this.#view.message = questionText(question);
    try {
      const set = await vscode.window.withProgress({ location: { viewId: RESULTS_VIEW_ID } }, () =>
        ask(this.#parts.controller, question, LIMIT, signal),
      );
      if (!isCurrent()) return;
      this.#currentId = undefined;
      this.#show(new ResultTree(set));
    } catch (error) {
      if (!isCurrent()) return;
      if (isCancelled(error)) return this.#showMessage();
      this.#parts.logger.warn(`A search for the results view failed: ${messageOf(error)}`);
      this.#view.message = `${questionText(question)} — ${errorText(error)}`;
    }
  }

  /** Asks the question again. */
  async refresh(): Promise<void> {
    if (this.#tree === undefined) return;
    await this.ask(this.#tree.set.question);
  }

  clear(): void {
    this.#runs.cancel();
    this.#show(undefined);
  }

  /** Takes rows away; without a refresh they do not come back. */
  dismiss(nodes: readonly ResultNode[]): void {
    if (this.#tree === undefined) return;
    const { stops } = this.#tree;
    const first = stops.findIndex(stop => nodes.some(node => node.id === stop.id || isBelow(stop, node)));
    const tree = this.#tree.without(nodes);
    // Next goes to what followed.
    const before = stops[first - 1];
    this.#currentId = before !== undefined && tree.find(before.id) !== undefined ? before.id : undefined;
    this.#show(tree);
  }

  /** Opens the next or the previous place, round the ends. */
  async step(direction: 1 | -1): Promise<void> {
    const node = this.#tree?.step(this.#currentId, direction);
    if (node === undefined) return;
    this.#currentId = node.id;
    await this.#view.reveal(node, { select: true, focus: false });
    await this.open([node], vscode.ViewColumn.Active);
  }

  /** Opens the first of the rows. */
  async open([node]: readonly ResultNode[], viewColumn: vscode.ViewColumn): Promise<void> {
    if (node === undefined) return;
    const target = targetOf(node);
    const uri = this.#parts.fileOf(target);
    const file: FileTarget = target.place === undefined ? { uri } : { uri, place: target.place };
    try {
      await openTarget(file, { viewColumn, preview: viewColumn === vscode.ViewColumn.Active });
    } catch (error) {
      this.#parts.onMissing(target);
      void vscode.window.showErrorMessage(t('{0} could not be opened: {1}', target.path, errorText(error)));
    }
  }

  /** Compares a place of a similar file with the lines it is like; of a file the best place. */
  async compare([node]: readonly ResultNode[]): Promise<void> {
    const question = this.#tree?.set.question;
    const result = node?.kind === 'place' ? node.result : node?.file.places[0];
    if (node === undefined || question?.kind !== 'similar' || result?.from === undefined) return;
    const { startLine, endLine } = result.place;
    await compareRegions(
      { uri: vscode.Uri.file(question.file), lines: result.from },
      { uri: this.#parts.fileOf(targetOf(node)), lines: [startLine, endLine] },
    );
  }

  /** The paths of the files of rows, one a line. */
  async copyPaths(nodes: readonly ResultNode[]): Promise<void> {
    const paths = [...new Set(nodes.map(node => this.#parts.fileOf(targetOf(node)).fsPath))];
    if (paths.length > 0) await vscode.env.clipboard.writeText(paths.join('\n'));
  }

  /** The file of a row; undefined for what is none. */
  uriOf(row: unknown): vscode.Uri | undefined {
    return isResultNode(row) ? this.#parts.fileOf(targetOf(row)) : undefined;
  }

  /**
   * The rows that a command is about: those of a menu, where the menu's row is one of several that are selected all of
   * them; else the selected ones.
   */
  nodesOf(node: unknown, selected: unknown): readonly ResultNode[] {
    if (Array.isArray(selected) && selected.length > 0 && selected.every(isResultNode)) return selected;
    if (isResultNode(node)) return [node];
    return this.#view.selection;
  }

  dispose(): void {
    this.#store.dispose();
  }

  #show(tree: ResultTree | undefined): void {
    this.#tree = tree;
    const set = tree?.set;
    void this.#parts.state.update(STORED_KEY, set === undefined ? undefined : toStored(set));
    const hasResults = tree !== undefined && tree.roots.length > 0;
    void vscode.commands.executeCommand('setContext', CONTEXT_KEYS.hasResults, hasResults);
    this.#showMessage();
    this.#provider.show(tree);
  }

  #showMessage(): void {
    // Without a message the view shows its welcome.
    this.#view.message = this.#tree === undefined ? '' : headline(this.#tree.set);
  }
}

function isBelow(stop: ResultNode, node: ResultNode): boolean {
  return node.kind === 'file' && stop.file === node.file;
}

function isResultNode(value: unknown): value is ResultNode {
  return typeof value === 'object' && value !== null && 'kind' in value && 'file' in value && 'id' in value;
}
