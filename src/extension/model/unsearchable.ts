import { LandmarkError } from '../../util/errors';
import type { IndexState } from './indexState';

/** Why nothing can be searched in this state, with the way out. */
export function whyUnsearchable(state: IndexState): LandmarkError {
  if (state.engine.kind === 'failed') return new LandmarkError('engine-died', state.engine.reason);
  for (const { state: root } of state.roots) {
    if (root.kind === 'failed') return new LandmarkError('not-indexed', root.reason);
  }
  if (state.roots.length === 0) {
    return new LandmarkError('not-indexed', 'Open a folder first: there is nothing to search in.');
  }
  if (state.roots.some(({ state: root }) => root.kind === 'cleared')) {
    return new LandmarkError('not-indexed', 'The index was cleared: run "Landmark: Rebuild Index" to search again.');
  }
  return new LandmarkError('not-indexed', 'The index is not open yet: try again in a moment.');
}
