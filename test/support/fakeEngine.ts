import type { FolderEngine } from '../../src/engine/folderEngine';
import type { IndexProgress, IndexReport, SearchResponse } from '../../src/engine/types';
import { LandmarkError } from '../../src/util/errors';

const unexpected = (what: string) => (): Promise<never> =>
  Promise.reject(new LandmarkError('internal', `${what} was not expected in this test.`));

export const emptyReport: IndexReport = {
  files: 0,
  embedded: 0,
  reused: 0,
  windows: { embedded: 0, reused: 0 },
  skipped: {},
  failed: [],
  seconds: 0,
  tokens: 0,
};

export const emptyResponse = (query: string): SearchResponse => ({
  query,
  complete: 1,
  timing: { loadMs: 0, queryMs: 0 },
  results: [],
});

/** An engine that does nothing by itself: a test says what its methods do, the others reject. */
export function fakeEngine(folder: string, methods: Partial<FolderEngine> = {}): FolderEngine {
  return {
    folder,
    sync: unexpected('sync'),
    update: unexpected('update'),
    setPaused: () => {},
    search: unexpected('search'),
    similar: unexpected('similar'),
    explain: unexpected('explain'),
    stats: unexpected('stats'),
    evaluate: unexpected('evaluate'),
    evaluateSimilar: unexpected('evaluateSimilar'),
    clear: unexpected('clear'),
    close: () => Promise.resolve(),
    ...methods,
  };
}

/** Resolves never, rejects when the signal is aborted: work that lasts until it is cancelled. */
export function untilCancelled(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_, reject) => {
    signal?.addEventListener('abort', () => reject(new LandmarkError('cancelled', 'The operation was cancelled.')));
  });
}

export const embedProgress = (done: number, total: number): IndexProgress => ({ phase: 'embed', done, total });
