import { getPriority } from 'node:os';
import { realPathOf } from '../../src/engine/files/realPath';
import { EmbedderProcess } from '../../src/host/embedderProcess';
import { runSearchProcess } from '../../src/host/searchProcess';
import { emptyResponse, fakeEngine, untilCancelled } from './fakeEngine';
import type { SearchResponse } from '../../src/engine/types';

/** A real search process whose engine does what the query says. */
runSearchProcess((config, logger) => {
  const embedder = new EmbedderProcess({ ...config, dimensions: 3, logger });
  /** What a test wants to know comes back in place of the query. */
  const answer = (value: unknown): SearchResponse => emptyResponse(JSON.stringify(value));
  const search = async (query: string, signal: AbortSignal | undefined): Promise<SearchResponse> => {
    switch (query) {
      case 'environment':
        return answer({ env: process.env, argv: process.execArgv, priority: getPriority() });
      case 'embed':
        await embedder.embed([Int32Array.of(1, 2)], signal);
        return answer(embedder.pid);
      case 'wait':
        return untilCancelled(signal);
      case 'throw later':
        setImmediate(() => {
          throw new Error('nobody caught this');
        });
        return untilCancelled(signal);
      default:
        return answer('nothing');
    }
  };
  return {
    open(folder, _options, onStatus) {
      onStatus({
        folder,
        state: 'ready',
        done: 0,
        total: 0,
        complete: 1,
        files: 0,
        problems: 0,
        reason: '',
        vectors: true,
      });
      // Closing never ends: leaving must not depend on it.
      const close = (): Promise<void> => (folder.endsWith('stuck') ? new Promise(() => {}) : Promise.resolve());
      return Promise.resolve(fakeEngine(folder, { search: (request, signal) => search(request.query, signal), close }));
    },
    evaluatePast: () => Promise.reject(new Error('not expected')),
    data: () => Promise.reject(new Error('not expected here')),
    close: () => embedder.close(),
  };
}, realPathOf);
