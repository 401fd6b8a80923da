import { debounce } from '../util/async';
import { isCancelled, messageOf } from '../util/errors';
import { NewestRuns } from './abort';
import type { IndexController } from './indexController';
import type { IndexState } from './model/indexState';
import { openStatuses } from './model/indexState';
import type { ResultRow } from './model/resultRows';
import { plain, searchRows } from './model/resultRows';
import type { ResultPickParts } from './resultPick';
import { ResultPick } from './resultPick';

/** Results come this long after the last key, in milliseconds. */
const TYPING_PAUSE_MS = 120;
/** Files in the list. */
const LIMIT = 20;

const TITLE = 'Search Code';

/**
 * Opens the search box: results as one types, also from an index that is still being built.
 * @param argument `{ "keepFocus": true }` from the key binding outside of editors.
 */
export async function showSearch(
  controller: IndexController,
  parts: ResultPickParts,
  argument: unknown,
): Promise<void> {
  const pick = await ResultPick.open(parts, {
    title: TITLE,
    placeholder: 'Say in plain words what the code does',
    filter: false,
    keepFocus: typeof argument === 'object' && argument !== null && 'keepFocus' in argument,
  });
  const runs = pick.own(new NewestRuns());
  let answered: string | undefined;

  const run = async (): Promise<void> => {
    const query = pick.value.trim();
    const { signal, isCurrent } = runs.start();
    let rows: ResultRow[] = [];
    if (query !== '') {
      pick.setBusy(true);
      try {
        const answers = await controller.search({ query, limit: LIMIT }, signal);
        rows = searchRows(answers, controller.folderNames, LIMIT);
      } catch (error) {
        if (isCancelled(error) && !isCurrent()) return;
        parts.logger.warn(`A search failed: ${messageOf(error)}`);
        rows = [{ kind: 'note', label: `$(warning) ${plain(messageOf(error))}`, detail: '' }];
      }
    }
    // A newer run owns the list and its busy sign now.
    if (!isCurrent()) return;
    pick.setRows(rows, query === answered);
    answered = query;
    pick.setBusy(false);
  };

  const afterTyping = pick.own(debounce(() => void run(), TYPING_PAUSE_MS));
  pick.own(
    pick.onDidChangeValue(value => {
      pick.setBusy(value.trim() !== '');
      afterTyping.request();
    }),
  );
  let stage = stageOf(controller.state);
  pick.own(
    controller.onDidChange(state => {
      pick.setTitle(titleOf(state));
      const before = stage;
      stage = stageOf(state);
      // What was typed before there was something to search in is asked now.
      if (stage !== before && pick.value.trim() !== '') afterTyping.request();
    }),
  );
  pick.setTitle(titleOf(controller.state));
}

/** Changes when the same question may have another answer. */
function stageOf(state: IndexState): string {
  const statuses = openStatuses(state);
  const searchable = statuses.filter(status => status.files > 0).length;
  const ready = statuses.filter(status => status.state === 'ready' || status.state === 'problems').length;
  return [state.engine.kind, statuses.length, searchable, ready].join();
}

function titleOf(state: IndexState): string {
  const isOpening = state.engine.kind !== 'failed' && openStatuses(state).length === 0 && state.roots.length > 0;
  return isOpening && state.roots.some(({ state: { kind } }) => kind === 'opening')
    ? `${TITLE} (opening the index…)`
    : TITLE;
}
