import { failedFile, unpackFailure } from '../files/fileFailure';
import type { FileRow } from '../store/records';
import { type FailedFile, type FileFailure, type IndexReport, SKIP_REASONS, type SkipReason } from '../types';
import type { PassResult } from './indexer';

/** What one order embedded so far. */
export interface Run {
  /** Keys of the windows, and the contents that they belong to. */
  readonly keys: Set<string>;
  readonly owners: Set<string>;
  tokens: number;
  /** Milliseconds of `performance.now()`. */
  readonly startedAt: number;
}

/** What is known of the files of a pass. */
export interface KnownFiles {
  rowOf(path: string): FileRow | undefined;
  /** Why a content could not be embedded. */
  failureOf(hash: string): FileFailure | undefined;
  /** Embedded windows of a content. */
  windowsOf(hash: string): number;
}

/** Counts a pass: every file is embedded, reused, skipped or failed. The words of paths are not counted as windows. */
export function indexReport(pass: PassResult, run: Run, known: KnownFiles): IndexReport {
  const skipped: Partial<Record<SkipReason, number>> = {};
  const failed: FailedFile[] = [...pass.problems];
  let skippedCount = 0;
  let embedded = 0;
  let reused = 0;
  const hashes = new Set<string>();
  for (const path of pass.files) {
    const row = known.rowOf(path);
    if (row === undefined) continue;
    const failure = row.state === 'failed' ? unpackFailure(row.reason) : known.failureOf(row.hash);
    const skip = row.state === 'skipped' ? SKIP_REASONS.find(reason => reason === row.reason) : undefined;
    if (skip !== undefined) {
      skipped[skip] = (skipped[skip] ?? 0) + 1;
      skippedCount++;
    } else if (failure !== undefined) failed.push(failedFile(path, failure));
    else {
      if (run.owners.has(row.hash)) embedded++;
      else reused++;
      hashes.add(row.hash);
    }
  }
  let windows = 0;
  for (const hash of hashes) windows += known.windowsOf(hash);
  return {
    files: embedded + reused + skippedCount + failed.length,
    embedded,
    reused,
    windows: { embedded: run.keys.size, reused: Math.max(0, windows - run.keys.size) },
    skipped,
    failed,
    seconds: (performance.now() - run.startedAt) / 1000,
    tokens: run.tokens,
  };
}
