/** Questions that are kept, newest first. */
const MOST_QUERIES = 30;
/** A longer one is somebody's text and no question to ask again. */
const LONGEST_QUERY = 300;

/** The history with a question in front; asked again it moves there. */
export function remember(history: readonly string[], query: string): readonly string[] {
  const asked = query.trim();
  if (asked === '' || asked.length > LONGEST_QUERY) return history;
  return [asked, ...forget(history, asked)].slice(0, MOST_QUERIES);
}

export function forget(history: readonly string[], query: string): readonly string[] {
  return history.filter(other => other !== query);
}

/** What was stored, or nothing where it cannot be a history. */
export function historyFrom(stored: unknown): readonly string[] {
  return Array.isArray(stored) ? stored.filter(query => typeof query === 'string').slice(0, MOST_QUERIES) : [];
}
