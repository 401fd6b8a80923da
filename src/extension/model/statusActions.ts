import type { IndexState } from './indexState';

export type StatusActionId = 'resume' | 'pause' | 'restart' | 'rebuild' | 'clear' | 'log' | 'settings';

export interface StatusAction {
  readonly id: StatusActionId;
  readonly label: string;
  readonly detail: string;
}

const ACTIONS: Readonly<Record<StatusActionId, Omit<StatusAction, 'id'>>> = {
  restart: { label: '$(debug-restart) Start Again', detail: 'Starts the search process once more' },
  resume: { label: '$(debug-start) Resume Indexing', detail: 'Indexes what changed in the meantime, too' },
  pause: { label: '$(debug-pause) Pause Indexing', detail: 'Search goes on with what is indexed so far' },
  rebuild: {
    label: '$(refresh) Rebuild Index',
    detail: 'Looks at every file again; text that did not change is reused',
  },
  clear: { label: '$(trash) Clear Index', detail: 'Deletes what is stored for the open folders' },
  log: { label: '$(output) Show Log', detail: 'What was done, and which files failed and why' },
  settings: { label: '$(gear) Open Settings', detail: 'Excludes, file size, threads, memory' },
};

/** What can be done about a state: the most likely wish first. */
export function statusActions(state: IndexState): StatusAction[] {
  return actionIds(state).map(id => ({ id, ...ACTIONS[id] }));
}

function actionIds(state: IndexState): StatusActionId[] {
  if (state.engine.kind === 'failed') return ['restart', 'log', 'settings'];
  const cleared = state.roots.length > 0 && state.roots.every(root => root.state.kind === 'cleared');
  if (cleared) return ['rebuild', 'log', 'settings'];
  return [state.paused ? 'resume' : 'pause', 'rebuild', 'clear', 'log', 'settings'];
}
