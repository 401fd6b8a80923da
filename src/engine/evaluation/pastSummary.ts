import type { EvaluationReport, PastReport } from '../folderEngine';
import type { HistoryCase } from './historyCases';

/** Shares of cases with a right file among the first three from which on search works well here, or not so well. */
const WELL = 0.7;
const FAIRLY = 0.5;
/** Gain in first places over plain word search that is worth a word. */
const WORTH_MENTION = 0.02;

type Figures = Omit<PastReport, 'summary'>;

/** The figures of the cases whose question does not hold the name of a right file. */
export function withoutNameOf(report: EvaluationReport, cases: readonly HistoryCase[]): PastReport['withoutName'] {
  const leaking = new Set(cases.filter(one => one.leaks_name).map(({ id }) => id));
  const ranks = report.queries.filter(({ id }) => !leaking.has(id)).map(({ rank }) => rank);
  const mean = (of: (rank: number | null) => number): number =>
    ranks.length === 0 ? 0 : ranks.reduce<number>((sum, rank) => sum + of(rank), 0) / ranks.length;
  return {
    cases: ranks.length,
    'mrr@10': mean(rank => (rank !== null && rank <= 10 ? 1 / rank : 0)),
    'acc@1': mean(rank => (rank === 1 ? 1 : 0)),
  };
}

/** What the figures mean, in sentences that need no knowledge of measures. */
export function summaryOf(figures: Figures): string[] {
  const { queries, metrics, arms, firstThree, withoutName, snapshot, files, filesLeftOut } = figures;
  const count = queries.length;
  const first = queries.filter(({ rank }) => rank === 1).length;
  const three = Math.round(firstThree * count);
  const how = firstThree >= WELL ? 'well' : firstThree >= FAIRLY ? 'fairly well' : 'not so well';
  const sentences = [
    `Search works ${how} here: asked what ${count} past commits did, it named a file they changed first ${first} times (${percent(first / count)}) and among the first three ${three} times (${percent(firstThree)}).`,
    `The questions are the commits' own messages, asked of ${files} files as they were on ${snapshot.date} (${snapshot.id.slice(0, 12)}), without any later commit.`,
  ];
  const words = arms['bm25']?.['acc@1'];
  if (words !== undefined) {
    const gain = metrics['acc@1'] - words;
    const compared = Math.abs(gain) < WORTH_MENTION ? 'about as often' : gain > 0 ? 'less often' : 'more often';
    sentences.push(`Plain word search is right with its first file ${compared}: ${percent(words)}.`);
  }
  const best = Object.entries(arms)
    .filter(([name]) => name !== 'bm25')
    .sort(([, a], [, b]) => b['mrr@10'] - a['mrr@10'])[0]?.[0];
  if (best !== undefined) sentences.push(`The arm that helps most by itself is ${best}.`);
  if (withoutName.cases > 0 && withoutName.cases < count)
    sentences.push(
      `Of the ${withoutName.cases} questions that do not hold the name of a right file, it answers ${percent(withoutName['acc@1'])} with the first file.`,
    );
  if (filesLeftOut > 0)
    sentences.push(`${filesLeftOut} files were left out of the search to keep it short, so expect a little less.`);
  return sentences;
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}
