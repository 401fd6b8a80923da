import { t } from './l10n';
import type { StatusKind } from './statusView';

export const STATUS_ACTIONS = [
  'openFolder',
  'search',
  'resume',
  'pause',
  'restart',
  'rebuild',
  'failures',
  'clear',
  'log',
  'diagnostics',
  'settings',
] as const;
export type StatusActionId = (typeof STATUS_ACTIONS)[number];

export interface StatusAction {
  readonly id: StatusActionId;
  readonly icon: string;
  readonly label: string;
  readonly detail: string;
}

/** What can be done about each state: the most likely wish first. */
const BY_KIND: Readonly<Record<StatusKind, readonly StatusActionId[]>> = {
  'no-folder': ['openFolder', 'log', 'diagnostics', 'settings'],
  stopped: ['restart', 'log', 'diagnostics', 'settings'],
  error: ['restart', 'rebuild', 'log', 'diagnostics', 'settings'],
  restarting: ['log', 'diagnostics', 'settings'],
  starting: ['log', 'pause', 'diagnostics', 'settings'],
  paused: ['resume', 'search', 'rebuild', 'clear', 'log', 'diagnostics', 'settings'],
  question: ['resume', 'search', 'settings', 'clear', 'log', 'diagnostics'],
  battery: ['resume', 'search', 'settings', 'log', 'diagnostics'],
  busy: ['resume', 'search', 'settings', 'log', 'diagnostics'],
  indexing: ['pause', 'search', 'rebuild', 'clear', 'log', 'diagnostics', 'settings'],
  waiting: ['search', 'log', 'diagnostics', 'settings'],
  halted: ['log', 'rebuild', 'clear', 'diagnostics', 'settings'],
  'no-index': ['rebuild', 'log', 'diagnostics', 'settings'],
  'no-runtime': ['log', 'search', 'rebuild', 'clear', 'diagnostics', 'settings'],
  problems: ['failures', 'search', 'pause', 'rebuild', 'clear', 'log', 'diagnostics', 'settings'],
  ready: ['search', 'pause', 'rebuild', 'clear', 'log', 'diagnostics', 'settings'],
};

/** What can be done about a state. */
export function statusActions(kind: StatusKind): StatusAction[] {
  return BY_KIND[kind].map(id => statusAction(id, kind));
}

function statusAction(id: StatusActionId, kind: StatusKind): StatusAction {
  switch (id) {
    case 'openFolder':
      return { id, icon: 'folder-opened', label: t('Open Folder…'), detail: t('Its files are then indexed') };
    case 'search':
      return { id, icon: 'search', label: t('Search Code'), detail: t('Say in plain words what the code does') };
    case 'resume': {
      const label = kind === 'paused' ? t('Resume Indexing') : t('Index Now');
      return { id, icon: 'debug-start', label, detail: t('Indexes what changed in the meantime, too') };
    }
    case 'pause':
      return {
        id,
        icon: 'debug-pause',
        label: t('Pause Indexing'),
        detail: t('Search goes on with what is indexed so far'),
      };
    case 'restart':
      return { id, icon: 'debug-restart', label: t('Start Again'), detail: t('Starts the search process once more') };
    case 'rebuild':
      return {
        id,
        icon: 'refresh',
        label: t('Rebuild Index'),
        detail: t('Looks at every file again; text that did not change is reused'),
      };
    case 'failures':
      return { id, icon: 'warning', label: t('Show Failed Files'), detail: t('Which files failed, and why') };
    case 'clear':
      return {
        id,
        icon: 'trash',
        label: t('Clear Index'),
        detail: t('Deletes what is stored for the open folders'),
      };
    case 'log':
      return { id, icon: 'output', label: t('Show Log'), detail: t('What was done, and which files failed and why') };
    case 'diagnostics':
      return {
        id,
        icon: 'clippy',
        label: t('Copy Diagnostics'),
        detail: t('Versions, settings, state and last errors for a report; no file contents'),
      };
    case 'settings':
      return {
        id,
        icon: 'gear',
        label: t('Open Settings'),
        detail: t('Excludes, file size, threads, memory, battery'),
      };
  }
}
