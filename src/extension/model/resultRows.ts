import type { FolderHit } from '../../tools/mergeHits';
import { mergeHits } from '../../tools/mergeHits';
import type { Place, SearchResponse, SimilarHit } from '../../engine/types';
import { percent } from './indexProgress';

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
    }
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
    const header = [index === 0 ? partial : '', becomesWeak ? 'weak matches' : '']
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
  return complete >= 1 ? '' : `partial: ${percent(complete)} % indexed`;
}

function emptyRows(complete: number, notes: readonly string[]): ResultRow[] {
  const partial =
    complete < 1 ? `Only ${percent(complete)} % is indexed so far.` : 'Try other words for what the code does.';
  const [note = 'Nothing found.', ...others] = notes;
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
  const where = place.cell === undefined ? `${place.line}` : `cell ${place.cell + 1}`;
  return plain(text === '' ? where : `${where}: ${text}`);
}

/** The rows of files like one file. */
export function similarRows(folder: string, hits: readonly SimilarHit[], names: FolderNames): ResultRow[] {
  if (hits.length === 0) {
    return [{ kind: 'note', label: '$(info) No similar file found.', detail: 'The folder may not be indexed yet.' }];
  }
  return hits.map(hit => {
    const region = hit.regions[0];
    const place = region && regionPlace(region.to, region.score);
    return {
      kind: 'result',
      ...fileTexts(folder, hit.path, names, hit.copies.length),
      detail: region
        ? `${linesText(region.to)} ${region.to[0] === region.to[1] ? 'is' : 'are'} like ${linesText(region.from)}`
        : '',
      target: place === undefined ? { folder, path: hit.path } : { folder, path: hit.path, place },
    };
  });
}

function regionPlace([startLine, endLine]: readonly [number, number], score: number): Place {
  return { startLine, endLine, score, line: startLine, lineText: '' };
}

function linesText([first, last]: readonly [number, number]): string {
  return first === last ? `line ${first}` : `lines ${first}–${last}`;
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
  const copiesText = copies === 0 ? '' : copies === 1 ? '1 copy' : `${copies} copies`;
  return {
    label: plain(path.slice(cut + 1)),
    description: plain([where, copiesText].filter(part => part !== '').join(' · ')),
  };
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
