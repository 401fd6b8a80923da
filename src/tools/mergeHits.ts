import type { SearchHit, SearchResponse } from '../engine/types';

export interface FolderHit {
  readonly folder: string;
  readonly hit: SearchHit;
}

/**
 * One list from the answers of several folders. Each folder's own order is kept, so with one folder it is the engine's
 * order; between folders the better head goes first, and weak matches after the others.
 */
export function mergeHits(
  responses: readonly { readonly folder: string; readonly response: SearchResponse }[],
): FolderHit[] {
  const queues = responses.map(({ folder, response }) => response.results.map(hit => ({ folder, hit })));
  const merged: FolderHit[] = [];
  for (;;) {
    const best = queues.filter(queue => queue.length > 0).reduce(betterHead, []);
    const head = best.shift();
    if (head === undefined) return merged;
    merged.push(head);
  }
}

function betterHead(best: FolderHit[], queue: FolderHit[]): FolderHit[] {
  const [mine] = best;
  const [other] = queue;
  if (mine === undefined) return queue;
  if (other === undefined) return best;
  if (mine.hit.weak !== other.hit.weak) return mine.hit.weak ? queue : best;
  return other.hit.score > mine.hit.score ? queue : best;
}
