/** A text from a file or a path on one line, without characters that a terminal would obey. */
export function printable(text: string): string {
  return text.replace(/\t/g, '  ').replace(/[\p{Cc}\p{Zl}\p{Zp}\u202A-\u202E\u2066-\u2069]/gu, '\uFFFD');
}

/** The text, cut to so many characters with an ellipsis. */
export function cutTo(text: string, columns: number): string {
  const characters = [...text];
  return characters.length <= columns ? text : `${characters.slice(0, Math.max(0, columns - 1)).join('')}…`;
}

/** `12-15`, or `12` for a single line. */
export function lineRange(first: number, last: number): string {
  return first === last ? String(first) : `${first}-${last}`;
}

/** A share as a percentage, rounded down, so that 100 % means all. */
export function percent(share: number): string {
  return `${Math.floor(share * 100)} %`;
}
