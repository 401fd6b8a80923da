import type { FolderStatus } from '../../host/protocol';
import type { Progress } from './indexProgress';
import { overallComplete, percent } from './indexProgress';
import type { IndexState } from './indexState';
import { openStatuses } from './indexState';

/** How the status item looks. Undefined: it is hidden. */
export interface StatusView {
  /** With icon syntax `$(name)`. */
  readonly text: string;
  /** Sentences: what the state is, why, and what to do. */
  readonly tooltip: string;
  readonly severity: 'none' | 'warning' | 'error';
}

const ICON = '$(milestone)';
const CLICK = 'Click for actions.';

/** The status item for a state: the worst news first, then what is going on, then the quiet. */
export function statusView(state: IndexState, progress: Progress | undefined): StatusView | undefined {
  if (state.roots.length === 0) return undefined;
  return failureView(state) ?? activityView(state, progress) ?? quietView(state);
}

function failureView(state: IndexState): StatusView | undefined {
  if (state.engine.kind === 'failed') {
    return view('$(error) Landmark: stopped', state.engine.reason, 'error', 'Click to start it again.');
  }
  const failed = state.roots.flatMap(root =>
    root.state.kind === 'failed' ? [`${root.name}: ${root.state.reason}`] : [],
  );
  const errors = openStatuses(state).filter(status => status.state === 'error');
  const reasons = [...failed, ...errors.map(status => status.reason)];
  if (reasons.length === 0) return undefined;
  return view('$(error) Landmark: not indexed', reasons.join(' '), 'error');
}

function activityView(state: IndexState, progress: Progress | undefined): StatusView | undefined {
  const { engine } = state;
  if (engine.kind === 'restarting') return view('$(sync~spin) Landmark: restarting', engine.reason, 'warning');
  const statuses = openStatuses(state);
  if (state.paused) {
    const share = percent(overallComplete(statuses));
    const saved = 'Saved changes are kept and indexed after resuming.';
    return view('$(debug-pause) Landmark: paused', `You paused indexing at ${share} %. ${saved}`, 'none');
  }
  if (engine.kind !== 'running' || state.roots.some(root => root.state.kind === 'opening')) {
    return view('$(loading~spin) Landmark: starting', 'The index is being opened.', 'none');
  }
  if (progress !== undefined) {
    const share = percent(overallComplete(statuses));
    const counts = `${progress.done} of ${progress.total} files, ${share} % of the text.`;
    return view(`$(sync~spin) Landmark: ${share} %`, `Indexing: ${counts} You can search already.`, 'none');
  }
  const waiting = statuses.find(status => status.state === 'waiting');
  if (waiting !== undefined) {
    const reason = waiting.reason || 'Another window indexes this folder; this one uses what it stores.';
    return view('$(clock) Landmark: waiting', reason, 'none');
  }
  // The engine pauses by itself for a reason of its own, for example a full disk.
  const halted = statuses.find(status => status.state === 'paused');
  return halted && view('$(debug-pause) Landmark: paused', halted.reason, 'warning');
}

function quietView(state: IndexState): StatusView {
  if (state.roots.every(root => root.state.kind === 'cleared')) {
    return view('$(circle-slash) Landmark: no index', 'You cleared the index. Rebuild it to search.', 'none');
  }
  const statuses = openStatuses(state);
  if (statuses.some(status => !status.vectors)) {
    const reason = statuses.find(status => !status.vectors && status.reason !== '')?.reason;
    const what = 'The model cannot run on this machine, so answers come from words, names and history only.';
    return view('$(warning) Landmark: words only', reason === undefined ? what : `${what} ${reason}`, 'warning');
  }
  const problems = statuses.reduce((total, status) => total + status.problems, 0);
  if (problems > 0) {
    const what = problems === 1 ? '1 file' : `${problems} files`;
    const reasons = statuses.map(status => status.reason).filter(reason => reason !== '');
    const tooltip = [`${what} could not be indexed; the log names them.`, ...reasons].join(' ');
    return view(`$(warning) Landmark: ${what} failed`, tooltip, 'warning');
  }
  return view(`${ICON} Landmark`, `Ready: ${filesText(statuses)} indexed.`, 'none');
}

function filesText(statuses: readonly FolderStatus[]): string {
  const files = statuses.reduce((total, status) => total + status.files, 0);
  return files === 1 ? '1 file is' : `${files} files are`;
}

function view(text: string, reason: string, severity: StatusView['severity'], action = CLICK): StatusView {
  return { text, tooltip: `${reason} ${action}`.trim(), severity };
}
