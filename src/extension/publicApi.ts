import * as vscode from 'vscode';
import type { Place } from '../engine/types';
import { mergeHits } from '../tools/mergeHits';
import { isCancelled, LandmarkError, messageOf } from '../util/errors';
import { withSignal } from './abort';
import type { IndexSummary, LandmarkApi, ResultPlace, SearchResult, SimilarResult } from './api';
import type { IndexController } from './indexController';
import type { IndexState } from './model/indexState';
import { openStatuses } from './model/indexState';

export interface PublicApiParts {
  readonly controller: IndexController;
  readonly fileOf: (target: { readonly folder: string; readonly path: string }) => vscode.Uri;
  /** Registers what lives as long as the extension. */
  readonly own: <T extends vscode.Disposable>(item: T) => T;
}

const USUAL_LIMIT = 10;
const MOST = 100;
const LONGEST_QUERY = 4000;

/** The interface for other extensions over the same index that the editor's own commands use. */
export function publicApi({ controller, fileOf, own }: PublicApiParts): LandmarkApi {
  const changed = own(new vscode.EventEmitter<IndexSummary>());
  own(controller.onDidChange(state => changed.fire(summaryOf(state))));
  return {
    version: 1,
    get index() {
      return summaryOf(controller.state);
    },
    onDidChangeIndex: changed.event,
    async search(query, options, token) {
      const limit = limitOf(options?.limit);
      checkText('query', query, LONGEST_QUERY);
      if (options?.scope !== undefined) checkText('scope', options.scope, LONGEST_QUERY);
      const scope = options?.scope === undefined ? {} : { scope: options.scope };
      const answers = await answered(token, signal => controller.reader.search({ query, limit, ...scope }, signal));
      return mergeHits(answers)
        .slice(0, limit)
        .map(({ folder, hit }): SearchResult => {
          const { path, score, weak, places } = hit;
          return { uri: fileOf({ folder, path }), score, weak, places: places.map(resultPlace) };
        });
    },
    async similar(file, options, token) {
      const limit = limitOf(options?.limit);
      const { scheme, fsPath } = file;
      if (scheme !== 'file')
        throw new Error(`${file.toString()} is no file on disk: files like it cannot be looked for.`);
      const { folder, results } = await answered(token, signal => controller.reader.similar(fsPath, limit, signal));
      return results.map(({ path, score, copies }): SimilarResult => {
        const uris = copies.map(copy => fileOf({ folder, path: copy }));
        return { uri: fileOf({ folder, path }), score, copies: uris };
      });
    },
  };
}

function summaryOf(state: IndexState): IndexSummary {
  const statuses = openStatuses(state);
  return {
    files: statuses.reduce((sum, { files }) => sum + files, 0),
    complete: Math.min(1, ...statuses.map(({ complete }) => complete)),
    busy: state.engine.kind === 'starting' || statuses.some(({ state: kind }) => kind === 'indexing'),
  };
}

function resultPlace({ startLine, endLine, line, lineText, symbol, cell }: Place): ResultPlace {
  return {
    range: new vscode.Range(startLine - 1, 0, endLine - 1, Number.MAX_SAFE_INTEGER),
    line: line - 1,
    text: lineText,
    ...(symbol === undefined ? {} : { symbol }),
    ...(cell === undefined ? {} : { cell }),
  };
}

/** Errors cross to other extensions as the editor's own kinds: they do not have our classes. */
async function answered<T>(
  token: vscode.CancellationToken | undefined,
  ask: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  try {
    return await withSignal(token, ask);
  } catch (error) {
    throw isCancelled(error) ? new vscode.CancellationError() : new Error(messageOf(error));
  }
}

function limitOf(limit: unknown): number {
  if (limit === undefined) return USUAL_LIMIT;
  if (Number.isInteger(limit) && Number(limit) >= 1 && Number(limit) <= MOST) return Number(limit);
  throw new LandmarkError('invalid-argument', `limit: expected a whole number from 1 to ${MOST}.`);
}

function checkText(name: string, value: unknown, longest: number): void {
  if (typeof value === 'string' && value.trim() !== '' && value.length <= longest) return;
  throw new LandmarkError('invalid-argument', `${name}: expected a text of 1 to ${longest} characters.`);
}
