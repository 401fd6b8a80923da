import { isCancelled } from '../../util/errors';
import { failedFile, failureOf, unpackFailure } from '../files/fileFailure';
import { inspectPath } from '../files/inspectPath';
import { IgnoreRules } from '../files/ignoreRules';
import { classifyContent, classifyPath, sizeLimitOf } from '../files/indexable';
import { readFolderFile } from '../files/textReader';
import type { FolderOptions } from '../folderEngine';
import { contentHash } from '../indexing/fileReader';
import type { Catalog } from '../store/catalog';
import type { ExplainResponse, FileFailure } from '../types';
import type { FolderIndex } from './folderIndex';

interface KnownState {
  readonly catalog: Catalog;
  readonly index: FolderIndex;
  /** Why a content could not be embedded, as far as this process tried. */
  readonly failureToEmbed: (hash: string) => FileFailure | undefined;
}

/** Says why a file is, or is not, found: by the rules and the file as they are now, and by what the index holds. */
export async function explainFile(
  folder: string,
  file: string,
  options: FolderOptions,
  state: KnownState,
): Promise<ExplainResponse> {
  const rules = await IgnoreRules.open(folder, { excludes: options.exclude });
  const found = await inspectPath(rules, file);
  if (found.state === 'absent') return { path: file, state: 'absent', reason: found.reason };
  if (found.state === 'folder')
    return { path: file, state: 'absent', reason: `${file} is a folder: name a file in it.` };
  if (found.state === 'ignored') {
    const { reason, rule, ruleFile, ruleLine } = found.verdict;
    return {
      path: file,
      state: 'ignored',
      reason,
      rule,
      ...(ruleFile === undefined ? {} : { ruleFile }),
      ...(ruleLine === undefined ? {} : { ruleLine }),
    };
  }
  const { path, size } = found.file;
  const early = classifyPath(path, size, options.maxFileSize);
  if (early !== undefined) return { path, state: 'skipped', reason: early.detail, rule: early.reason };
  try {
    const bytes = await readFolderFile(folder, path, sizeLimitOf(path, options.maxFileSize));
    const verdict = classifyContent(path, bytes, options.maxFileSize);
    if (verdict.kind === 'skip') return { path, state: 'skipped', reason: verdict.detail, rule: verdict.reason };
    return indexState(path, contentHash(bytes), state);
  } catch (error) {
    if (isCancelled(error)) throw error;
    return { ...failedFile(path, failureOf(error)), state: 'failed' };
  }
}

function indexState(path: string, hash: string, { catalog, index, failureToEmbed }: KnownState): ExplainResponse {
  const row = catalog.getFile(path);
  if (row?.state === 'failed')
    return { ...failedFile(path, unpackFailure(row.reason)), state: 'failed', contentHash: hash };
  if (row?.state !== 'indexed') {
    return {
      path,
      state: 'queued',
      reason: `${path} is not in the index yet: it is read with the next update.`,
      contentHash: hash,
      waitsFor: 'read',
    };
  }
  if (row.hash !== hash) {
    return {
      path,
      state: 'queued',
      reason: `${path} has changed since it was indexed: it is read again with the next update.`,
      contentHash: hash,
      waitsFor: 'new-read',
    };
  }
  const vectors = index.vectorsOf(hash);
  const windows = vectors?.windows ?? 0;
  const known = vectors?.knownWindows ?? 0;
  const failure = known < windows ? failureToEmbed(hash) : undefined;
  if (failure !== undefined) return { ...failedFile(path, failure), state: 'failed', contentHash: hash };
  if (known < windows) {
    const reason = `${path} can be found by its words; windows that wait to be embedded: ${windows - known} of ${windows}.`;
    return { path, state: 'queued', reason, contentHash: hash, windows, waitsFor: 'vectors' };
  }
  return { path, state: 'indexed', reason: `${path} is indexed as it is on disk.`, contentHash: hash, windows };
}
