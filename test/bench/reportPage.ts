import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { BENCHES } from './benches/all';
import { type BenchRecord, type BenchRun, type Figure, isReached, readRecord, REPORT_FOLDER } from './report';
import { svgPlot } from './svgPlot';

/** What the profile says of a figure whose goal is not reached, by its name: written by hand. */
const EXPLANATIONS = 'explanations.json';

/** Writes the page with all tables, and the plots, from what is stored. */
export function writeReport(folder = REPORT_FOLDER): void {
  const records = BENCHES.flatMap(({ name }) => readRecord(name, folder) ?? []);
  const file = join(folder, EXPLANATIONS);
  const explanations = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>) : {};
  for (const plot of records.flatMap(({ last }) => last.plots ?? []))
    writeFileSync(join(folder, `${plot.file}.svg`), svgPlot(plot));
  writeFileSync(join(folder, 'README.md'), reportPage(records, explanations));
}

/** The page, in Markdown. */
export function reportPage(records: readonly BenchRecord[], explanations: Readonly<Record<string, string>>): string {
  const machines = [...new Set(records.map(({ last }) => machineLine(last)))];
  const all = records.flatMap(record => record.last.figures.map(figure => ({ record, figure })));
  const open = all.filter(({ figure }) => isReached(figure) === false);
  const lines = [
    '# What was measured',
    '',
    'Written by `npm run bench`; [how it is measured](../README.md). The data lie beside this page, a file a bench.',
    '“First” is the first run that measured a figure, “last” the last one.',
    '',
    ...machines.map(machine => `- ${machine}`),
    '',
    '## Goals',
    '',
    ...table(
      all.filter(({ figure }) => figure.goal !== undefined),
      true,
    ),
    '',
    ...(open.length === 0 ? [] : ['## Where the time goes in what is not reached', '']),
    ...open.map(({ figure }) => `- **${figure.name}**: ${explanations[figure.name] ?? 'not explained yet.'}`),
    ...(open.length === 0 ? [] : ['']),
    ...records.flatMap(benchSection),
  ];
  return `${lines.join('\n').trimEnd()}\n`;
}

function benchSection(record: BenchRecord): string[] {
  const { last } = record;
  const parameters = Object.entries(last.parameters).map(([name, value]) => `${name}: ${value}`);
  return [
    `## ${record.title}`,
    '',
    `\`${last.command}\`, ${last.seconds} s, ${last.at.slice(0, 16).replace('T', ' ')}, commit ${last.commit}`,
    '',
    `${parameters.join('; ')}.`,
    '',
    ...table(
      last.figures.map(figure => ({ record, figure })),
      false,
    ),
    '',
    ...(last.plots ?? []).flatMap(plot => [`![${plot.title}](${plot.file}.svg)`, '']),
  ];
}

/** With the command that measures it, or with notes. */
function table(
  rows: readonly { readonly record: BenchRecord; readonly figure: Figure }[],
  withCommand: boolean,
): string[] {
  const cells = rows.map(({ record: { first, last }, figure }) => {
    const before = first.figures.find(({ name }) => name === figure.name);
    const mark = { true: '✓', false: '✗', undefined: '' }[String(isReached(figure))] ?? '';
    return [
      figure.name,
      goalText(figure),
      before === undefined ? '' : shownFigure(before),
      `${shownFigure(figure)}${mark === '' ? '' : ` ${mark}`}`,
      withCommand ? `\`${last.command}\`` : (figure.note ?? ''),
    ];
  });
  const head = ['figure', 'goal', 'first', 'last', withCommand ? 'command' : 'note'];
  const row = (columns: readonly string[]): string =>
    `| ${columns.map(cell => cell.replace(/\|/g, '\\|')).join(' | ')} |`;
  return [row(head), row(head.map((_, at) => (at >= 1 && at <= 3 ? '--:' : '---'))), ...cells.map(row)];
}

/** `12.3 ms`. */
export function shownFigure({ value, unit, note }: Figure): string {
  if (value === null) return `not measured${note === undefined ? '' : `: ${note}`}`;
  const digits = Math.abs(value) >= 100 || Number.isInteger(value) ? 0 : Math.abs(value) >= 10 ? 1 : 3;
  const number = value.toLocaleString('en', {
    maximumFractionDigits: digits,
    minimumFractionDigits: Math.min(digits, 2),
  });
  return `${number}${unit === '' ? '' : ` ${unit}`}`;
}

function goalText({ goal, unit }: Figure): string {
  if (goal === undefined) return '';
  const bounds = [
    ...(goal.atLeast === undefined ? [] : [`≥ ${goal.atLeast}`]),
    ...(goal.atMost === undefined ? [] : [`≤ ${goal.atMost}`]),
  ];
  return `${bounds.join(', ')}${unit === '' ? '' : ` ${unit}`}`;
}

function machineLine({ machine }: BenchRun): string {
  const { processor, processors, features, memoryGb, system, node } = machine;
  const instructions = features.length === 0 ? 'features not told' : features.join(', ');
  return `${processor}, ${processors} threads (${instructions}), ${memoryGb} GB, ${system}, Node ${node}`;
}
