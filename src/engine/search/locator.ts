import type { ContentRow } from '../store/records';
import ranking from './ranking.json';

/** Lines of a place: the best of 1, 5, 10, 20, 40 and 80 against the lines that commits changed. */
const PLACE_LINES = 20;
/** Windows of that many lines start this far apart, and at the start of every landmark's chunk. */
const STEP = 5;
const K1 = 1.2;

/** Lines that answer, 1-based and inclusive. */
export interface LocatedPlace {
  readonly startLine: number;
  readonly endLine: number;
  /** The line inside that matches best by itself. */
  readonly line: number;
  /** In [0, 1]: lexical and landmark evidence, each relative to the file's best. */
  readonly score: number;
}

/**
 * The places of a content that answer a query best: windows of 20 lines by BM25 of their terms together with the
 * landmarks inside. Best first, without overlap.
 * @param weights of the query's terms (IDF) by vocabulary number.
 * @param similarities cosine of each landmark, NaN = not embedded; empty when there is no query vector.
 */
export function locatePlaces(
  content: ContentRow,
  weights: ReadonlyMap<number, number>,
  similarities: Float32Array,
  count: number,
): LocatedPlace[] {
  const lines = matchingLines(content, new Map([...weights.keys()].map((term, slot) => [term, slot])));
  const starts = windowStarts(content);
  const lexical = lexicalScores(starts, lines, [...weights.values()]);
  const landmark = landmarkScores(content, similarities, starts);
  const bestLexical = lexical.reduce((best, score) => Math.max(best, score), 0);
  const scored = starts.map((start, at) => {
    const words = bestLexical > 0 ? (lexical[at] ?? 0) / bestLexical : 0;
    return { start, score: (words + ranking.place.landmark * (landmark[at] ?? 0)) / (1 + ranking.place.landmark) };
  });
  scored.sort((a, b) => b.score - a.score || a.start - b.start);
  const places: LocatedPlace[] = [];
  for (const { start, score } of scored) {
    if (places.length >= count || (score <= 0 && places.length > 0)) break;
    const place = placeAt(start, score, content, lines, similarities);
    if (places.every(other => place.endLine < other.startLine || place.startLine > other.endLine)) places.push(place);
  }
  return places;
}

/** Lines of a content but for an empty one at its end: what ends with a line end has no line after it. */
function lastLine({ lineCount, lineEnds }: ContentRow): number {
  const isEmpty = lineEnds[lineCount - 1] === (lineEnds[lineCount - 2] ?? 0);
  return lineCount > 1 && isEmpty ? lineCount - 1 : lineCount;
}

/** A line (0-based) that holds terms of the query, each by its place among the weights. */
interface MatchingLine {
  readonly line: number;
  readonly slots: readonly number[];
}

/** In order of their lines. */
function matchingLines({ terms, lineEnds }: ContentRow, slotOf: ReadonlyMap<number, number>): MatchingLine[] {
  const found: MatchingLine[] = [];
  let at = 0;
  for (let line = 0; line < lineEnds.length; line++) {
    const end = lineEnds[line] ?? at;
    let slots: number[] | undefined;
    for (; at < end; at++) {
      const slot = slotOf.get(terms[at] ?? 0);
      if (slot !== undefined) (slots ??= []).push(slot);
    }
    if (slots !== undefined) found.push({ line, slots });
  }
  return found;
}

/** First lines (0-based) of the windows to compare; a file of 20 lines or fewer is one. */
function windowStarts(content: ContentRow): number[] {
  const last = Math.max(0, content.lineCount - PLACE_LINES);
  const starts = new Set<number>([0, last]);
  for (let start = 0; start < last; start += STEP) starts.add(start);
  for (let at = 0; at < content.spans.length; at += 2) starts.add(Math.min(last, (content.spans[at] ?? 1) - 1));
  return [...starts].sort((a, b) => a - b);
}

/** BM25 without length of the windows at the given first lines, in order; parallel to them. */
function lexicalScores(
  starts: readonly number[],
  lines: readonly MatchingLine[],
  weights: readonly number[],
): number[] {
  const counts = new Uint32Array(weights.length);
  let first = 0;
  return starts.map(start => {
    while ((lines[first]?.line ?? Infinity) < start) first++;
    counts.fill(0);
    for (let at = first; (lines[at]?.line ?? Infinity) < start + PLACE_LINES; at++) {
      for (const slot of lines[at]?.slots ?? []) counts[slot] = (counts[slot] ?? 0) + 1;
    }
    let score = 0;
    for (const [slot, weight] of weights.entries()) {
      const occurrences = counts[slot] ?? 0;
      if (occurrences > 0) score += (weight * occurrences * (K1 + 1)) / (occurrences + K1);
    }
    return score;
  });
}

/** For each window the similarity of its landmarks, by lines in common, from the file's median (0) to its best (1). */
function landmarkScores({ spans }: ContentRow, similarities: Float32Array, starts: readonly number[]): number[] {
  const known = [...similarities].filter(value => !Number.isNaN(value)).sort((a, b) => a - b);
  const floor = known[(known.length - 1) >> 1] ?? 0;
  const range = (known.at(-1) ?? 0) - floor;
  if (range <= 0) return starts.map(() => 0);
  const scores = new Array<number>(starts.length).fill(0);
  for (const [at, similarity] of similarities.entries()) {
    if (!(similarity > floor)) continue;
    const [first, last] = [(spans[2 * at] ?? 1) - 1, (spans[2 * at + 1] ?? 1) - 1];
    for (let index = firstAtLeast(starts, first - PLACE_LINES + 1); index < starts.length; index++) {
      const start = starts[index] ?? 0;
      if (start > last) break;
      const common = Math.min(last, start + PLACE_LINES - 1) - Math.max(first, start) + 1;
      const share = (common / Math.min(PLACE_LINES, last - first + 1)) * ((similarity - floor) / range);
      scores[index] = Math.max(scores[index] ?? 0, share);
    }
  }
  return scores;
}

function firstAtLeast(sorted: readonly number[], value: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? 0) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

function placeAt(
  start: number,
  score: number,
  content: ContentRow,
  lines: readonly MatchingLine[],
  similarities: Float32Array,
): LocatedPlace {
  const end = Math.min(lastLine(content), start + PLACE_LINES);
  return {
    startLine: start + 1,
    endLine: Math.max(start + 1, end),
    line: bestLine(start, end, content, lines, similarities),
    score,
  };
}

/** The line with the most query terms; without any, the first line of the best landmark inside, else the window's first. */
function bestLine(
  start: number,
  end: number,
  content: ContentRow,
  lines: readonly MatchingLine[],
  similarities: Float32Array,
): number {
  let best = -1;
  let most = 0;
  for (const { line, slots } of lines) {
    if (line < start || line >= end) continue;
    const distinct = new Set(slots).size;
    if (distinct > most) [best, most] = [line, distinct];
  }
  if (best >= 0) return best + 1;
  let nearest = -Infinity;
  for (const [at, similarity] of similarities.entries()) {
    const first = (content.spans[2 * at] ?? 1) - 1;
    if (first >= start && first < end && similarity > nearest) [best, nearest] = [first, similarity];
  }
  return Math.max(best, start) + 1;
}
