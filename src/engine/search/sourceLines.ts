import { classifyContent, sizeLimitOf } from '../files/indexable';
import { languageOf } from '../files/languages';
import { decodeText } from '../files/textEncoding';
import { readFolderFile } from '../files/textReader';
import { contentHash } from '../indexing/fileReader';
import { splitLines } from '../model/codeText';

/** The lines of a file as they were indexed. */
export interface SourceLines {
  readonly lines: readonly string[];
  /** Of a notebook, whose lines are those of its cells: the first line of each, 1-based. */
  readonly cellStartLines: readonly number[] | undefined;
}

/**
 * Reads a file for showing places in it.
 * @returns undefined when it is gone, unreadable, or not the indexed content any more.
 */
export async function readSourceLines(
  folder: string,
  path: string,
  hash: string,
  maxFileSize: number | undefined,
  signal?: AbortSignal,
): Promise<SourceLines | undefined> {
  try {
    const bytes = await readFolderFile(folder, path, sizeLimitOf(path, maxFileSize), signal);
    if (contentHash(bytes) !== hash) return undefined;
    if (languageOf(path) !== 'notebook')
      return { lines: splitLines(decodeText(bytes).text), cellStartLines: undefined };
    const verdict = classifyContent(path, bytes, maxFileSize);
    if (verdict.kind !== 'text') return undefined;
    return { lines: splitLines(verdict.text), cellStartLines: verdict.cellStartLines };
  } catch {
    // The answer stands without the text of its lines.
    return undefined;
  }
}
