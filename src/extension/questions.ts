import { fileFolders } from './fileFolders';
import type { IndexController } from './indexController';
import type { FolderAnswer } from './model/resultRows';
import type { Question, ResultSet } from './model/resultSet';
import { searchResults, similarResults } from './model/resultSet';
import type { SearchScope } from './model/searchScope';
import { isUnlimited, narrowingFor } from './model/searchScope';

/** Asks every open folder that a scope reaches into. */
export async function askFolders(
  controller: IndexController,
  { query, scope, limit }: { readonly query: string; readonly scope: SearchScope; readonly limit: number },
  signal: AbortSignal,
): Promise<FolderAnswer[]> {
  if (isUnlimited(scope)) return controller.reader.search({ query, limit }, signal);
  const roots = fileFolders().map(({ uri }) => uri.fsPath);
  const answers = roots.map(async root => {
    const narrowing = narrowingFor(scope, root);
    return narrowing === undefined ? [] : controller.reader.search({ query, limit, ...narrowing }, signal, root);
  });
  return (await Promise.all(answers)).flat();
}

/** Asks a question again, as it was asked. */
export async function ask(
  controller: IndexController,
  question: Question,
  limit: number,
  signal: AbortSignal,
): Promise<ResultSet> {
  if (question.kind === 'similar') {
    const { folder, ...response } = await controller.reader.similar(question.file, limit, signal);
    return similarResults(question.file, folder, response);
  }
  const { query, scope } = question;
  return searchResults(query, scope, await askFolders(controller, { query, scope, limit }, signal), limit);
}
