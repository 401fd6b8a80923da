/** A piece of a text: first index, and the index after the last. */
export type TextRange = readonly [start: number, end: number];

/** Words that say nothing about a line. */
const UNTELLING = new Set(
  'a an and any all are as at be by can do does for from has have how if in into is it its no not of on or that the this to was we what when where which with you'.split(
    ' ',
  ),
);
const SHORTEST_WORD = 2;
const FILTER = /(?<!\S)-(?:[\p{L}_$][\p{L}\p{N}_$]*)|(?<!\S)-?(?:path|lang):(?:"[^"]*"|\S+)/gu;
/** Parts of identifiers: `readHTTPResponse` is read, HTTP, Response. */
const WORD = /\p{Lu}+(?!\p{Ll})|\p{Lu}?[\p{Ll}\p{M}]+|\p{Lo}+|\p{N}+/gu;

/** The words of a question that lines can be marked by, each by its stem. */
export function wordsOf(query: string): ReadonlySet<string> {
  const words = [...query.replace(FILTER, ' ').matchAll(WORD)].map(([word]) => word.toLowerCase());
  return new Set(words.filter(word => word.length >= SHORTEST_WORD && !UNTELLING.has(word)).map(stemOf));
}

/** Where a line has words of the question, also as parts of a name; neighbours are one range. */
export function matchingRanges(line: string, words: ReadonlySet<string>): TextRange[] {
  const ranges: [number, number][] = [];
  for (const match of line.matchAll(WORD)) {
    if (!words.has(stemOf(match[0].toLowerCase()))) continue;
    const start = match.index;
    const end = start + match[0].length;
    const last = ranges.at(-1);
    if (last !== undefined && last[1] === start) last[1] = end;
    else ranges.push([start, end]);
  }
  return ranges;
}

/** `hashes`, `hashed` and `hashing` are one word. Rough: a mark too much does no harm. */
function stemOf(word: string): string {
  const stem = word.replace(/(?:ing|ies|ied|ed|es|er|s|e|y)$/, '');
  return stem.length < 3 ? word : stem;
}
