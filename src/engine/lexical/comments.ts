import { type LanguageRules, RULES_BY_EXTENSION } from './definitionRules';

/** The characters that a comment of each style begins with; of Python those of texts too, which document there. */
const FIRST: Readonly<Record<LanguageRules['comment'], string>> = {
  slash: '/',
  php: '/#',
  python: '#"\'rRbBuU',
  ruby: '#=',
  dash: '-',
  semicolon: ';',
  percent: '(/',
  hash: '#/',
};
const PYTHON_TEXT = /^[rRbBuU]{0,2}("""|''')/;
const TEXT_QUOTES = ['"""', "'''"];
const [TAB, SPACE] = [9, 32];

/**
 * For each line of a file whether it is, or begins, a comment (1) or not (0). Blank lines are none.
 * @param extension of the file's name, lower case without the dot; an unknown one has no comments.
 */
export function commentLines(lines: readonly string[], extension: string): Uint8Array {
  const found = new Uint8Array(lines.length);
  const style = RULES_BY_EXTENSION.get(extension)?.comment;
  if (style === undefined) return found;
  const comments = new CommentReader(style);
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] as string;
    let start = 0;
    while (line.charCodeAt(start) === SPACE || line.charCodeAt(start) === TAB) start++;
    if (start < line.length && comments.covers(line, start)) found[at] = 1;
  }
  return found;
}

/** Knows over the lines of a file which of them are comments. */
export class CommentReader {
  private readonly first: string;
  /** What ends the comment of several lines that is open. */
  private end: string | undefined;

  constructor(private readonly style: LanguageRules['comment']) {
    this.first = FIRST[style];
  }

  /**
   * Whether a line is, or begins, a comment. Must see every line that is not blank, in order.
   * @param start of what is not blank in it.
   */
  covers(line: string, start: number): boolean {
    if (this.end !== undefined) {
      if (line.includes(this.end)) this.end = undefined;
      return true;
    }
    // Most lines are none, and this runs over whole files while somebody waits.
    if (this.first.includes(line.charAt(start)) && this.begins(line, start)) return true;
    if (this.style === 'python') this.openInside(line);
    return false;
  }

  private begins(line: string, start: number): boolean {
    const has = (mark: string): boolean => line.startsWith(mark, start);
    switch (this.style) {
      case 'slash':
        return has('//') || this.opens(line, start, '/*', '*/');
      case 'php':
        return has('//') || (has('#') && !has('#[')) || this.opens(line, start, '/*', '*/');
      case 'python':
        return has('#') || this.opensText(line, start);
      case 'ruby':
        return has('#') || this.opens(line, 0, '=begin', '=end');
      case 'dash':
        return this.opens(line, start, '--[[', ']]') || has('--');
      case 'semicolon':
        return has(';');
      case 'percent':
        return this.opens(line, start, '(*', '*)') || has('//');
      case 'hash':
        return has('#') || has('//');
    }
  }

  private opens(line: string, start: number, mark: string, end: string): boolean {
    if (!line.startsWith(mark, start)) return false;
    if (!line.includes(end, start + mark.length)) this.end = end;
    return true;
  }

  private opensText(line: string, start: number): boolean {
    const [prefixed, quotes] = PYTHON_TEXT.exec(line.slice(start, start + 5)) ?? [];
    if (prefixed === undefined || quotes === undefined) return false;
    return this.opens(line, start + prefixed.length - quotes.length, quotes, quotes);
  }

  /** A text that begins behind code is none of its comments, but what ends it must not be taken for a beginning. */
  private openInside(line: string): void {
    this.end = TEXT_QUOTES.find(quotes => line.includes(quotes) && line.split(quotes).length % 2 === 0);
  }
}
