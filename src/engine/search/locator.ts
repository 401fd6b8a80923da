import { countLeading } from '../../util/sorted';
import type { ContentRow } from '../store/records';
import { type MatchingLine, PlaceEvidence } from './placeEvidence';
import type { NamedWords, PlaceQuery } from './placeQuery';
import ranking from './ranking.json';

/** Lines that are judged together: the best of 1, 5, 10, 20, 40 and 80 against the lines that commits changed. */
const WINDOW_LINES = 20;
/** Lines of a place: the window and what stands around it, which a reader wants to see. */
const PLACE_LINES = 30;
/** Windows start this far apart, and at the start of every landmark's chunk. */
const STEP = 5;
/** As for the body of a file, see `PartScorer`. */
const K1 = 2;
/** More than everything else can give together. */
const DECISIVE_BONUS = 10;

/** Lines that answer, 1-based and inclusive. */
export interface LocatedPlace {
  readonly startLine: number;
  readonly endLine: number;
  /** The line inside that matches best by itself. */
  readonly line: number;
  /** In [0, 1]: what speaks for these lines, as a share of what can; 1 where one of them decides. */
  readonly score: number;
}

/** What is known of the lines of a content besides its words. */
export interface KnownLines {
  /** Lines (1-based) that the query names. */
  readonly named?: readonly number[];
  /** 1 for every line that is a comment, see `commentLines`. */
  readonly comments?: Uint8Array;
}

/**
 * The places of a content that answer a query best: windows of 20 lines by BM25 of their terms (neighbours of the query that
 * are neighbours here count besides), by the name of the definition around them and by the landmarks inside; what shows
 * comments instead of code loses. A line that the query names, or that holds word by word what was quoted or pasted, decides.
 * Best first, without overlap.
 * @param similarities cosine of each landmark, NaN = not embedded; empty when there is no query vector.
 */
export function locatePlaces(
  content: ContentRow,
  query: PlaceQuery,
  similarities: Float32Array,
  count: number,
  { named = [], comments = new Uint8Array() }: KnownLines = {},
): LocatedPlace[] {
  const evidence = new PlaceEvidence(content, query, named);
  const decisive = evidence.lines.filter(({ isDecisive }) => isDecisive);
  const decides = (start: number): boolean => decisive.some(({ line }) => line >= start && line < start + WINDOW_LINES);
  const starts = windowStarts(content);
  const scores = windowScores(starts, content, evidence, similarities, comments);
  const windows = starts.map((start, at) => {
    const score = scores[at] ?? 0;
    return decides(start)
      ? { start, score: 1, order: score + DECISIVE_BONUS }
      : { start, score: Math.max(0, score), order: score };
  });
  windows.sort((a, b) => b.order - a.order || a.start - b.start);
  const places: LocatedPlace[] = [];
  for (const { start, score, order } of windows) {
    if (places.length >= count || (order <= 0 && places.length > 0)) break;
    const [from, end] = linesShown(start, content);
    const isFree = places.every(other => end < other.startLine || from + 1 > other.endLine);
    if (isFree) places.push(placeAt(start, score, content, evidence.lines, similarities));
  }
  return places;
}

/** What speaks for each window, less what speaks against it, as a share of what can speak for one; parallel to the first lines. */
function windowScores(
  starts: readonly number[],
  content: ContentRow,
  evidence: PlaceEvidence,
  similarities: Float32Array,
  comments: Uint8Array,
): number[] {
  const names = starts.map(start => evidence.enclosingName(start + WINDOW_LINES / 2));
  const lexical = lexicalScores(starts, names, evidence);
  const landmark = landmarkScores(content, similarities, starts);
  const comment = commentShares(content, comments, starts);
  const best = Math.max(0, ...lexical);
  // Where no word of the query stands the landmarks alone can tell.
  const weights = { ...ranking.place, landmark: best > 0 ? ranking.place.landmark : 1 };
  return names.map((name, at) => {
    const words = best > 0 ? (lexical[at] ?? 0) / best : 0;
    const near = weights.landmark * (landmark[at] ?? 0);
    const sum = words + weights.name * evidence.matchOf(name) + near - weights.comments * (comment[at] ?? 0);
    return sum / (1 + weights.name + weights.landmark);
  });
}

/** Lines of a content but for an empty one at its end: what ends with a line end has no line after it. */
function lastLine({ lineCount, lineEnds }: ContentRow): number {
  const isEmpty = lineEnds[lineCount - 1] === (lineEnds[lineCount - 2] ?? 0);
  return lineCount > 1 && isEmpty ? lineCount - 1 : lineCount;
}

/** First lines (0-based) of the windows to compare; a file of no more lines is one. */
function windowStarts(content: ContentRow): number[] {
  const last = Math.max(0, content.lineCount - WINDOW_LINES);
  const starts = new Set<number>([0, last]);
  for (let start = 0; start < last; start += STEP) starts.add(start);
  for (let at = 0; at < content.spans.length; at += 2) starts.add(Math.min(last, (content.spans[at] ?? 1) - 1));
  return [...starts].sort((a, b) => a - b);
}

/**
 * BM25 without length of the windows at the given first lines, and their neighbours; the words of the query in the name
 * around a window count once. All three are parallel.
 */
function lexicalScores(
  starts: readonly number[],
  names: readonly NamedWords[],
  { lines, weights }: PlaceEvidence,
): number[] {
  const counts = new Uint32Array(weights.length);
  const usual = weights.reduce((sum, weight) => sum + weight, 0) / Math.max(1, weights.length);
  let first = 0;
  return starts.map((start, index) => {
    while ((lines[first]?.line ?? Infinity) < start) first++;
    counts.fill(0);
    let pairs = 0;
    for (let at = first; (lines[at]?.line ?? Infinity) < start + WINDOW_LINES; at++) {
      for (const slot of lines[at]?.slots ?? []) counts[slot] = (counts[slot] ?? 0) + 1;
      pairs += lines[at]?.pairs ?? 0;
    }
    for (const slot of names[index]?.slots ?? []) counts[slot] = (counts[slot] ?? 0) + 1;
    let score = ranking.place.neighbours * usual * Math.log1p(pairs);
    for (let slot = 0; slot < counts.length; slot++) {
      const occurrences = counts[slot] ?? 0;
      if (occurrences > 0) score += ((weights[slot] ?? 0) * occurrences * (K1 + 1)) / (occurrences + K1);
    }
    return score;
  });
}

/** For each window the similarity of its landmarks, by lines in common, from the file's median (0) to its best (1). */
function landmarkScores({ spans }: ContentRow, similarities: Float32Array, starts: readonly number[]): number[] {
  const known = similarities.filter(value => !Number.isNaN(value)).sort();
  const floor = known[(known.length - 1) >> 1] ?? 0;
  const range = (known.at(-1) ?? 0) - floor;
  if (range <= 0) return starts.map(() => 0);
  const scores = new Array<number>(starts.length).fill(0);
  for (let at = 0; at < similarities.length; at++) {
    const similarity = similarities[at] as number;
    if (!(similarity > floor)) continue;
    const first = (spans[2 * at] ?? 1) - 1;
    const last = (spans[2 * at + 1] ?? 1) - 1;
    const reaching = first - WINDOW_LINES + 1;
    for (let index = countLeading(starts, start => start < reaching); index < starts.length; index++) {
      const start = starts[index] ?? 0;
      if (start > last) break;
      const common = Math.min(last, start + WINDOW_LINES - 1) - Math.max(first, start) + 1;
      const share = (common / Math.min(WINDOW_LINES, last - first + 1)) * ((similarity - floor) / range);
      scores[index] = Math.max(scores[index] ?? 0, share);
    }
  }
  return scores;
}

/** For each window how much of the place around it is comments, in [0, 1]. */
function commentShares(content: ContentRow, comments: Uint8Array, starts: readonly number[]): number[] {
  const upTo = new Uint32Array(comments.length + 1);
  for (let line = 0; line < comments.length; line++) upTo[line + 1] = (upTo[line] ?? 0) + (comments[line] ?? 0);
  return starts.map(start => {
    const [from, end] = linesShown(start, content);
    return ((upTo[end] ?? 0) - (upTo[from] ?? 0)) / (end - from);
  });
}

/** The first line (0-based) of a window and as many lines before as after it, and the line behind the last; at least one line. */
function linesShown(start: number, content: ContentRow): readonly [from: number, end: number] {
  const last = lastLine(content);
  const from = Math.max(0, Math.min(start - (PLACE_LINES - WINDOW_LINES) / 2, last - PLACE_LINES));
  return [from, Math.max(from + 1, Math.min(last, from + PLACE_LINES))];
}

function placeAt(
  start: number,
  score: number,
  content: ContentRow,
  lines: readonly MatchingLine[],
  similarities: Float32Array,
): LocatedPlace {
  const [from, end] = linesShown(start, content);
  return {
    startLine: from + 1,
    endLine: end,
    line: bestLine(start, Math.min(end, start + WINDOW_LINES), content, lines, similarities),
    score,
  };
}

/**
 * The line that decides, else the one with the most query terms; without any, the first line of the best
 * landmark inside, else the window's first.
 */
function bestLine(
  start: number,
  end: number,
  content: ContentRow,
  lines: readonly MatchingLine[],
  similarities: Float32Array,
): number {
  let best = -1;
  let most = 0;
  for (const { line, slots, isDecisive } of lines) {
    if (line < start || line >= end || (slots.length <= most && !isDecisive)) continue;
    const distinct = isDecisive ? Infinity : new Set(slots).size;
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
