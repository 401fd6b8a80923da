/** V8 makes slices of this many characters or more as views that keep the sliced text alive. */
const SHORTEST_VIEW = 13;

/** The same text as a copy that holds on to nothing else: for what is kept when the text it came from is not. */
export function detached(text: string): string {
  return text.length < SHORTEST_VIEW ? text : Buffer.from(text, 'utf16le').toString('utf16le');
}
