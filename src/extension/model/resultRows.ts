import type { Place, SearchResponse } from '../../engine/types';
import type { FolderHit } from '../../tools/mergeHits';
import { mergeHits } from '../../tools/mergeHits';
import { searchNoteTexts } from '../../tools/searchNotes';
import { percent } from './indexProgress';
import { t } from './l10n';
import type { ResultFile, ResultSet } from './resultSet';
import { searchNoteText } from './searchNoteText';

/** What a result opens. */
export interface Target {
  /** The engine's folder. */
  readonly folder: string;
  readonly path: string;
  /** Undefined: the beginning of the file. */
  readonly place?: Place;
}

/** Tells a file from all others. */
export function fileKey({ folder, path }: Pick<Target, 'folder' | 'path'>): string {
  return `${folder}\n${path}`;
}

/** One row of a pick list, without anything of the editor in it. */
export type ResultRow =
  | {
      readonly kind: 'result';
      readonly label: string;
      readonly description: string;
      readonly detail: string;
      readonly target: Target;
      /** Of a similar file: the lines of the file asked about that the target's place is like. */
      readonly from?: readonly [number, number];
    }
  /** Stands for the copies of the result above it, which take its place when it is chosen. */
  | {
      readonly kind: 'copies';
      readonly label: string;
      readonly description: string;
      /** Of the file above. */
      readonly target: Target;
      readonly rows: readonly ResultRow[];
    }
  /** A question that was asked before. */
  | { readonly kind: 'query'; readonly label: string; readonly query: string }
  | { readonly kind: 'clearHistory'; readonly label: string }
  | { readonly kind: 'separator'; readonly label: string }
  /** A sentence in the list; opens nothing. */
  | { readonly kind: 'note'; readonly label: string; readonly detail: string };

export type CopiesRow = Extract<ResultRow, { kind: 'copies' }>;

export interface FolderAnswer {
  readonly folder: string;
  readonly response: SearchResponse;
}

/** Shown when several folders are open, by the engine's folder. */
export type FolderNames = ReadonlyMap<string, string>;

/** Longest piece of a source line in a row, in characters. */
const LONGEST_LINE = 160;
/** Longest list of paths in a row, in characters. */
const LONGEST_PATHS = 80;

/**
 * The rows of a search: the engine's order, partial and weak parts marked by separators.
 * @param isReading the files are read for the first time, and nothing of them is known yet.
 */
export function searchRows(
  answers: readonly FolderAnswer[],
  names: FolderNames,
  limit: number,
  isReading = false,
): ResultRow[] {
  const hits = mergeHits(answers).slice(0, limit);
  const complete = Math.min(1, ...answers.map(({ response }) => response.complete));
  const notes = searchNoteTexts(
    answers.map(({ response }) => response),
    searchNoteText,
  );
  if (hits.length === 0 && isReading) {
    const detail = t('The answer comes when they are read.');
    return [{ kind: 'note', label: `$(sync~spin) ${t('Reading the files.')}`, detail }];
  }
  if (hits.length === 0) return emptyRows(complete, notes);
  const rows: ResultRow[] = [];
  const partial = partialText(complete);
  hits.forEach(({ folder, hit }, index) => {
    const becomesWeak = hit.weak && hits[index - 1]?.hit.weak !== true;
    const header = [index === 0 ? partial : '', becomesWeak ? t('weak matches') : '']
      .filter(text => text !== '')
      .join(' · ');
    if (header !== '') rows.push({ kind: 'separator', label: header });
    rows.push(...searchRow({ folder, hit }, names));
  });
  rows.push(...notes.map(note => ({ kind: 'note', label: `$(info) ${plain(note)}`, detail: '' }) as const));
  return rows;
}

/** `partial: 42 % indexed`, or nothing when all is. */
export function partialText(complete: number): string {
  return complete >= 1 ? '' : t('partial: {0} % indexed', percent(complete));
}

function emptyRows(complete: number, notes: readonly string[]): ResultRow[] {
  const partial = complete < 1 ? onlyPartText(complete) : t('Try other words for what the code does.');
  const [note = t('Nothing found.'), ...others] = notes;
  return [
    { kind: 'note', label: `$(info) ${plain(note)}`, detail: notes.length === 0 || complete < 1 ? partial : '' },
    ...others.map(other => ({ kind: 'note', label: `$(info) ${plain(other)}`, detail: '' }) as const),
  ];
}

function onlyPartText(complete: number): string {
  return t('Only {0} % is indexed so far.', percent(complete));
}

function searchRow({ folder, hit }: FolderHit, names: FolderNames): ResultRow[] {
  const place = hit.places[0];
  const target = place === undefined ? { folder, path: hit.path } : { folder, path: hit.path, place };
  const detail = place === undefined ? '' : placeText(place);
  const row = { kind: 'result', ...fileTexts(folder, hit.path, names), detail, target } as const;
  return [row, ...copyRows(target, hit.copies ?? [], names)];
}

/** One copy as it is, more as one row that gives way to them. */
function copyRows(target: Target, copies: readonly string[], names: FolderNames): ResultRow[] {
  const rows = copies.map((path): ResultRow => {
    const { label, description } = fileTexts(target.folder, path, names);
    const words = [description, t('same content')].filter(text => text !== '').join(' · ');
    return { kind: 'result', label, description: words, detail: '', target: { ...target, path } };
  });
  if (rows.length < 2) return rows;
  const paths = cutLine(copies.join(', '), LONGEST_PATHS);
  return [
    {
      kind: 'copies',
      label: `$(chevron-right) ${copiesCount(copies.length)}`,
      description: plain(paths),
      target,
      rows,
    },
  ];
}

function placeText(place: Place): string {
  const text = oneLine(place.lineText);
  const where = place.cell === undefined ? `${place.line}` : t('cell {0}', place.cell + 1);
  const line = text === '' ? where : `${where}: ${text}`;
  return plain(place.symbol === undefined ? line : `${place.symbol} · ${line}`);
}

/** What the list offers before anything is typed: the questions asked before, newest first. */
export function historyRows(history: readonly string[]): ResultRow[] {
  if (history.length === 0) return [];
  return [
    { kind: 'separator', label: t('recent searches') },
    ...history.map(query => ({ kind: 'query', label: `$(history) ${plain(oneLine(query))}`, query }) as const),
    { kind: 'separator', label: '' },
    { kind: 'clearHistory', label: `$(clear-all) ${t('Clear Recent Searches')}` },
  ];
}

/** The rows of files like one file: its tests and its copies set apart, a reason for each, a partial index marked. */
export function similarRows({ files, complete }: Omit<ResultSet, 'question'>, names: FolderNames): ResultRow[] {
  if (files.length === 0) {
    const detail = complete < 1 ? onlyPartText(complete) : '';
    return [{ kind: 'note', label: `$(info) ${t('No similar file found.')}`, detail }];
  }
  const partial = partialText(complete);
  const isGrouped = files.some(({ relation }) => relation !== undefined);
  return files.flatMap((file, index): ResultRow[] => {
    const begins = isGrouped && (index === 0 || files[index - 1]?.relation !== file.relation);
    const found = [similarRow(file, names), ...copyRows(targetOf(file), file.copies, names)];
    const header = [index === 0 ? partial : '', begins ? groupText(file.relation) : ''].filter(text => text !== '');
    return header.length > 0 ? [{ kind: 'separator', label: header.join(' · ') }, ...found] : found;
  });
}

function similarRow(file: ResultFile, names: FolderNames): ResultRow {
  const [best] = file.places;
  const from = best?.from;
  return {
    kind: 'result',
    ...fileTexts(file.folder, file.path, names),
    detail:
      best === undefined || from === undefined ? '' : likenessText([best.place.startLine, best.place.endLine], from),
    target: targetOf(file),
    ...(from === undefined ? {} : { from }),
  };
}

function targetOf({ folder, path, places: [best] }: ResultFile): Target {
  return best === undefined ? { folder, path } : { folder, path, place: best.place };
}

function groupText(relation: ResultFile['relation']): string {
  switch (relation) {
    case 'test':
      return t('its tests');
    case 'tested':
      return t('what it tests');
    case 'copy':
      return t('same content');
    case undefined:
      return t('similar');
  }
}

function likenessText(to: readonly [number, number], from: readonly [number, number]): string {
  return to[0] === to[1]
    ? t('{0} is like {1}', linesText(to), linesText(from))
    : t('{0} are like {1}', linesText(to), linesText(from));
}

/** `line 3` or `lines 3–9`. */
export function linesText([first, last]: readonly [number, number]): string {
  return first === last ? t('line {0}', first) : t('lines {0}–{1}', first, last);
}

function fileTexts(folder: string, path: string, names: FolderNames): { label: string; description: string } {
  const cut = path.lastIndexOf('/');
  const name = names.size > 1 ? names.get(folder) : undefined;
  const where = [name, cut < 0 ? '' : path.slice(0, cut)].filter(part => part !== undefined && part !== '').join('/');
  return { label: plain(path.slice(cut + 1)), description: plain(where) };
}

/** `2 copies`, or nothing without any. */
export function copiesCount(copies: number): string {
  if (copies === 0) return '';
  return copies === 1 ? t('1 copy') : t('{0} copies', copies);
}

/** White space collapsed, long lines cut. */
function oneLine(text: string): string {
  return cutLine(text.trim().replace(/\s+/g, ' '), LONGEST_LINE);
}

function cutLine(line: string, longest: number): string {
  return line.length > longest ? `${line.slice(0, longest)}…` : line;
}

/** Source text may contain what the editor takes for an icon. */
export function plain(text: string): string {
  return text.replace(/\\?\$\([a-z0-9~-]+\)/gi, match => (match.startsWith('\\') ? match : `\\${match}`));
}
