import { createHash } from 'node:crypto';
import { isCancelled } from '../../util/errors';
import { failureOf } from '../files/fileFailure';
import { classifyContent, classifyPath, sizeLimitOf } from '../files/indexable';
import { readFolderFile } from '../files/textReader';
import type { FileFailure, SkipReason } from '../types';

/** What one file is to the index. */
export type ReadFile =
  | { readonly kind: 'text'; readonly hash: string; readonly text: string }
  | { readonly kind: 'skip'; readonly hash: string; readonly reason: SkipReason; readonly detail: string }
  | { readonly kind: 'failed'; readonly failure: FileFailure };

/** sha256 of raw bytes, hex: the identity of a content. */
export function contentHash(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/**
 * Reads and judges one file; a file that cannot be read is a result, not an error.
 * @param path relative to the folder.
 * @throws only when cancelled.
 */
export async function readFileForIndex(
  folder: string,
  path: string,
  size: number,
  maxFileSize: number | undefined,
  signal?: AbortSignal,
): Promise<ReadFile> {
  const early = classifyPath(path, size, maxFileSize);
  if (early !== undefined) return { ...early, hash: '' };
  try {
    const bytes = await readFolderFile(folder, path, sizeLimitOf(path, maxFileSize), signal);
    const verdict = classifyContent(path, bytes, maxFileSize);
    const hash = contentHash(bytes);
    return verdict.kind === 'text' ? { kind: 'text', hash, text: verdict.text } : { ...verdict, hash };
  } catch (error) {
    if (isCancelled(error)) throw error;
    return { kind: 'failed', failure: failureOf(error) };
  }
}
