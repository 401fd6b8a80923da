import type { FolderStatus } from '../../host/protocol';
import { reasonText } from './errorText';
import type { Progress } from './indexProgress';
import { overallComplete, percent } from './indexProgress';
import type { IndexState, LongRun } from './indexState';
import { openStatuses } from './indexState';
import { bytesText, durationText, isEnglish, numberText, t } from './l10n';

/** All that the index can be doing, as far as it makes a difference to the user. */
export type StatusKind =
  | 'no-folder'
  | 'stopped'
  | 'error'
  | 'restarting'
  | 'paused'
  | 'starting'
  | 'question'
  | 'battery'
  | 'busy'
  | 'indexing'
  | 'waiting'
  | 'halted'
  | 'no-index'
  | 'no-runtime'
  | 'problems'
  | 'ready';

/** How the status item looks, and what its state means. */
export interface StatusView {
  readonly kind: StatusKind;
  /** With icon syntax `$(name)`. */
  readonly text: string;
  /** Sentences: what the state is, and why. */
  readonly reason: string;
  readonly severity: 'none' | 'warning' | 'error';
  /** What going on takes, where that is asked for first. */
  readonly cost?: string;
}

/** How many characters of a sentence in a list's box are surely in view. */
const IN_BOX = 80;

/** As many whole sentences as fit where a long one would be cut off, at least the first. */
export function firstSentences(reason: string): string {
  const sentences = reason.split(/(?<=[.?!]) /);
  let text = sentences[0] ?? '';
  for (const sentence of sentences.slice(1)) {
    if (text.length + 1 + sentence.length > IN_BOX) break;
    text += ` ${sentence}`;
  }
  return text;
}

/** The view of a state: the worst news first, then what is going on, then the quiet. */
export function statusView(state: IndexState, progress: Progress | undefined): StatusView {
  if (state.roots.length === 0) {
    const reason = t('Open a folder: there is nothing to search in.');
    return view('no-folder', '$(milestone)', t('Landmark: no folder'), reason);
  }
  return failureView(state) ?? haltView(state) ?? activityView(state, progress) ?? quietView(state);
}

function failureView({ engine, roots, ...state }: IndexState): StatusView | undefined {
  if (engine.kind === 'failed') {
    const reason = isEnglish() ? engine.reason : reasonText('engine-died');
    return view('stopped', '$(error)', t('Landmark: stopped'), reason, 'error');
  }
  const failed = roots.flatMap(root => (root.state.kind === 'failed' ? [`${root.name}: ${root.state.reason}`] : []));
  const errors = openStatuses({ engine, roots, ...state }).filter(status => status.state === 'error');
  const reasons = [...failed, ...errors.map(ownReason)];
  if (reasons.length === 0) return undefined;
  // An update failed: what was indexed before it still answers.
  if (failed.length === 0 && errors.every(status => status.files > 0)) {
    const reason = `${reasons.join(' ')} ${t('What was indexed before can be searched.')}`;
    return view('error', '$(warning)', t('Landmark: not up to date'), reason, 'warning');
  }
  return view('error', '$(error)', t('Landmark: not indexed'), reasons.join(' '), 'error');
}

/** What keeps the index from going on, and will until somebody or something says otherwise. */
function haltView(state: IndexState): StatusView | undefined {
  const { engine, paused, held } = state;
  if (engine.kind === 'restarting') {
    const reason = isEnglish() ? engine.reason : reasonText('engine-died');
    return view('restarting', '$(sync~spin)', t('Landmark: restarting'), reason, 'warning');
  }
  const share = percent(overallComplete(openStatuses(state)));
  if (paused) {
    const reason = t('You paused indexing at {0} %. Saved changes are kept and indexed after resuming.', share);
    return view('paused', '$(debug-pause)', t('Landmark: paused'), reason);
  }
  const question = state.roots.map(root => root.question).find(each => each !== undefined);
  if (question === 'measuring') return readingView();
  if (question !== undefined) {
    return {
      ...view('question', '$(question)', t('Landmark: words only'), longRunText(question)),
      cost: costText(question),
    };
  }
  const meanwhile = t('{0} % is indexed; words, names and history answer for the rest.', share);
  if (held === 'battery') {
    const reason = t('Indexing waits to spare the battery.');
    return view('battery', '$(debug-pause)', t('Landmark: on battery'), `${reason} ${meanwhile}`);
  }
  if (held === 'busy') {
    const reason = t('Indexing waits because other programs need the processor.');
    return view('busy', '$(debug-pause)', t('Landmark: machine busy'), `${reason} ${meanwhile}`);
  }
  return undefined;
}

/** What a long first run means, for the question before it. */
export function longRunText(run: LongRun): string {
  const { files, bytes } = run;
  const size = t('{0} files with {1} of text wait to be indexed by meaning.', numberText(files), bytesText(bytes));
  return `${size} ${costText(run)} ${t('Words, names and history are searched already.')}`;
}

function costText({ seconds, diskBytes }: LongRun): string {
  return t('That takes about {0} in the background and {1} of disk.', durationText(seconds), bytesText(diskBytes));
}

function activityView(state: IndexState, progress: Progress | undefined): StatusView | undefined {
  const statuses = openStatuses(state);
  if (state.engine.kind !== 'running' || state.roots.some(root => root.state.kind === 'opening')) {
    return view('starting', '$(loading~spin)', t('Landmark: starting'), t('The index is being opened.'));
  }
  if (progress?.total === 0) return readingView();
  if (progress !== undefined) {
    const share = percent(overallComplete(statuses));
    const done = numberText(progress.done);
    const counts = t('Indexing: {0} of {1} sections, {2} % of the text.', done, numberText(progress.total), share);
    const text = t('Landmark: {0} %', share);
    return view('indexing', '$(sync~spin)', text, `${counts} ${t('You can search already.')}`);
  }
  if (statuses.some(status => status.state === 'waiting')) {
    const reason = t('Another window indexes this folder; this one uses what it stores.');
    return view('waiting', '$(clock)', t('Landmark: waiting'), reason);
  }
  // The engine pauses by itself for a reason of its own, for example a full disk.
  const halted = statuses.find(status => status.state === 'paused');
  return halted && view('halted', '$(debug-pause)', t('Landmark: paused'), ownReason(halted), 'warning');
}

/** Before anything is embedded: what is there is found out, and can be searched by its words. */
function readingView(): StatusView {
  const reason = `${t('Reading the files.')} ${t('You can search already.')}`;
  return view('indexing', '$(sync~spin)', t('Landmark: reading'), reason);
}

function quietView(state: IndexState): StatusView {
  if (state.roots.every(root => root.state.kind === 'cleared')) {
    const reason = t('You cleared the index. Rebuild it to search.');
    return view('no-index', '$(circle-slash)', t('Landmark: no index'), reason);
  }
  const statuses = openStatuses(state);
  if (statuses.some(status => !status.vectors)) {
    const reason = isEnglish() ? statuses.find(status => !status.vectors && status.reason !== '')?.reason : undefined;
    const what = t('The model cannot run on this machine, so answers come from words, names and history only.');
    return view('no-runtime', '$(warning)', t('Landmark: words only'), `${what} ${reason ?? ''}`.trim(), 'warning');
  }
  const problems = statuses.reduce((total, status) => total + status.problems, 0);
  if (problems > 0) {
    const text = problems === 1 ? t('Landmark: 1 file failed') : t('Landmark: {0} files failed', numberText(problems));
    return view('problems', '$(warning)', text, t('The other files can be searched.'), 'warning');
  }
  return view('ready', '$(milestone)', t('Landmark'), readyText(statuses));
}

function readyText(statuses: readonly FolderStatus[]): string {
  const files = statuses.reduce((total, status) => total + status.files, 0);
  return files === 1 ? t('Ready: 1 file is indexed.') : t('Ready: {0} files are indexed.', numberText(files));
}

/** The engine's sentence in English, else that of its cause. */
function ownReason({ reason, cause }: FolderStatus): string {
  return isEnglish() || cause === undefined ? reason : reasonText(cause);
}

function view(
  kind: StatusKind,
  icon: string,
  text: string,
  reason: string,
  severity: StatusView['severity'] = 'none',
): StatusView {
  return { kind, text: `${icon} ${text}`, reason, severity };
}
