import type { ExplainResponse, SkipReason } from '../../engine/types';
import { failureText } from './failureText';
import { isEnglish, numberText, t } from './l10n';

/** What can be done about a file's state. */
export type ExplanationAction =
  /** @param file absolute, or relative to the indexed folder. */
  | { readonly kind: 'open-rule'; readonly file: string; readonly line: number; readonly label: string }
  | { readonly kind: 'setting'; readonly setting: string; readonly label: string }
  | { readonly kind: 'read-again' | 'resume' | 'similar' | 'log'; readonly label: string };

export interface Explanation {
  /** One word or two. */
  readonly headline: string;
  readonly icon: string;
  /** Sentences, each about one thing. */
  readonly lines: readonly string[];
  readonly actions: readonly ExplanationAction[];
}

/** What the editor knows besides. */
export interface ExplainSurroundings {
  /** The file is open with changes that are not saved. */
  readonly isDirty: boolean;
  /** Nothing is embedded for now. */
  readonly isPaused: boolean;
}

/** How much of a content's hash tells it apart for a person. */
const SHOWN_HASH = 12;

/** Why a file is, or is not, found: for people, in their language, with what can be done about it. */
export function explanation(answer: ExplainResponse, { isDirty, isPaused }: ExplainSurroundings): Explanation {
  const found = byState(answer, isPaused);
  const hash = answer.contentHash;
  const content = hash === undefined ? [] : [t('Content on disk: {0}', hash.slice(0, SHOWN_HASH))];
  const unsaved = isDirty
    ? [t('The editor holds changes that are not saved: the index has the file as it is on disk.')]
    : [];
  return { ...found, lines: [...found.lines, ...unsaved, ...content] };
}

function byState(answer: ExplainResponse, isPaused: boolean): Explanation {
  const readAgain = { kind: 'read-again', label: t('Look at the File Again') } as const;
  switch (answer.state) {
    case 'indexed': {
      const sections = answer.windows ?? 0;
      const count =
        sections === 1 ? t('1 section is embedded.') : t('{0} sections are embedded.', numberText(sections));
      const actions = [{ kind: 'similar', label: t('Find Similar Files') } as const];
      return { headline: t('Indexed'), icon: 'pass', lines: [t('It is found as it is on disk.'), count], actions };
    }
    case 'queued':
      return { ...queued(answer), actions: isPaused ? [{ kind: 'resume', label: t('Index Now') }] : [readAgain] };
    case 'failed': {
      const actions = [readAgain, { kind: 'log', label: t('Show Log') } as const];
      const isFoundByWords = answer.failure?.kind === 'model';
      const lines = [...(isFoundByWords ? [] : [t('It could not be indexed.')]), failureText(answer)];
      return { headline: t('Failed'), icon: 'error', lines, actions };
    }
    case 'absent': {
      const line = t('There is no such file in the open folders, or a link leads to it.');
      const lines = isEnglish() ? [answer.reason] : [line];
      return { headline: t('Not found'), icon: 'question', lines, actions: [] };
    }
    case 'ignored':
      return ignored(answer);
    case 'skipped':
      return skipped(answer);
  }
}

function queued({ waitsFor, windows }: ExplainResponse): Omit<Explanation, 'actions'> {
  const headline = t('Waiting');
  const icon = 'clock';
  switch (waitsFor) {
    case 'new-read':
      return { headline, icon, lines: [t('It has changed since it was indexed; the older text is found until then.')] };
    case 'vectors': {
      const line =
        windows === 1
          ? t('It is found by its words; its section is not embedded yet.')
          : t('It is found by its words; not all of its {0} sections are embedded yet.', numberText(windows ?? 0));
      return { headline, icon, lines: [line] };
    }
    case 'read':
    case undefined:
      return { headline, icon, lines: [t('It is not in the index yet and is read with the next update.')] };
  }
}

function ignored({ rule = '', ruleFile, ruleLine = 1, reason }: ExplainResponse): Explanation {
  const headline = t('Left out');
  const icon = 'circle-slash';
  if (ruleFile !== undefined) {
    const label = t('Open {0} at Line {1}', ruleFile, ruleLine);
    const line = t('The rule “{0}” in {1}, line {2}, leaves it out.', rule, ruleFile, ruleLine);
    return { headline, icon, lines: [line], actions: [{ kind: 'open-rule', file: ruleFile, line: ruleLine, label }] };
  }
  if (/setting landmark\.exclude/.test(reason)) {
    const setting = 'landmark.exclude';
    const line = t('The pattern “{0}” in a setting for excluded files leaves it out.', rule);
    return { headline, icon, lines: [line], actions: [{ kind: 'setting', setting, label: t('Open the Setting') }] };
  }
  const line = t('“{0}” is left out by a built-in rule: it holds no hand-written source.', rule);
  return { headline, icon, lines: isEnglish() && reason !== '' ? [reason] : [line], actions: [] };
}

function skipped({ rule, reason }: ExplainResponse): Explanation {
  const bySetting = rule === 'too-large' && reason.includes('landmark.maxFileSize');
  const setting = { kind: 'setting', setting: 'landmark.maxFileSize', label: t('Open the Setting') } as const;
  const lines = isEnglish() ? [reason] : [skipText(rule as SkipReason)];
  return { headline: t('Left out'), icon: 'circle-slash', lines, actions: bySetting ? [setting] : [] };
}

function skipText(reason: SkipReason): string {
  switch (reason) {
    case 'empty':
      return t('It holds no words.');
    case 'binary':
      return t('It holds binary data, not text.');
    case 'minified':
      return t('It is minified.');
    case 'too-large':
      return t('It is larger than the limit for files of its kind.');
    case 'secret':
      return t('Its name or its text stands for keys or passwords, so it is never indexed.');
    case 'lock-file':
      return t('It is a lock file, written by a package manager.');
    case 'generated-data':
      return t('It holds data written by a program.');
    case 'unknown-kind':
      return t('It is of a kind that holds no text.');
    default:
      return t('It is of a kind that is not indexed.');
  }
}
