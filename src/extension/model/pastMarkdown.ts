import type { Metrics, PastReport } from '../../engine/folderEngine';
import type { IndexProgress } from '../../engine/types';
import { t } from './l10n';

const COLUMNS = [
  ['first file right', 'acc@1'],
  ['MRR@10', 'mrr@10'],
  ['found in ten', 'recall@10'],
] as const satisfies readonly (readonly [string, keyof Metrics])[];

const ARM_WORDS: Readonly<Record<string, string>> = {
  file: 'vectors of whole files',
  landmark: 'vectors of places',
  path: 'vectors of paths',
  lexical: 'words',
  history: 'past commits',
  definition: 'defined names',
  bm25: 'plain word search',
};

/** What is being done, with the share of it where that is known. */
export function pastProgressText({ phase, done, total }: IndexProgress): string {
  const words = phaseText(phase);
  return total > 0 ? `${words}, ${Math.floor((100 * Math.min(done, total)) / total)} %` : words;
}

function phaseText(phase: IndexProgress['phase']): string {
  switch (phase) {
    case 'commits':
      return t('reading past commits');
    case 'questions':
      return t('asking');
    default:
      return t('indexing the files as they were');
  }
}

/** The report about a folder's own past as a document in English, as the engine words it: sentences, then each arm by itself and all together. */
export function pastMarkdown(name: string, report: PastReport): string {
  const row = (title: string, metrics: Metrics): string =>
    `| ${[title, ...COLUMNS.map(([, key]) => `${(100 * metrics[key]).toFixed(0)} %`)].join(' | ')} |`;
  const arms = Object.entries(report.arms).sort(([, a], [, b]) => b['mrr@10'] - a['mrr@10']);
  const lines = [
    `# How well does search work in ${name}?`,
    '',
    ...report.summary.map(sentence => `- ${sentence}`),
    '',
    `| | ${COLUMNS.map(([title]) => title).join(' | ')} |`,
    `| --- | ${COLUMNS.map(() => '---').join(' | ')} |`,
    row('**all together**', report.metrics),
    ...arms.map(([arm, metrics]) => row(ARM_WORDS[arm] ?? arm, metrics)),
    '',
  ];
  const place = report.metrics['place@1'];
  if (place !== undefined)
    lines.push(
      `The place it shows first meets a changed line in ${(100 * place).toFixed(0)} % of the right files.`,
      '',
    );
  lines.push('What a commit changed counts as right; other files may have been good answers too.', '');
  return lines.join('\n');
}
