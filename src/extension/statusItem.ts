import * as vscode from 'vscode';
import { debounce } from '../util/async';
import type { Disposable } from '../util/lifecycle';
import { DisposableStore } from '../util/lifecycle';
import type { Logger } from '../util/logger';
import { HoverDetails } from './hoverDetails';
import { COMMANDS, CONTEXT_KEYS, EXTENSION_NAME, STATUS_ITEM_ID } from './ids';
import type { IndexController } from './indexController';
import { ProgressTracker } from './model/indexProgress';
import type { IndexState } from './model/indexState';
import { openStatuses } from './model/indexState';
import { t } from './model/l10n';
import type { StatusActionId } from './model/statusActions';
import { statusActions } from './model/statusActions';
import type { IndexDetails } from './model/statusHover';
import { detailLines, hoverMarkdown } from './model/statusHover';
import type { StatusKind, StatusView } from './model/statusView';
import { statusView } from './model/statusView';

/** A run that is over before this time, in milliseconds, as after a save, is not shown: the bar stays calm. */
const SHOW_AFTER_MS = 1000;
/** A folder of which less than this share is embedded has a long run before it. */
const NEARLY = 0.9;
/** States that a quick run leaves and comes back to. */
const QUIET: readonly StatusKind[] = ['ready', 'problems', 'no-runtime'];

const LINKED: Partial<Record<StatusActionId, string>> = {
  openFolder: 'workbench.action.files.openFolder',
  search: COMMANDS.search,
  resume: COMMANDS.resumeIndexing,
  pause: COMMANDS.pauseIndexing,
  restart: COMMANDS.rebuildIndex,
  rebuild: COMMANDS.rebuildIndex,
  failures: COMMANDS.showFailures,
  log: COMMANDS.showLog,
  diagnostics: COMMANDS.copyDiagnostics,
};
/** The first action of the state and these are in the hover. */
const IN_HOVER: readonly StatusActionId[] = ['log', 'diagnostics'];

/** Keeps an item in the status bar, and the context keys of the palette, equal to the index's state. */
export function createStatusItem(controller: IndexController, logger: Logger): Disposable {
  const store = new DisposableStore();
  const item = store.add(vscode.window.createStatusBarItem(STATUS_ITEM_ID, vscode.StatusBarAlignment.Right, 50));
  item.name = EXTENSION_NAME;
  item.command = COMMANDS.showStatus;
  const tracker = new ProgressTracker();
  const keys = new ContextKeys();
  let shown: StatusView | undefined;
  const details = store.add(
    new HoverDetails({
      load: () => controller.reader.details(),
      onFound: () => {
        if (shown !== undefined) render(item, shown, details.found);
      },
      logger,
    }),
  );

  const show = (view: StatusView): void => {
    details.enter(view.kind);
    shown = view;
    render(item, view, details.found);
  };
  const showLate = store.add(debounce(() => show(viewOf(controller.state)), SHOW_AFTER_MS));
  const viewOf = (state: IndexState): StatusView => statusView(state, tracker.update(openStatuses(state)));

  const update = (state: IndexState): void => {
    keys.set(CONTEXT_KEYS.paused, isWaiting(state));
    keys.set(
      CONTEXT_KEYS.searchable,
      openStatuses(state).some(status => status.files > 0),
    );
    const view = viewOf(state);
    if (view.kind === 'indexing' && shown !== undefined && QUIET.includes(shown.kind) && isNearlyDone(state)) {
      if (!showLate.isPending) showLate.request();
      return;
    }
    showLate.cancel();
    show(view);
  };
  store.add(controller.onDidChange(update));
  update(controller.state);
  item.show();
  return store;
}

function render(
  item: vscode.StatusBarItem,
  { kind, text, reason, severity }: StatusView,
  details: readonly IndexDetails[],
): void {
  const [first, ...others] = statusActions(kind);
  const actions = [first, ...others.filter(({ id }) => IN_HOVER.includes(id))].flatMap(action => {
    const command = action === undefined ? undefined : LINKED[action.id];
    return action === undefined || command === undefined ? [] : [{ ...action, command }];
  });
  const hover = new vscode.MarkdownString(hoverMarkdown(reason, detailLines(details, new Date()), actions), true);
  hover.isTrusted = { enabledCommands: actions.map(({ command }) => command) };
  item.text = text;
  item.tooltip = hover;
  item.backgroundColor = severity === 'none' ? undefined : new vscode.ThemeColor(`statusBarItem.${severity}Background`);
  const label = text.replace(/\$\([^)]*\)\s*/g, '');
  item.accessibilityInformation = { label: `${label}. ${reason} ${t('Press Enter for actions.')}`, role: 'button' };
}

/** Whether what there is to do may be over before one could read of it. */
function isNearlyDone(state: IndexState): boolean {
  return openStatuses(state).every(({ files, complete }) => files > 0 && complete > NEARLY);
}

/** Whether indexing would go on if the user said so. */
function isWaiting({ paused, held, roots }: IndexState): boolean {
  return paused || held !== undefined || roots.some(({ question }) => question !== undefined);
}

/** Tells the editor what its `when` clauses ask, when it has changed. */
class ContextKeys {
  readonly #values = new Map<string, boolean>();

  set(key: string, value: boolean): void {
    if (this.#values.get(key) === value) return;
    this.#values.set(key, value);
    void vscode.commands.executeCommand('setContext', key, value);
  }
}
