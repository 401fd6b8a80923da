import type * as vscode from 'vscode';
import { forget, historyFrom, remember } from './model/queryHistory';

const HISTORY_KEY = 'queryHistory';

/** The questions that were asked in this workspace. They stay on this machine, in the editor's state of the workspace. */
export class QueryHistory {
  readonly #state: vscode.Memento;

  constructor(state: vscode.Memento) {
    this.#state = state;
  }

  /** Newest first. */
  get queries(): readonly string[] {
    return historyFrom(this.#state.get(HISTORY_KEY));
  }

  remember(query: string): void {
    this.#store(remember(this.queries, query));
  }

  forget(query: string): void {
    this.#store(forget(this.queries, query));
  }

  clear(): void {
    this.#store([]);
  }

  #store(queries: readonly string[]): void {
    void this.#state.update(HISTORY_KEY, queries.length === 0 ? undefined : queries);
  }
}
