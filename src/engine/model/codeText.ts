/**
 * Preparation `lean-1`: code as the words a text model knows. Windows are keyed by token ids, so a change of this rule
 * is a new preparation under a new name, never an edit.
 */

/** Preparations this program can carry out; a model's manifest names one. */
export const PREPARATIONS = ['lean-1'] as const;
export type Preparation = (typeof PREPARATIONS)[number];

const LINE_END = /\r\n|\n|\r/;
/** Consumes both sides as the training did: in `getXHeader` the `X` is used up by `tX` and stays with `Header`. */
const CASE_CHANGE = /([a-z0-9])([A-Z])|([A-Z])([A-Z][a-z])/g;
const NOT_LEAN = /[^\p{L}\p{M}\p{Nd}\s]/gu;
const NOT_ASCII = /[^\x00-\x7f]/;
const NOT_LEAN_ASCII = /[^A-Za-z0-9\s]+/g;
const SPACES = ' '.repeat(64);

/** Lines end at `\n`, `\r\n` or `\r`; a text that ends with one has an empty last line, and an empty text has one line. */
export function splitLines(text: string): string[] {
  // Most texts have but one kind of line end, which takes a fraction of the time of a pattern.
  return text.split(text.includes('\r') ? LINE_END : '\n');
}

/**
 * One line of code as lean text: a space where an ASCII word changes case, and a space for every code point that is
 * neither a letter, a mark, a decimal digit (Unicode L, M, Nd) nor white space (`\s`). Half a surrogate pair is none of these.
 */
export function prepareLine(line: string): string {
  const split = line.replace(CASE_CHANGE, '$1$3 $2$4');
  // Most source is ASCII, for which the Unicode classes cost three times as much as they need to.
  return NOT_ASCII.test(split) ? split.replace(NOT_LEAN, ' ') : split.replace(NOT_LEAN_ASCII, spacesFor);
}

function spacesFor(run: string): string {
  return run.length <= SPACES.length ? SPACES.slice(0, run.length) : ' '.repeat(run.length);
}

/** The prepared lines of a text, one for each line of it. */
export function prepareText(text: string): string[] {
  return splitLines(text).map(prepareLine);
}
