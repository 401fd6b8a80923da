import { type LanguageRules, RULES_BY_EXTENSION } from './definitionRules';

const PYTHON_TEXT = /^[rRbBuU]{0,2}("""|''')/;

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
  const first = FIRST[style];
  const mayOpenInside = (line: string): boolean =>
    style === 'python' && TEXT_QUOTES.some(quotes => line.includes(quotes));
  const comments = new CommentReader(style);
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] as string;
    let start = 0;
    while (line.charCodeAt(start) === SPACE || line.charCodeAt(start) === TAB) start++;
    // Most lines are neither, and this runs over whole files while somebody waits.
    if (start === line.length) continue;
    if (!comments.isOpen && !first.includes(line.charAt(start)) && !mayOpenInside(line)) continue;
    if (comments.covers(line.slice(start), line)) found[at] = 1;
  }
  return found;
}

/** Knows over the lines of a file which of them are comments. */
export class CommentReader {
  /** What ends the comment of several lines that is open. */
  private end: string | undefined;

  constructor(private readonly style: LanguageRules['comment']) {}

  /** Whether a comment of several lines has begun and not ended. */
  get isOpen(): boolean {
    return this.end !== undefined;
  }

  /** Whether a line is, or begins, a comment. Must see every line that is not blank, in order. */
  covers(head: string, line: string): boolean {
    if (this.end !== undefined) {
      if (line.includes(this.end)) this.end = undefined;
      return true;
    }
    switch (this.style) {
      case 'slash':
        return head.startsWith('//') || this.opens(head, '/*', '*/', line);
      case 'php':
        return (
          head.startsWith('//') ||
          (head.startsWith('#') && !head.startsWith('#[')) ||
          this.opens(head, '/*', '*/', line)
        );
      case 'python':
        return head.startsWith('#') || this.opensText(head, line) || this.opensInside(line);
      case 'ruby':
        return head.startsWith('#') || this.opens(line, '=begin', '=end', line);
      case 'dash':
        return this.opens(head, '--[[', ']]', line) || head.startsWith('--');
      case 'semicolon':
        return head.startsWith(';');
      case 'percent':
        return this.opens(head, '(*', '*)', line) || head.startsWith('//');
      case 'hash':
        return head.startsWith('#') || head.startsWith('//');
    }
  }

  private opens(head: string, start: string, end: string, line: string): boolean {
    if (!head.startsWith(start)) return false;
    if (line.indexOf(end, line.indexOf(start) + start.length) < 0) this.end = end;
    return true;
  }

  /** A text that begins behind code is none of its comments, but what ends it must not be taken for a beginning. */
  private opensInside(line: string): boolean {
    this.end = TEXT_QUOTES.find(quotes => line.split(quotes).length % 2 === 0);
    return false;
  }

  private opensText(head: string, line: string): boolean {
    const quotes = PYTHON_TEXT.exec(head)?.[1];
    return quotes !== undefined && this.opens(head.slice(head.indexOf(quotes)), quotes, quotes, line);
  }
}
