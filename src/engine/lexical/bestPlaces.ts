import type { BodyContent } from './bodyIndex';

/** Lines of a place: the best of 1, 5, 10, 20, 40 and 80 in our measurement against the lines that commits changed. */
const PLACE_LINES = 20;
const K1 = 1.2;

/** Lines of a content that match best, 1-based and inclusive. */
export interface LexicalPlace {
  readonly startLine: number;
  readonly endLine: number;
  /** The line inside that matches best by itself. */
  readonly line: number;
  /** BM25 of the 20 lines. */
  readonly score: number;
}

/**
 * The windows of 20 lines that match a query best, best first, without overlap; fewer than `count` where fewer match.
 * @param weights of the query's terms (their IDF) by vocabulary number.
 */
export function bestPlaces(content: BodyContent, weights: ReadonlyMap<number, number>, count: number): LexicalPlace[] {
  const lines = matchingLines(content, weights);
  const windows = scoredWindows(content.lineEnds.length, lines, weights).sort(
    (a, b) => b.score - a.score || a.first - b.first,
  );
  const places: LexicalPlace[] = [];
  for (const window of windows) {
    if (places.length >= count) break;
    const place = placeOf(window, lines, content.lineEnds.length);
    if (places.every(other => place.endLine < other.startLine || place.startLine > other.endLine)) places.push(place);
  }
  return places;
}

/** A line (0-based) with the query terms on it. */
interface MatchingLine {
  readonly line: number;
  readonly terms: readonly number[];
  /** Sum of the weights of its distinct terms. */
  readonly weight: number;
}

function matchingLines(content: BodyContent, weights: ReadonlyMap<number, number>): MatchingLine[] {
  const { terms, lineEnds } = content;
  const lines: MatchingLine[] = [];
  let at = 0;
  for (let line = 0; line < lineEnds.length; line++) {
    const end = lineEnds[line] ?? at;
    let found: number[] | undefined;
    for (; at < end; at++) {
      const term = terms[at] ?? 0;
      if (weights.has(term)) (found ??= []).push(term);
    }
    if (found === undefined) continue;
    let weight = 0;
    for (const term of new Set(found)) weight += weights.get(term) ?? 0;
    lines.push({ line, terms: found, weight });
  }
  return lines;
}

interface Window {
  /** Indices into the matching lines, inclusive. */
  readonly first: number;
  readonly last: number;
  readonly score: number;
}

/** One window for each matching line: the one that starts there. Others hold no more than one of these. */
function scoredWindows(
  lineCount: number,
  lines: readonly MatchingLine[],
  weights: ReadonlyMap<number, number>,
): Window[] {
  const counts = new Map<number, number>();
  const windows: Window[] = [];
  let last = -1;
  for (const [first, { line }] of lines.entries()) {
    while (last + 1 < lines.length && (lines[last + 1]?.line ?? lineCount) < line + PLACE_LINES) {
      last++;
      for (const term of lines[last]?.terms ?? []) counts.set(term, (counts.get(term) ?? 0) + 1);
    }
    let score = 0;
    for (const [term, weight] of weights) {
      const occurrences = counts.get(term) ?? 0;
      score += (weight * occurrences * (K1 + 1)) / (occurrences + K1);
    }
    windows.push({ first, last, score });
    for (const term of lines[first]?.terms ?? []) counts.set(term, (counts.get(term) ?? 0) - 1);
  }
  return windows;
}

/** The 20 lines around the middle of what matches. */
function placeOf(window: Window, lines: readonly MatchingLine[], lineCount: number): LexicalPlace {
  const inside = lines.slice(window.first, window.last + 1);
  const best = inside.reduce((a, b) => (b.weight > a.weight ? b : a));
  const [first, last] = [inside[0]?.line ?? 0, inside.at(-1)?.line ?? 0];
  const start = Math.max(0, Math.min(Math.floor((first + last + 1 - PLACE_LINES) / 2), lineCount - PLACE_LINES));
  return {
    startLine: start + 1,
    endLine: Math.min(lineCount, start + PLACE_LINES),
    line: best.line + 1,
    score: window.score,
  };
}
