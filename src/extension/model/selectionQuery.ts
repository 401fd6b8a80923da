/** A question of this length says what it is about; more of a selection would only make it slower. */
const LONGEST_SELECTION = 500;

/**
 * A question from selected text. What the query language would take for a filter is plain text here.
 */
export function selectionQuery(text: string): string {
  const words = text
    .replace(/"/g, ' ')
    .replace(/\b(path|lang):/gi, '$1 ')
    .replace(/(?<!\S)-(?=[\p{L}_$])/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  return /[\p{L}\p{N}]/u.test(words) ? words.slice(0, LONGEST_SELECTION).trim() : '';
}
