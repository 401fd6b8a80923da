/** Characters of a section: tokenising one takes a few milliseconds. */
const SECTION = 16_384;
const LINE_FEED = 10;

/**
 * A text in sections that can be prepared and tokenised one by one with the result of the whole: each ends after a line
 * feed where there is one, else (minified code) after an ASCII character that ends a word in any case. Their
 * concatenation is the text; a text without such characters is one section.
 */
export function* textSections(text: string): Generator<string> {
  let start = 0;
  while (text.length - start > SECTION) {
    const end = sectionEnd(text, start);
    yield text.slice(start, end);
    start = end;
  }
  if (start < text.length) yield text.slice(start);
}

function sectionEnd(text: string, start: number): number {
  const lineEnd = text.lastIndexOf('\n', start + SECTION - 1);
  if (lineEnd >= start) return lineEnd + 1;
  for (let at = start + SECTION - 1; at >= start; at--) if (endsWord(text.charCodeAt(at))) return at + 1;
  for (let at = start + SECTION; at < text.length; at++) if (endsWord(text.charCodeAt(at))) return at + 1;
  return text.length;
}

/**
 * Space, tab, line feed, ASCII punctuation, and ideographs, which are words by themselves. Not `\r`, which may be half a
 * line end, nor control characters, which a tokenizer may drop.
 */
function endsWord(code: number): boolean {
  if (code === LINE_FEED || code === 9 || code === 32) return true;
  if (code >= 0x4e00 && code <= 0x9fff) return true;
  if (code <= 32 || code >= 127) return false;
  const isDigit = code >= 48 && code <= 57;
  const isLetter = (code >= 65 && code <= 90) || (code >= 97 && code <= 122);
  return !isDigit && !isLetter;
}
