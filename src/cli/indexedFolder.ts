import { dirname, relative, resolve, sep } from 'node:path';
import type { EngineClient } from '../host/engineClient';
import { isReason } from '../util/errors';

/** A folder that has an index, and what was asked about, relative to it with forward slashes; '' = all of it. */
export interface IndexedFolder {
  /** The real path, by which all other requests name the folder. */
  readonly folder: string;
  readonly inside: string;
}

/**
 * Opens the index of a folder or, as git finds its repository, that of the nearest folder above which has one.
 * @throws LandmarkError about the folder itself when none has.
 */
export async function openIndexedFolder(
  engine: Pick<EngineClient, 'request'>,
  typed: string,
  signal: AbortSignal,
): Promise<IndexedFolder> {
  const wanted = resolve(typed);
  const open = async (folder: string): Promise<IndexedFolder> => {
    const opened = await engine.request('open', { folder, options: { access: 'read' } }, { signal });
    return { folder: opened.folder, inside: relative(folder, wanted).split(sep).join('/') };
  };
  try {
    return await open(wanted);
  } catch (error) {
    if (!isReason(error, 'not-indexed')) throw error;
    for (const above of foldersAbove(wanted)) {
      try {
        return await open(above);
      } catch (further) {
        if (!isReason(further, 'not-indexed')) throw further;
      }
    }
    throw error;
  }
}

/** The scope within a folder's index for one that was meant within a part of it. */
export function scopeInside(inside: string, scope: string | undefined): string | undefined {
  if (inside === '') return scope;
  if (scope === undefined) return inside;
  // A pattern without a slash is at any depth, as in a .gitignore file.
  const anywhere = /[*?[]/.test(scope) && !scope.includes('/');
  return `${inside}/${anywhere ? '**/' : ''}${scope.replace(/^(\.?\/)+/, '')}`;
}

function* foldersAbove(folder: string): Generator<string> {
  for (let above = dirname(folder); above !== folder; above = dirname(above)) {
    yield above;
    folder = above;
  }
}
