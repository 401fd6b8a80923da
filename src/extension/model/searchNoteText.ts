import type { SearchNote } from '../../engine/types';
import { languageName, numberText, t } from './l10n';

/** A note of the engine in the user's language. */
export function searchNoteText(note: SearchNote): string {
  switch (note.kind) {
    case 'query-cut':
      return t('Only the first {0} characters of the question were used.', numberText(note.length));
    case 'no-words':
      return t('The question has no words to search for.');
    case 'no-model':
      return t('The model cannot run on this machine, so answers come from words, names and history only.');
    case 'unknown-script':
      return t('The model does not know this script: answers come from the words alone.');
    case 'translated':
      return t('Read as {0}: searched for “{1}”.', languageName(note.language), note.text);
    case 'quotes-not-found':
      return t('No file has {0} word by word: these come near.', note.quotes.map(quote => `"${quote}"`).join(', '));
    case 'scope-empty':
      return t('No indexed file lies in {0}.', note.scopes.map(scope => `"${scope}"`).join(', '));
  }
}
