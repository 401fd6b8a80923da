import type { EvaluationReport, Metrics, PastReport } from '../engine/folderEngine';
import { alignedTable } from './alignedTable';
import { printable } from '../util/text';

const METRIC_NAMES = ['mrr@10', 'acc@1', 'recall@1', 'recall@5', 'recall@10', 'ndcg@10', 'place@1'] as const;

/** Each arm alone, all together, and how many relevant files each stage had among its first 50 candidates. */
export function evaluationText(report: EvaluationReport): string {
  const all = [...Object.values(report.arms), report.metrics];
  const names = METRIC_NAMES.filter(name => all.some(metrics => metrics[name] !== undefined));
  const rowOf = (title: string, metrics: Metrics): string[] => [title, ...names.map(name => decimal(metrics[name]))];
  const rows = [
    ['arm', ...names],
    ...Object.entries(report.arms).map(([arm, metrics]) => rowOf(arm, metrics)),
    rowOf('all', report.metrics),
  ];
  const stages = Object.entries(report['recall@50']).map(([stage, recall]) => [stage, decimal(recall)]);
  const tables = [alignedTable(rows)];
  if (stages.length > 0) tables.push(alignedTable([['stage', 'recall@50'], ...stages]));
  const found = report.queries.filter(({ rank }) => rank !== null).length;
  return `${tables.join('\n\n')}\n\n${report.queries.length} cases, ${found} with a relevant file among the results.\n`;
}

/** What the figures about a repository's own past mean, then the figures. */
export function pastText(report: PastReport): string {
  return `${report.summary.map(printable).join('\n')}\n\n${evaluationText(report)}`;
}

function decimal(value: number | undefined): string {
  return value === undefined ? '-' : value.toFixed(3);
}
