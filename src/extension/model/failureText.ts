import type { FileFailure } from '../../engine/types';
import { isEnglish, t } from './l10n';

/** Why a file could not be indexed: the engine's sentence in English, else one about the kind of failure. */
export function failureText({ reason, failure }: { readonly reason: string; readonly failure?: FileFailure }): string {
  return isEnglish() || failure === undefined ? reason : kindText(failure);
}

function kindText({ kind, detail = '' }: FileFailure): string {
  switch (kind) {
    case 'no-permission':
      return t('It cannot be read with your rights: change its permissions.');
    case 'gone':
      return t('It is gone, or is reached through a link: a file is read under its own path only.');
    case 'not-a-file':
      return t('It is not a regular file: only files can be read.');
    case 'grew':
      return t('It grew beyond the limit for files of its kind while it was read: try again.');
    case 'unreadable':
      return t('It cannot be read: try again. The system says: {0}', detail);
    case 'bad-name':
      return t('Its name is not valid UTF-8: rename it.');
    case 'rules-unread':
      return t('It cannot be read with your rights, so its ignore rules do not count.');
    case 'too-slow':
      return t('It took longer than {0} s to read and is left out until the folder is indexed again.', detail);
    case 'internal':
      return t('It could not be read into the index because of an error: {0}', detail);
    case 'model':
      return t('The model failed on its text: it is found by its words alone. The log says more.');
  }
}
