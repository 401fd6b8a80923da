/** Lines above this many characters are not written by hand, though one may be pasted. */
const LONG_LINE = 1_000;
/** Lines up to this many characters are what people write. */
const NORMAL_LINE = 200;
/** Below this size nothing is worth leaving out. */
const LEAST_SIZE = 2_000;
/** From this many characters in long lines on, they are what the file is about: a pasted 3,000-token line stays below. */
const BULK = 30_000;
const BULK_SHARE = 0.8;
/** A file with fewer normal lines than this has no normal part to speak of (a licence line, a `use strict`, an import). */
const FEW_LINES = 5;
const LONG_AVERAGE = 300;
/** Prose with a paragraph to a line has a space every six characters; minified code has far fewer. */
const PROSE_SPACES = 0.12;

/**
 * An unbroken run of base64 or hexadecimal this long is data: no identifier or address gets there. The look-behind keeps
 * the search linear: a run that is too short is tried once, not from each of its characters.
 */
const ENCODED_RUN = /(?<![A-Za-z0-9+/=_-])[A-Za-z0-9+/=_-]{200,}|^(?:[A-Za-z0-9+/=]{60,80}\r?\n){8,}/gm;
const ENCODED_SHARE = 0.5;

interface LineLengths {
  /** Lines that are not blank. */
  readonly lines: number;
  readonly normal: number;
  readonly characters: number;
  /** Characters and spaces in the lines above `LONG_LINE`. */
  readonly longCharacters: number;
  readonly longSpaces: number;
}

function measureLines(text: string): LineLengths {
  let lines = 0;
  let normal = 0;
  let characters = 0;
  let longCharacters = 0;
  let longSpaces = 0;
  for (const line of text.split(/\r\n|\n|\r/)) {
    const length = line.length > LONG_LINE ? line.length : line.trim().length;
    if (length === 0) continue;
    lines++;
    characters += length;
    if (length <= NORMAL_LINE) normal++;
    if (length <= LONG_LINE) continue;
    longCharacters += length;
    for (let i = 0; i < length; i++) if (line.charCodeAt(i) === 32) longSpaces++;
  }
  return { lines, normal, characters, longCharacters, longSpaces };
}

/**
 * True for text that a program squeezed into a few huge lines, in any language. A long line inside an otherwise normal
 * file, prose with one paragraph to a line, and long files of ordinary lines are not.
 */
export function looksMinified(text: string): boolean {
  if (text.length < LEAST_SIZE) return false;
  const { lines, normal, characters, longCharacters, longSpaces } = measureLines(text);
  if (longCharacters === 0 && characters / Math.max(1, lines) <= LONG_AVERAGE) return false;
  if (longCharacters > 0 && longSpaces / longCharacters >= PROSE_SPACES) return false;
  if (longCharacters >= BULK && longCharacters >= BULK_SHARE * characters) return true;
  return normal < FEW_LINES && characters / Math.max(1, lines) > LONG_AVERAGE && longCharacters >= characters / 2;
}

/** True for text that is for the most part base64 or hexadecimal. */
export function looksEncoded(text: string): boolean {
  if (text.length < LEAST_SIZE) return false;
  let encoded = 0;
  for (const run of text.matchAll(ENCODED_RUN)) encoded += run[0].length;
  return encoded > ENCODED_SHARE * text.length;
}
