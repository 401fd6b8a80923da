import { setImmediate } from 'node:timers/promises';
import { withinTime } from '../../util/cancellation';
import { LandmarkError, throwIfAborted } from '../../util/errors';
import type { Logger } from '../../util/logger';
import { isBelowAny } from '../../util/paths';
import { packFailure } from '../files/fileFailure';
import { comparePaths, withForwardSlashes } from '../files/filePaths';
import { walkFiles } from '../files/fileWalker';
import { inspectPath } from '../files/inspectPath';
import { IgnoreRules } from '../files/ignoreRules';
import type { FolderOptions } from '../folderEngine';
import { tokenize } from '../lexical/identifiers';
import type { Catalog, CatalogChange } from '../store/catalog';
import type { ContentRow, FileRow } from '../store/records';
import type { FailedFile, FileFailure, IndexProgress } from '../types';
import type { ContentBuilder } from './contentBuilder';
import { readFileForIndex } from './fileReader';
import { dropSpareContents } from './spareContents';
import { otherSpellings } from './spellings';
import { sizeLimitOf } from '../files/indexable';
import { type FileOnDisk, planSync, trustedStamp } from './syncPlan';
import type { WindowIds } from './windowIds';

/** Files or bytes of source after which what was read is committed and can be searched. */
const BATCH_FILES = 200;
const BATCH_BYTES = 4 * 1024 * 1024;

/** How long one file may take to be read into words and tokens, in milliseconds. */
const FILE_MS = 20_000;
const TOO_SLOW: FileFailure = { kind: 'too-slow', detail: String(FILE_MS / 1000) };

/** A file whose content is now searchable. */
export interface IndexedFile {
  readonly path: string;
  readonly size: number;
  readonly hash: string;
  readonly row: ContentRow;
}

/** Follows the catalogue: called after each commit, in order. */
export interface IndexListener {
  /** @param anew whatever is known of these files is replaced, also where their content is the same. */
  onIndexed(files: readonly IndexedFile[], anew: boolean): void;
  onRemoved(paths: readonly string[]): void;
}

export interface IndexerParts {
  readonly folder: string;
  readonly options: FolderOptions;
  readonly catalog: Catalog;
  readonly builder: ContentBuilder;
  readonly windowIds: WindowIds;
  /** Indexed paths whose content is not in the catalogue. */
  readonly lost: ReadonlySet<string>;
  readonly listener: IndexListener;
  readonly logger: Logger;
}

/** The files that a pass looked at, as they stand afterwards. */
export interface PassResult {
  readonly files: readonly string[];
  readonly problems: readonly FailedFile[];
  /** True when something was added, changed or removed. */
  readonly changed: boolean;
}

/**
 * Brings the catalogue up to the files: walks, reads what changed, commits in batches. Embedding is not its business.
 * Not reentrant: the caller runs one pass after the other.
 */
export class Indexer {
  /** The catalogue's file rows, kept in memory: a save must not read them all. */
  private readonly rows: Map<string, FileRow>;
  /** Paths of files that could not be read. */
  private readonly unread = new Set<string>();

  constructor(private readonly parts: IndexerParts) {
    // What has lost its content is read again as if it were new.
    this.rows = new Map([...parts.catalog.files()].filter(([path]) => !parts.lost.has(path)));
    for (const [path, row] of this.rows) this.noteUnread(path, row);
  }

  /** How many files could not be read when they were last looked at. */
  get unreadCount(): number {
    return this.unread.size;
  }

  /** The catalogue has been emptied. */
  forgetAll(): void {
    this.rows.clear();
    this.unread.clear();
  }

  /** What is known of a path. */
  row(path: string): FileRow | undefined {
    return this.rows.get(path);
  }

  /**
   * Looks at the whole folder.
   * @param anew reads every file and believes nothing that is stored. Row by row takes the place of the old one, so that
   *   all that was found before is found meanwhile, and afterwards if this is interrupted.
   */
  async syncAll(
    onProgress: (progress: IndexProgress) => void,
    { anew }: { readonly anew: boolean },
    signal?: AbortSignal,
  ): Promise<PassResult> {
    onProgress({ phase: 'walk', done: 0, total: 0 });
    const walk = await walkFiles(this.parts.folder, { excludes: this.parts.options.exclude }, signal);
    const unreadable = walk.problems.map(problem => problem.path);
    // What lies below a folder that cannot be read is not known: it stays as it was.
    const known = new Map([...this.rows].filter(([path]) => !isBelowAny(path, unreadable)));
    const result = await this.run(walk.files, known, walk.problems, onProgress, signal, anew);
    // Contents that no file has were not read anew: they go, too.
    if (anew) {
      await dropSpareContents(this.parts.catalog, new Set([...this.rows.values()].map(row => row.hash)));
    }
    return result;
  }

  /** Looks at the given paths, files or folders, and what was known below them. */
  async syncPaths(given: readonly string[], signal?: AbortSignal): Promise<PassResult> {
    const named = given.map(path => withForwardSlashes(path).replace(/\/+$/, ''));
    const paths = new Set([...named, ...otherSpellings(named, this.rows.keys())]);
    const rules = await IgnoreRules.open(this.parts.folder, { excludes: this.parts.options.exclude }, signal);
    const found = new Map<string, FileOnDisk>();
    const problems: FailedFile[] = [];
    for (const path of paths) {
      throwIfAborted(signal);
      const state = await inspectPath(rules, path, signal);
      if (state.state === 'file') {
        found.set(state.file.path, state.file);
        paths.add(state.file.path);
      }
      if (state.state !== 'folder') continue;
      // A path in other letters than stand on disk is followed by its own.
      paths.add(state.path);
      if (state.path !== path) continue;
      const walk = await walkFiles(this.parts.folder, { excludes: this.parts.options.exclude, under: path }, signal);
      for (const file of walk.files) found.set(file.path, file);
      problems.push(...walk.problems);
    }
    const unreadable = problems.map(problem => problem.path);
    const looked = [...paths];
    const known = new Map([...this.rows].filter(([path]) => isBelowAny(path, looked) && !isBelowAny(path, unreadable)));
    const files = [...found.values()].sort((a, b) => comparePaths(a.path, b.path));
    return this.run(files, known, problems, () => {}, signal);
  }

  /** Token ids of a content's windows, read again from one of its files; undefined when no file has that content now. */
  async windowsAgain(
    hash: string,
    paths: readonly string[],
    signal?: AbortSignal,
  ): Promise<readonly Int32Array[] | undefined> {
    for (const path of paths) {
      const size = this.rows.get(path)?.size ?? 0;
      const file = await readFileForIndex(this.parts.folder, path, size, this.parts.options.maxFileSize, signal);
      if (file.kind !== 'text' || file.hash !== hash) continue;
      const windows = await this.parts.builder.windows(file.text, signal);
      this.parts.windowIds.set(hash, windows);
      return windows;
    }
    return undefined;
  }

  private async run(
    files: readonly FileOnDisk[],
    known: ReadonlyMap<string, FileRow>,
    problems: readonly FailedFile[],
    onProgress: (progress: IndexProgress) => void,
    signal: AbortSignal | undefined,
    anew = false,
  ): Promise<PassResult> {
    const { maxFileSize } = this.parts.options;
    const plan = planSync(files, known, path => sizeLimitOf(path, maxFileSize));
    if (plan.removed.length > 0) {
      await this.parts.catalog.write(plan.removed.map(path => ({ kind: 'deleteFile', path })));
      for (const path of plan.removed) {
        this.rows.delete(path);
        this.unread.delete(path);
      }
      this.parts.listener.onRemoved(plan.removed);
    }
    const read = anew ? files : plan.read;
    await this.readAll(read, onProgress, signal, anew ? new Set() : undefined);
    return {
      files: files.map(file => file.path),
      problems,
      changed: plan.removed.length > 0 || read.length > 0,
    };
  }

  /** @param renewed where stored contents are not believed: those that have been stored since, at first none. */
  private async readAll(
    files: readonly FileOnDisk[],
    onProgress: (progress: IndexProgress) => void,
    signal: AbortSignal | undefined,
    renewed: Set<string> | undefined,
  ): Promise<void> {
    let batch = new Batch(renewed);
    onProgress({ phase: 'lexical', done: 0, total: files.length });
    for (const [at, file] of files.entries()) {
      throwIfAborted(signal);
      await this.readInto(batch, file, signal);
      if (batch.files < BATCH_FILES && batch.bytes < BATCH_BYTES && at + 1 < files.length) continue;
      await this.commit(batch);
      batch = new Batch(renewed);
      onProgress({ phase: 'lexical', done: at + 1, total: files.length });
      await setImmediate();
    }
  }

  private async readInto(batch: Batch, file: FileOnDisk, signal: AbortSignal | undefined): Promise<void> {
    const { catalog, builder, windowIds, options, folder } = this.parts;
    const read = await readFileForIndex(folder, file.path, file.size, options.maxFileSize, signal);
    const stamp = { size: file.size, stamp: trustedStamp(file, Date.now()) };
    if (read.kind === 'failed') {
      batch.put(file.path, { hash: '', ...stamp, state: 'failed', reason: packFailure(read.failure) });
      return;
    }
    if (read.kind === 'skip') {
      batch.put(file.path, { hash: read.hash, ...stamp, state: 'skipped', reason: read.reason });
      return;
    }
    let row = batch.contents.get(read.hash) ?? (batch.believes(read.hash) ? catalog.getContent(read.hash) : undefined);
    if (row === undefined) {
      try {
        const built = await withinTime(FILE_MS, signal, within => builder.build(read.text, file.path, within));
        if (built === undefined) {
          batch.put(file.path, { hash: read.hash, ...stamp, state: 'failed', reason: packFailure(TOO_SLOW) });
          return;
        }
        row = built.row;
        windowIds.set(read.hash, built.windows);
        batch.contents.set(read.hash, row);
        batch.changes.push({ kind: 'putContent', hash: read.hash, row });
      } catch (error) {
        // One bad file never stops the rest.
        if (signal?.aborted || (error instanceof LandmarkError && error.reason !== 'internal')) throw error;
        this.parts.logger.error(`Reading ${file.path} failed.`, error);
        batch.put(file.path, {
          hash: read.hash,
          ...stamp,
          state: 'failed',
          reason: packFailure({ kind: 'internal', detail: String(error) }),
        });
        return;
      }
    }
    // The words of the path are stored with the row: readers look them up and must not add any.
    for (const term of tokenize(file.path)) catalog.vocabulary.add(term);
    batch.put(file.path, { hash: read.hash, ...stamp, state: 'indexed', reason: '' });
    batch.indexed.push({ path: file.path, size: file.size, hash: read.hash, row });
    batch.bytes += read.text.length;
  }

  private async commit(batch: Batch): Promise<void> {
    if (batch.changes.length === 0) return;
    await this.parts.catalog.write(batch.changes);
    for (const [path, row] of batch.rows) {
      this.rows.set(path, row);
      this.noteUnread(path, row);
    }
    this.parts.listener.onRemoved(batch.notIndexed);
    this.parts.listener.onIndexed(batch.indexed, batch.renewed !== undefined);
    for (const hash of batch.contents.keys()) batch.renewed?.add(hash);
  }

  private noteUnread(path: string, row: FileRow): void {
    if (row.state === 'failed') this.unread.add(path);
    else this.unread.delete(path);
  }
}

class Batch {
  readonly changes: CatalogChange[] = [];
  readonly contents = new Map<string, ContentRow>();
  readonly indexed: IndexedFile[] = [];
  readonly notIndexed: string[] = [];
  readonly rows = new Map<string, FileRow>();
  bytes = 0;

  constructor(readonly renewed: Set<string> | undefined) {}

  /** Whether a content may be taken as it is stored. */
  believes(hash: string): boolean {
    return this.renewed === undefined || this.renewed.has(hash);
  }

  get files(): number {
    return this.rows.size;
  }

  put(path: string, row: FileRow): void {
    this.rows.set(path, row);
    this.changes.push({ kind: 'putFile', path, row });
    if (row.state !== 'indexed') this.notIndexed.push(path);
  }
}
