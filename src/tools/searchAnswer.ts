import type { Place, SearchResponse } from '../engine/types';
import { cutTo, lineRange, percent, printable } from '../util/text';
import { mergeHits } from './mergeHits';
import { searchNoteTexts } from './searchNotes';

/** What a program is told of a search. Lines are 1-based and inclusive; in a notebook they are lines of the cell. */
export interface SearchAnswer {
  readonly results: readonly AnsweredFile[];
  /** How much of what is to be indexed is, 0 to 1: below 1 more may be found later. */
  readonly complete: number;
  /** Sentences about what is out of the ordinary. */
  readonly notes: readonly string[];
}

export interface AnsweredFile {
  /** The folder that the path is relative to. */
  readonly folder: string;
  readonly path: string;
  /** Comparable within one answer only. */
  readonly score: number;
  /** Probably not what was asked for. */
  readonly weak: boolean;
  /** Best first. */
  readonly places: readonly AnsweredPlace[];
  /** Other files with the same content. */
  readonly copies?: readonly string[];
}

export interface AnsweredPlace {
  readonly startLine: number;
  readonly endLine: number;
  /** The line that matches best, and its text. */
  readonly line: number;
  readonly text: string;
  readonly symbol?: string;
  /** Notebook cell, from 1 as the editor counts. */
  readonly cell?: number;
}

/** Longest line of source in an answer, in characters. */
const LONGEST_LINE = 200;
const DECIMALS = 1000;

/** One answer from those of several folders, best first. */
export function searchAnswer(
  responses: readonly { readonly folder: string; readonly response: SearchResponse }[],
  limit: number,
): SearchAnswer {
  const results = mergeHits(responses)
    .slice(0, limit)
    .map(({ folder, hit }): AnsweredFile => {
      const { path, score, weak, places, copies } = hit;
      return {
        folder,
        path,
        score: Math.round(score * DECIMALS) / DECIMALS,
        weak,
        places: places.map(placeOf),
        ...(copies === undefined ? {} : { copies }),
      };
    });
  const complete = Math.min(1, ...responses.map(({ response }) => response.complete));
  const notes = searchNoteTexts(responses.map(({ response }) => response));
  if (complete < 1) notes.push(`The index is ${percent(complete)} complete: more may be found when it is finished.`);
  return { results, complete, notes };
}

function placeOf({ startLine, endLine, line, lineText, symbol, cell }: Place): AnsweredPlace {
  return {
    startLine,
    endLine,
    line,
    text: cutTo(printable(lineText.trim()), LONGEST_LINE),
    ...(symbol === undefined ? {} : { symbol }),
    ...(cell === undefined ? {} : { cell: cell + 1 }),
  };
}

/**
 * The answer in few words: for each file a line `path:line`, with the symbol and the lines around, and the text there.
 * @param nameOf a file's name in the text, for example with its folder.
 */
export function searchAnswerText({ results, notes }: SearchAnswer, nameOf: (file: AnsweredFile) => string): string {
  const lines = results.flatMap((file, at) => {
    const [place] = file.places;
    const name = printable(nameOf(file));
    const where = place === undefined ? name : `${name}:${place.line}`;
    const details = [
      ...(place?.cell === undefined ? [] : [`cell ${place.cell}`]),
      ...(place?.symbol === undefined ? [] : [printable(place.symbol)]),
      ...(place === undefined ? [] : [`lines ${lineRange(place.startLine, place.endLine)}`]),
      ...(file.weak ? ['weak match'] : []),
      ...(file.copies === undefined ? [] : [`same content: ${file.copies.map(printable).join(', ')}`]),
    ];
    const head = `${at + 1}. ${where}${details.length === 0 ? '' : ` (${details.join('; ')})`}`;
    return place === undefined || place.text === '' ? [head] : [head, `   ${place.text}`];
  });
  if (results.length === 0) lines.push('Nothing was found.');
  return [...lines, ...notes.map(printable)].join('\n');
}
