import type { SearchNote } from '../engine/types';

/** A note in English, for other programs and for the terminal. */
export function searchNoteText(note: SearchNote): string {
  switch (note.kind) {
    case 'query-cut':
      return `Only the first ${note.length} characters of the query were used.`;
    case 'no-words':
      return 'The query has no words to search for.';
    case 'no-model':
      return 'The model runtime cannot run here: answers come from words and history alone.';
    case 'unknown-script':
      return 'The model does not know this script: answers come from the words alone.';
    case 'translated': {
      const language = new Intl.DisplayNames('en', { type: 'language' }).of(note.language) ?? note.language;
      return `Read as ${language}: searched for “${note.text}”.`;
    }
    case 'quotes-not-found':
      return `No file has ${note.quotes.map(quote => `"${quote}"`).join(' or ')} word by word: these come near.`;
    case 'scope-empty':
      return `No indexed file lies in ${note.scopes.map(scope => `"${scope}"`).join(' or ')}.`;
  }
}

/**
 * The notes of several answers, each once. That a scope is empty, or that nothing has what was quoted, is true only where it
 * is so in every folder; a folder with nothing in scope has nothing that was quoted either.
 */
export function searchNoteTexts(
  responses: readonly { readonly notes?: readonly SearchNote[] }[],
  textOf: (note: SearchNote) => string = searchNoteText,
): string[] {
  const everywhere = (...kinds: SearchNote['kind'][]): boolean =>
    responses.every(({ notes = [] }) => notes.some(({ kind }) => kinds.includes(kind)));
  const isTrue = ({ kind }: SearchNote): boolean => {
    if (kind === 'scope-empty') return everywhere('scope-empty');
    return kind !== 'quotes-not-found' || everywhere('quotes-not-found', 'scope-empty');
  };
  const notes = responses.flatMap(({ notes = [] }) => notes.filter(isTrue));
  return [...new Set(notes.map(textOf))];
}
