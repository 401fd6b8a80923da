import type { LandmarkError } from '../../util/errors';
import { reasonText, WordedError } from './errorText';
import type { IndexState } from './indexState';
import { isEnglish, t } from './l10n';

/** Why nothing can be searched in this state, with the way out. */
export function whyUnsearchable(state: IndexState): LandmarkError {
  if (state.engine.kind === 'failed') {
    return new WordedError('engine-died', isEnglish() ? state.engine.reason : reasonText('engine-died'));
  }
  for (const { state: root } of state.roots) {
    if (root.kind === 'failed') return new WordedError('not-indexed', root.reason);
  }
  if (state.roots.length === 0) {
    return new WordedError('not-indexed', t('Open a folder first: there is nothing to search in.'));
  }
  if (state.roots.some(({ state: root }) => root.kind === 'cleared')) {
    return new WordedError('not-indexed', t('The index was cleared: run "Landmark: Rebuild Index" to search again.'));
  }
  return new WordedError('not-indexed', t('The index is not open yet: try again in a moment.'));
}
