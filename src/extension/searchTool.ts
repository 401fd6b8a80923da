import { isAbsolute } from 'node:path';
import * as vscode from 'vscode';
import { searchAnswer, searchAnswerText } from '../tools/searchAnswer';
import { checkSearchInput, searchRequestOf } from '../tools/searchTool';
import { LandmarkError } from '../util/errors';
import { cutTo } from '../util/text';
import { withSignal } from './abort';
import { fileFolders } from './fileFolders';
import { SEARCH_TOOL } from './ids';
import type { IndexController } from './indexController';
import { t } from './model/l10n';
import { deepestRoot } from './model/roots';

/** Longest query that is shown while the tool runs, in characters. */
const LONGEST_SHOWN = 80;

/** Lets a language model in the editor search the open folders; it only reads, and nothing outside of them. */
export function registerSearchTool(controller: IndexController): vscode.Disposable {
  return vscode.lm.registerTool<unknown>(SEARCH_TOOL, {
    prepareInvocation({ input }) {
      const { query } = checkSearchInput(SEARCH_TOOL, input);
      const shown = cutTo(query.replace(/\s+/g, ' ').trim(), LONGEST_SHOWN);
      return {
        invocationMessage: t('Searching the code for “{0}”', shown),
        confirmationMessages: {
          title: t('Search the code'),
          message: new vscode.MarkdownString().appendText(
            t(
              'Looks in the index of the open folders for “{0}”. Nothing is changed and nothing leaves this machine, but the places that are found are given to the language model.',
              shown,
            ),
          ),
        },
      };
    },
    async invoke({ input }, token) {
      const text = await withSignal(token, signal => search(controller, input, signal));
      return new vscode.LanguageModelToolResult([new vscode.LanguageModelTextPart(text)]);
    },
  });
}

async function search(controller: IndexController, unchecked: unknown, signal: AbortSignal): Promise<string> {
  const input = checkSearchInput(SEARCH_TOOL, unchecked);
  const { request, root } = scoped(searchRequestOf(input));
  const all = await controller.reader.search(request, signal);
  const answers = all.filter(({ folder }) => root === undefined || controller.reader.workspacePath(folder) === root);
  const names = controller.reader.folderNames;
  const nameOf = ({ folder, path }: { readonly folder: string; readonly path: string }): string =>
    names.size > 1 ? `${names.get(folder) ?? folder}/${path}` : path;
  return searchAnswerText(searchAnswer(answers, request.limit), nameOf);
}

/** A path that is absolute, as language models like to name one, must be in an open folder and says which. */
function scoped<T extends { readonly scope?: string }>(request: T): { readonly request: T; readonly root?: string } {
  const { scope } = request;
  if (scope === undefined || !isAbsolute(scope)) return { request };
  const paths = fileFolders().map(({ uri }) => uri.fsPath);
  const place = deepestRoot(scope, paths);
  if (place === undefined) {
    throw new LandmarkError('invalid-argument', `${scope} is in none of the open folders: only they can be searched.`);
  }
  return { request: { ...request, scope: place.path === '' ? '.' : place.path }, root: place.root };
}
