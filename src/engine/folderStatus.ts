import type { FolderSession } from './folderSession';
import type { FolderStatus } from './types';

/** Makes a folder's statuses; remembers the greatest number of windows to do, so that a running total never shrinks. */
export class StatusTeller {
  private total = 0;

  /** @param vectorsAvailable whether the query model runs here. */
  statusOf(session: FolderSession, folder: string, vectorsAvailable: boolean): FolderStatus {
    const { writer, index } = session.opened;
    const outstanding = writer?.loop.outstanding ?? 0;
    const busy = session.running > 0 || outstanding > 0;
    this.total = busy ? Math.max(this.total, outstanding) : 0;
    const runtimeFailure = writer?.loop.failure;
    const problems = writer?.failedCount ?? 0;
    const complete = index.completeness();
    const cause = session.failure === '' ? runtimeFailure?.reason : session.failureReason;
    const [state, reason] = stateOf(session, { busy, complete, problems, runtimeFailure: runtimeFailure?.message });
    return {
      folder,
      state,
      done: this.total - outstanding,
      total: this.total,
      complete,
      files: index.corpus.size,
      problems,
      reason,
      ...(cause === undefined ? {} : { cause }),
      vectors: vectorsAvailable && runtimeFailure?.reason !== 'runtime-unavailable',
    };
  }
}

interface Facts {
  readonly busy: boolean;
  readonly complete: number;
  readonly problems: number;
  readonly runtimeFailure: string | undefined;
}

function stateOf(session: FolderSession, facts: Facts): [FolderStatus['state'], string] {
  const { busy, complete, problems, runtimeFailure } = facts;
  if (session.failure !== '') return ['error', session.failure];
  if (session.owner !== undefined) {
    const reason = `Process ${session.owner} keeps this index up to date; this one follows it and takes over when it ends.`;
    return [complete < 1 ? 'waiting' : 'ready', reason];
  }
  if (session.paused) return ['paused', 'Indexing is paused.'];
  if (busy && runtimeFailure === undefined) return ['indexing', ''];
  if (runtimeFailure !== undefined) return ['problems', runtimeFailure];
  if (problems > 0)
    return ['problems', problems === 1 ? '1 file could not be indexed.' : `${problems} files could not be indexed.`];
  return ['ready', ''];
}
