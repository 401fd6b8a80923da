/** V8 makes slices of this many characters or more as views that keep the sliced text alive. */
const SHORTEST_VIEW = 13;

/** No character that takes two bytes: such a text takes half the room. */
const NARROW = /^[\u0000-\u00ff]*$/;

/** The same text as a copy that holds on to nothing else: for what is kept when the text it came from is not. */
export function detached(text: string): string {
  if (text.length < SHORTEST_VIEW) return text;
  const encoding = NARROW.test(text) ? 'latin1' : 'utf16le';
  return Buffer.from(text, encoding).toString(encoding);
}
