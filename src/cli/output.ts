import type {
  ExplainResponse,
  IndexReport,
  IndexStats,
  SearchHit,
  SearchResponse,
  SimilarResponse,
} from '../engine/types';
import { cutTo, lineRange, percent, printable } from '../util/text';
import type { TextStyle } from './terminal';

/** Failed files that are named one by one. */
const MOST_FAILED_FILES = 10;
/** Regions of a similar file that are shown. */
const MOST_REGIONS = 3;
/** Longest line that is shown where there is no terminal width, in characters. */
const MOST_CHARACTERS = 160;

type Paint = (code: number, text: string) => string;

const painter =
  ({ colour }: TextStyle): Paint =>
  (code, text) =>
    colour ? `\u001b[${code}m${text}\u001b[0m` : text;
const BOLD = 1;
const DIM = 2;
const YELLOW = 33;
const CYAN = 36;

/** The answer to `search --json`. */
export function searchJson({ query, complete, timing, results }: SearchResponse): object {
  return {
    query,
    complete,
    timing,
    results: results.map(({ path, score, weak, arms, places }) => ({ path, score, weak, arms, places })),
  };
}

/** One hit in two lines: rank, place, score and mark; below it the line that matches best. */
export function searchText({ results, complete }: SearchResponse, style: TextStyle): string {
  const rankWidth = String(results.length).length;
  const lines = results.flatMap((hit, at) => hitLines(hit, String(at + 1).padStart(rankWidth), style));
  if (results.length === 0) lines.push('Nothing was found.');
  return `${[...lines, ...completeLines(complete)].join('\n')}\n`;
}

/** What a person should know of an answer that is not drawn from everything. */
function completeLines(complete: number): string[] {
  return complete < 1 ? ['', `The index is ${percent(complete)} complete: run "landmark index" to complete it.`] : [];
}

function hitLines(hit: SearchHit, rank: string, style: TextStyle): string[] {
  const paint = painter(style);
  const [place] = hit.places;
  const range = place === undefined ? '' : `:${lineRange(place.startLine, place.endLine)}`;
  const where = paint(BOLD, printable(hit.path)) + paint(CYAN, range);
  const symbol = place?.symbol === undefined ? '' : `  ${printable(place.symbol)}`;
  const cell = place?.cell === undefined ? '' : `  cell ${place.cell + 1}`;
  const weak = hit.weak ? `  ${paint(YELLOW, 'weak match')}` : '';
  const head = `${rank}  ${where}${symbol}${cell}  ${paint(DIM, hit.score.toFixed(3))}${weak}`;
  const indent = ' '.repeat(rank.length + 2);
  const lines = [head];
  if (place !== undefined && place.lineText.trim() !== '') {
    const lineNumber = `${place.line}: `;
    const room = Math.min(style.columns, MOST_CHARACTERS) - indent.length - lineNumber.length;
    lines.push(`${indent}${paint(DIM, lineNumber)}${cutTo(printable(place.lineText.trim()), room)}`);
  }
  if (hit.copies !== undefined && hit.copies.length > 0) {
    lines.push(`${indent}${paint(DIM, `same content: ${hit.copies.map(printable).join(', ')}`)}`);
  }
  return lines;
}

export function similarText({ results, complete }: SimilarResponse, style: TextStyle): string {
  const paint = painter(style);
  const rankWidth = String(results.length).length;
  const lines = results.flatMap(({ path, score, copies, regions }, at) => {
    const indent = ' '.repeat(rankWidth + 2);
    const head = `${String(at + 1).padStart(rankWidth)}  ${paint(BOLD, printable(path))}  ${paint(DIM, score.toFixed(3))}`;
    const pairs = regions
      .slice(0, MOST_REGIONS)
      .map(({ from, to }) => `${indent}${linesOf(from)} ${isOne(from) ? 'is' : 'are'} like its ${linesOf(to)}`);
    const same = copies.length > 0 ? [`${indent}same content: ${copies.map(printable).join(', ')}`] : [];
    return [head, ...pairs, ...same];
  });
  if (results.length === 0) lines.push('No similar file was found.');
  return `${[...lines, ...completeLines(complete)].join('\n')}\n`;
}

export function explainText(answer: ExplainResponse): string {
  const lines = [`${printable(answer.path)}: ${answer.state}. ${printable(answer.reason)}`.trim()];
  // The rule that ignores a file stands in the sentence; what skips one is named as the summary of an index run counts it.
  if (answer.state === 'skipped' && answer.rule !== undefined) lines.push(`Counted as ${printable(answer.rule)}.`);
  if (answer.windows !== undefined)
    lines.push(`${count(answer.windows, 'window')}, content ${answer.contentHash ?? 'unknown'}.`);
  return `${lines.join('\n')}\n`;
}

export function statsText(stats: IndexStats): string {
  const parts = Object.entries(stats.bytes).map(([part, bytes]): [string, string] => [`  ${part}`, formatBytes(bytes)]);
  const rows: readonly (readonly [string, string])[] = [
    ['files', number(stats.files)],
    ['windows', number(stats.windows)],
    ['landmarks', number(stats.landmarks)],
    ['complete', percent(stats.complete)],
    ['files waiting', number(stats.queue)],
    ['model', `${stats.model.id} (${stats.model.fingerprint.slice(0, 12)})`],
    ['bytes', ''],
    ...parts,
  ];
  const width = Math.max(...rows.map(([name]) => name.length));
  return `${rows.map(([name, value]) => `${name.padEnd(width)}  ${value}`.trimEnd()).join('\n')}\n`;
}

/** Two lines of summary, then the files that failed. */
export function indexText(report: IndexReport): string {
  const { files, embedded, reused, windows, skipped, failed, seconds } = report;
  const skippedCount = Object.values(skipped).reduce((sum, n) => sum + n, 0);
  const reasons = Object.entries(skipped)
    .sort(([, a], [, b]) => b - a)
    .map(([reason, n]) => `${reason} ${number(n)}`);
  const first = `${count(files, 'file')} in ${seconds.toFixed(1)} s: ${number(embedded)} embedded, ${number(reused)} reused, ${number(skippedCount)} skipped, ${number(failed.length)} failed.`;
  const left = reasons.length === 0 ? 'Nothing was skipped.' : `Skipped: ${reasons.join(', ')}.`;
  const second = `${count(windows.embedded, 'window')} computed, ${number(windows.reused)} reused. ${left}`;
  const named = failed
    .slice(0, MOST_FAILED_FILES)
    .map(({ path, reason }) => `  failed: ${printable(path)}: ${printable(reason)}`);
  const more = failed.length - named.length;
  if (more > 0) named.push(`  and ${count(more, 'further file')} that failed: --json names all`);
  return `${[first, second, ...named].join('\n')}\n`;
}

function linesOf([first, last]: readonly [number, number]): string {
  return `${isOne([first, last]) ? 'line' : 'lines'} ${lineRange(first, last)}`;
}

function isOne([first, last]: readonly [number, number]): boolean {
  return first === last;
}

export function formatBytes(bytes: number): string {
  const units = ['B', 'KB', 'MB', 'GB', 'TB'];
  let value = bytes;
  let unit = 0;
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000;
    unit++;
  }
  return `${unit === 0 ? value : value.toFixed(1)} ${units[unit]}`;
}

function number(value: number): string {
  return value.toLocaleString('en-US');
}

function count(value: number, what: string): string {
  return `${number(value)} ${what}${value === 1 ? '' : 's'}`;
}
