import { LandmarkError } from '../../util/errors';
import type { Logger } from '../../util/logger';
import type { Catalog } from '../store/catalog';
import type { HistorySource } from '../types';
import { type Commit, readHistory } from './gitLog';
import { isWorkTreeTop } from './gitProcess';

/** Where the catalogue keeps the commits that the history arm reads. */
export const HISTORY_META = 'commits';
/** Changes with them: they are many, and reading them again takes a while. */
export const HISTORY_STAMP_META = 'commitsStamp';

export interface HistoryParts {
  /** Real path of the indexed folder. */
  readonly folder: string;
  /** Replaces the folder's own repository. */
  readonly source: HistorySource | undefined;
  readonly catalog: Catalog;
  readonly logger: Logger;
}

/**
 * Brings the catalogue's commits up to the repository: the one named, else the folder's own where the folder is the top
 * of a work tree, else none.
 * @returns the commits, or undefined where nothing changed.
 * @throws LandmarkError where the repository that was named cannot be read; `cancelled`.
 */
export async function updateHistory(parts: HistoryParts, signal?: AbortSignal): Promise<readonly Commit[] | undefined> {
  const { catalog } = parts;
  const commits = await commitsOf(parts, signal);
  const stamp = `${commits.length} ${commits[0]?.id ?? ''} ${commits.at(-1)?.id ?? ''}`;
  if (catalog.getMeta(HISTORY_STAMP_META) === stamp) return undefined;
  await catalog.write([
    { kind: 'putMeta', key: HISTORY_META, value: commits },
    { kind: 'putMeta', key: HISTORY_STAMP_META, value: stamp },
  ]);
  return commits;
}

async function commitsOf({ folder, source, logger }: HistoryParts, signal?: AbortSignal): Promise<readonly Commit[]> {
  const own: HistorySource | undefined = (await isWorkTreeTop(folder)) ? { gitDir: folder, at: 'HEAD' } : undefined;
  const from = source ?? own;
  if (from === undefined) return [];
  try {
    return await readHistory(from, '', {}, signal);
  } catch (error) {
    // A repository that was named must be readable; the folder's own is a help, not a condition.
    if (source !== undefined || signal?.aborted || !(error instanceof LandmarkError)) throw error;
    logger.warn(`Past commits are not used: ${error.message}`);
    return [];
  }
}
