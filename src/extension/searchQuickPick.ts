import * as vscode from 'vscode';
import { isCancelled, messageOf } from '../util/errors';
import { scopeContext, selectedQuestion } from './editorContext';
import type { IndexController } from './indexController';
import { errorText } from './model/errorText';
import { t } from './model/l10n';
import type { IndexState } from './model/indexState';
import { openStatuses } from './model/indexState';
import type { ResultRow } from './model/resultRows';
import { historyRows, plain, searchRows } from './model/resultRows';
import type { Question } from './model/resultSet';
import type { ScopeContext, ScopeKey, SearchScope } from './model/searchScope';
import { scopeOf, scopeText } from './model/searchScope';
import type { PickButton } from './pickButtons';
import type { QueryHistory } from './queryHistory';
import { askFolders } from './questions';
import type { ResultPickParts } from './resultPick';
import { ResultPick } from './resultPick';
import { TypedQuestion } from './typedQuestion';

/** Files in the list. */
const LIMIT = 20;

export interface SearchParts extends ResultPickParts {
  readonly controller: IndexController;
  readonly history: QueryHistory;
  /** Shows the answer to a question in the results view. */
  readonly showInView: (question: Question) => void;
}

/**
 * Opens the search box: results as one types, also from an index that is still being built.
 * @param argument `{ "keepFocus": true }` from the key binding outside of editors.
 */
export async function showSearch(parts: SearchParts, argument: unknown): Promise<void> {
  await ResultPick.current?.close();
  const box = new SearchBox(parts, scopeContext());
  const keepFocus = typeof argument === 'object' && argument !== null && 'keepFocus' in argument;
  await box.open(selectedQuestion(), keepFocus);
}

/** One opening of the search box. */
class SearchBox {
  readonly #parts: SearchParts;
  readonly #context: ScopeContext;
  readonly #pressed = new Set<ScopeKey>();
  readonly #question: TypedQuestion<readonly ResultRow[]>;
  #pick: ResultPick | undefined;

  constructor(parts: SearchParts, context: ScopeContext) {
    this.#parts = parts;
    this.#context = context;
    this.#question = new TypedQuestion({
      question: () => JSON.stringify([this.#query, [...this.#pressed]]),
      answer: signal => this.#rows(signal),
      show: (rows, isSame) => {
        this.#pick?.setRows(rows, isSame);
        this.#pick?.setBusy(false);
      },
    });
  }

  async open(value: string, keepFocus: boolean): Promise<void> {
    const { controller, history } = this.#parts;
    const options = {
      title: this.#title(controller.state),
      placeholder: t('What does the code do? path:src lang:python -word "exact words"'),
      value,
      filter: false,
      keepFocus,
    };
    const pick = await ResultPick.open(this.#parts, options, {
      chosen: () => history.remember(this.#query),
      showAll: () => this.#showAll(),
      forgetQuery: query => this.#changeHistory(() => history.forget(query)),
      clearHistory: () => this.#changeHistory(() => history.clear()),
    });
    this.#pick = pick;
    pick.own(this.#question);
    pick.setButtons(this.#scopeButtons());
    pick.own(pick.onDidChangeValue(() => this.#typed()));
    this.#followIndex(pick);
    this.#showHistory();
    if (this.#query !== '') this.#typed();
  }

  get #query(): string {
    return this.#pick?.value.trim() ?? '';
  }

  get #scope(): SearchScope {
    return scopeOf(this.#pressed, this.#context);
  }

  #typed(): void {
    this.#pick?.setBusy(this.#query !== '');
    this.#question.typed();
  }

  async #rows(signal: AbortSignal): Promise<readonly ResultRow[] | undefined> {
    const { controller, history, logger } = this.#parts;
    const query = this.#query;
    if (query === '') return historyRows(history.queries);
    this.#pick?.setBusy(true);
    try {
      const answers = await askFolders(controller, { query, scope: this.#scope, limit: LIMIT }, signal);
      const isReading = openStatuses(controller.state).some(
        ({ state, files }) => files === 0 && (state === 'waiting' || state === 'indexing'),
      );
      return searchRows(answers, controller.reader.folderNames, LIMIT, isReading);
    } catch (error) {
      if (isCancelled(error) && signal.aborted) return undefined;
      logger.warn(`A search failed: ${messageOf(error)}`);
      return [{ kind: 'note', label: `$(warning) ${plain(errorText(error))}`, detail: '' }];
    }
  }

  #followIndex(pick: ResultPick): void {
    const { controller } = this.#parts;
    let stage = stageOf(controller.state);
    pick.own(
      controller.onDidChange(state => {
        pick.setTitle(this.#title(state));
        const before = stage;
        stage = stageOf(state);
        // What was typed before there was something to search in is asked now.
        if (stage !== before && this.#query !== '') this.#question.askAgain();
      }),
    );
  }

  #scopeButtons(): PickButton[] {
    const { file, openFiles } = this.#context;
    const only = (key: ScopeKey): string => scopeText(scopeOf(new Set([key]), this.#context));
    const button = (key: ScopeKey, icon: string, tooltip: string): PickButton => ({
      icon,
      tooltip,
      checked: this.#pressed.has(key),
      press: () => this.#toggle(key),
    });
    return [
      ...(file === undefined
        ? []
        : [
            button('folder', 'folder', t('Only in the Folder of the Active File: {0}', only('folder'))),
            button('language', 'code', t('Only in the Language of the Active File')),
          ]),
      ...(openFiles.length === 0 ? [] : [button('openFiles', 'files', t('Only in Open Files'))]),
    ];
  }

  #toggle(key: ScopeKey): void {
    if (!this.#pressed.delete(key)) this.#pressed.add(key);
    this.#pick?.setTitle(this.#title(this.#parts.controller.state));
    if (this.#query !== '') this.#typed();
  }

  #changeHistory(change: () => void): void {
    change();
    this.#showHistory();
  }

  #showHistory(): void {
    if (this.#query === '') this.#pick?.setRows(historyRows(this.#parts.history.queries), false);
  }

  #showAll(): void {
    if (this.#query !== '') this.#parts.showInView({ kind: 'search', query: this.#query, scope: this.#scope });
    else void vscode.commands.executeCommand('landmark.results.focus');
  }

  /** `Search Code in src/auth, open files (opening the index…)` */
  #title(state: IndexState): string {
    const isOpening = state.engine.kind !== 'failed' && openStatuses(state).length === 0 && state.roots.length > 0;
    const scope = scopeText(this.#scope);
    const title = scope === '' ? t('Search Code') : t('Search Code in {0}', scope);
    return isOpening && state.roots.some(({ state: { kind } }) => kind === 'opening')
      ? t('{0} (opening the index…)', title)
      : title;
  }
}

/** Changes when the same question may have another answer. */
function stageOf(state: IndexState): string {
  const statuses = openStatuses(state);
  const searchable = statuses.filter(status => status.files > 0).length;
  const ready = statuses.filter(status => status.state === 'ready' || status.state === 'problems').length;
  return [state.engine.kind, statuses.length, searchable, ready].join();
}
