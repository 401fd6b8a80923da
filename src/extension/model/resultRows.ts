import type { Place, SearchResponse } from '../../engine/types';
import type { FolderHit } from '../../tools/mergeHits';
import { mergeHits } from '../../tools/mergeHits';
import { percent } from './indexProgress';
import { t } from './l10n';
import type { ResultFile } from './resultSet';

/** What a result opens. */
export interface Target {
  /** The engine's folder. */
  readonly folder: string;
  readonly path: string;
  /** Undefined: the beginning of the file. */
  readonly place?: Place;
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
  /** A question that was asked before. */
  | { readonly kind: 'query'; readonly label: string; readonly query: string }
  | { readonly kind: 'clearHistory'; readonly label: string }
  | { readonly kind: 'separator'; readonly label: string }
  /** A sentence in the list; opens nothing. */
  | { readonly kind: 'note'; readonly label: string; readonly detail: string };

export interface FolderAnswer {
  readonly folder: string;
  readonly response: SearchResponse;
}

/** Shown when several folders are open, by the engine's folder. */
export type FolderNames = ReadonlyMap<string, string>;

/** Longest piece of a source line in a row, in characters. */
const LONGEST_LINE = 160;

/** The rows of a search: the engine's order, partial and weak parts marked by separators. */
export function searchRows(answers: readonly FolderAnswer[], names: FolderNames, limit: number): ResultRow[] {
  const hits = mergeHits(answers).slice(0, limit);
  const complete = Math.min(1, ...answers.map(({ response }) => response.complete));
  const notes = [...new Set(answers.flatMap(({ response }) => response.note ?? []))];
  if (hits.length === 0) return emptyRows(complete, notes);
  const rows: ResultRow[] = [];
  const partial = partialText(complete);
  hits.forEach(({ folder, hit }, index) => {
    const becomesWeak = hit.weak && hits[index - 1]?.hit.weak !== true;
    const header = [index === 0 ? partial : '', becomesWeak ? t('weak matches') : '']
      .filter(text => text !== '')
      .join(' · ');
    if (header !== '') rows.push({ kind: 'separator', label: header });
    rows.push(searchRow({ folder, hit }, names));
  });
  rows.push(...notes.map(note => ({ kind: 'note', label: `$(info) ${plain(note)}`, detail: '' }) as const));
  return rows;
}

/** `partial: 42 % indexed`, or nothing when all is. */
export function partialText(complete: number): string {
  return complete >= 1 ? '' : t('partial: {0} % indexed', percent(complete));
}

function emptyRows(complete: number, notes: readonly string[]): ResultRow[] {
  const partial =
    complete < 1 ? t('Only {0} % is indexed so far.', percent(complete)) : t('Try other words for what the code does.');
  const [note = t('Nothing found.'), ...others] = notes;
  return [
    { kind: 'note', label: `$(info) ${plain(note)}`, detail: notes.length === 0 || complete < 1 ? partial : '' },
    ...others.map(other => ({ kind: 'note', label: `$(info) ${plain(other)}`, detail: '' }) as const),
  ];
}

function searchRow({ folder, hit }: FolderHit, names: FolderNames): ResultRow {
  const place = hit.places[0];
  const copies = hit.copies?.length ?? 0;
  return {
    kind: 'result',
    ...fileTexts(folder, hit.path, names, copies),
    detail: place === undefined ? '' : placeText(place),
    target: place === undefined ? { folder, path: hit.path } : { folder, path: hit.path, place },
  };
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

/** The rows of files like one file: its tests and its copies set apart, a reason for each. */
export function similarRows(files: readonly ResultFile[], names: FolderNames): ResultRow[] {
  if (files.length === 0) {
    return [
      {
        kind: 'note',
        label: `$(info) ${t('No similar file found.')}`,
        detail: t('The folder may not be indexed yet.'),
      },
    ];
  }
  const isGrouped = files.some(({ relation }) => relation !== undefined);
  return files.flatMap((file, index): ResultRow[] => {
    const begins = isGrouped && (index === 0 || files[index - 1]?.relation !== file.relation);
    const row = similarRow(file, names);
    return begins ? [{ kind: 'separator', label: groupText(file.relation) }, row] : [row];
  });
}

function similarRow(file: ResultFile, names: FolderNames): ResultRow {
  const { folder, path, copies, places } = file;
  const [best] = places;
  const from = best?.from;
  const target = best === undefined ? { folder, path } : { folder, path, place: best.place };
  return {
    kind: 'result',
    ...fileTexts(folder, path, names, copies.length),
    detail:
      best === undefined || from === undefined ? '' : likenessText([best.place.startLine, best.place.endLine], from),
    target,
    ...(from === undefined ? {} : { from }),
  };
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

function fileTexts(
  folder: string,
  path: string,
  names: FolderNames,
  copies: number,
): { label: string; description: string } {
  const cut = path.lastIndexOf('/');
  const name = names.size > 1 ? names.get(folder) : undefined;
  const where = [name, cut < 0 ? '' : path.slice(0, cut)].filter(part => part !== undefined && part !== '').join('/');
  const copiesText = copiesCount(copies);
  return {
    label: plain(path.slice(cut + 1)),
    description: plain([where, copiesText].filter(part => part !== '').join(' · ')),
  };
}

/** `2 copies`, or nothing without any. */
export function copiesCount(copies: number): string {
  if (copies === 0) return '';
  return copies === 1 ? t('1 copy') : t('{0} copies', copies);
}

/** White space collapsed, long lines cut. */
function oneLine(text: string): string {
  const line = text.trim().replace(/\s+/g, ' ');
  return line.length > LONGEST_LINE ? `${line.slice(0, LONGEST_LINE)}…` : line;
}

/** Source text may contain what the editor takes for an icon. */
export function plain(text: string): string {
  return text.replace(/\\?\$\([a-z0-9~-]+\)/gi, match => (match.startsWith('\\') ? match : `\\${match}`));
}
