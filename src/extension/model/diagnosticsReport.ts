import type { IndexState } from './indexState';
import type { IndexDetails } from './statusHover';
import type { Problem } from './recentProblems';

/** What a report of a fault needs. Everything but the names of files and folders in it is without a person's data. */
export interface Diagnostics {
  readonly versions: Readonly<Record<string, string>>;
  readonly machine: Readonly<Record<string, string>>;
  /** Settings of the extension whose value is not the default. */
  readonly settings: Readonly<Record<string, unknown>>;
  readonly state: IndexState;
  readonly statusText: string;
  readonly details: readonly IndexDetails[];
  readonly failed: number;
  readonly problems: readonly Problem[];
  readonly home: string;
}

/** The report as Markdown, in English whatever the editor's language: it is read by those who mend the program. */
export function diagnosticsReport(diagnostics: Diagnostics): string {
  const { versions, machine, settings, state, statusText, details, failed, problems, home } = diagnostics;
  const shown = Object.entries(settings).map(([key, value]) => [key, JSON.stringify(value)] as const);
  const report = [
    '### Landmark Code Search: diagnostics',
    section('Versions', Object.entries(versions)),
    section('Machine', Object.entries(machine)),
    section('Settings that differ from their defaults', shown),
    section('State', [['status', statusText], ['failed files', `${failed}`], ...stateLines(state)]),
    section('Indexes', details.flatMap(detailLines)),
    section(
      'Last warnings and errors',
      problems.map(({ at, level, message }) => [`${at.toISOString()} ${level}`, message.replace(/\s+/g, ' ')] as const),
    ),
  ];
  return `${shortenHome(report.join('\n\n'), home)}\n`;
}

function stateLines({ engine, paused, held, roots }: IndexState): (readonly [string, string])[] {
  const engineText = 'reason' in engine ? `${engine.kind}: ${engine.reason}` : engine.kind;
  return [
    ['search process', engineText],
    ['paused', paused ? 'by the user' : (held ?? 'no')],
    ...roots.map(({ name, state, question }) => {
      const status = state.kind === 'open' ? JSON.stringify(state.status) : JSON.stringify(state);
      return [
        `folder ${name}`,
        question === undefined ? status : `${status}, long run ${JSON.stringify(question)}`,
      ] as const;
    }),
  ];
}

function detailLines({ name, stats, updated }: IndexDetails): (readonly [string, string])[] {
  const { model, bytes, ...counts } = stats;
  return [
    [`${name}: counts`, JSON.stringify(counts)],
    [`${name}: bytes`, JSON.stringify(bytes)],
    [`${name}: model`, `${model.id} ${model.fingerprint.slice(0, 12)}`],
    [`${name}: updated`, updated?.toISOString() ?? 'not in this window'],
  ];
}

function section(title: string, lines: readonly (readonly [string, string])[]): string {
  const body = lines.length === 0 ? ['- none'] : lines.map(([key, value]) => `- ${key}: ${value}`);
  return [`**${title}**`, '', ...body].join('\n');
}

/** The home folder holds the user's name: `~` says as much to whoever reads the report. */
function shortenHome(text: string, home: string): string {
  const bare = home.replace(/[\\/]+$/, '');
  if (bare === '') return text;
  // As it is, with the slashes of a URI, and with the doubled ones of JSON.
  const forms = new Set([bare, bare.replaceAll('\\', '/'), bare.replaceAll('\\', '\\\\')]);
  return [...forms].reduce((shown, form) => shown.replaceAll(form, '~'), text);
}
