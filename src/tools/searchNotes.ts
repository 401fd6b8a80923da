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

/** The notes of several answers, each once. That a scope is empty is true only where it is so in every folder. */
export function searchNoteTexts(
  responses: readonly { readonly notes?: readonly SearchNote[] }[],
  textOf: (note: SearchNote) => string = searchNoteText,
): string[] {
  const isEmptyScope = ({ kind }: SearchNote): boolean => kind === 'scope-empty';
  const nowhere = responses.every(({ notes = [] }) => notes.some(isEmptyScope));
  const notes = responses.flatMap(({ notes = [] }) => notes.filter(note => nowhere || !isEmptyScope(note)));
  return [...new Set(notes.map(textOf))];
}
