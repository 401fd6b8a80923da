import type { ErrorReason } from '../../util/errors';
import { LandmarkError, messageOf } from '../../util/errors';
import { isEnglish, t } from './l10n';

/** What is said about each reason where the engine's own sentence, which names the thing concerned, is not understood. */
export function reasonText(reason: ErrorReason): string {
  switch (reason) {
    case 'cancelled':
      return t('It was cancelled.');
    case 'invalid-argument':
      return t('This cannot be done with what was asked for.');
    case 'not-found':
      return t('The file is not in the index.');
    case 'not-a-folder':
      return t('A folder is missing, or a file stands in its place.');
    case 'not-a-file':
      return t('This is not a file.');
    case 'no-permission':
      return t(
        'The index may not be read or written with your rights. Choose another data folder in the setting landmark.dataFolder.',
      );
    case 'not-indexed':
      return t('The folder is not indexed yet.');
    case 'model-invalid':
      return t('The model cannot be used. Look at the setting of the model folder, or install the extension again.');
    case 'store-damaged':
      return t('The index is damaged. Rebuild it.');
    case 'store-busy':
      return t('The index is in use by another window. Try again in a moment.');
    case 'disk-full':
      return t(
        'There is no room left on the disk for the index. Free some space or choose another data folder in the setting landmark.dataFolder.',
      );
    case 'runtime-unavailable':
      return t('The model cannot run on this machine.');
    case 'engine-died':
      return t('The search process ended. What is indexed is kept.');
    case 'internal':
      return t('Something went wrong. The log says more.');
  }
}

/** An expected failure whose message is in the user's language already. */
export class WordedError extends LandmarkError {}

/** A failure in words: the engine's sentence in English, else the translated one of its reason. */
export function errorText(error: unknown): string {
  if (error instanceof WordedError) return error.message;
  return !isEnglish() && error instanceof LandmarkError ? reasonText(error.reason) : messageOf(error);
}
