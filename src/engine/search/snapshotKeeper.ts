import { cancelledError, isCancelled, messageOf, throwIfAborted } from '../../util/errors';
import type { Logger } from '../../util/logger';
import type { LoadedModel } from '../model/modelManifest';
import type { Catalog } from '../store/catalog';
import type { SnapshotSink, SnapshotSource } from '../store/snapshot';
import { WINDOW_FORMAT } from '../store/recordCodec';
import { discardSnapshot, SnapshotFile } from '../store/snapshotFile';
import { SnapshotWriter } from '../store/snapshotWriter';
import { Corpus } from './corpus';
import { StoredRows } from './storedRows';
import { VectorTable } from './vectorTable';

/**
 * Raised when the parts of a snapshot change, or what is made of a file as it is put in (kinds of files, terms of names and
 * paths); older ones are then not used. The vectors in it are those of stored windows: it rises with their format, too.
 */
const FORMAT = 2 + WINDOW_FORMAT;
/** So many changes, and one more for so many files, are worth a new snapshot: to take them in again takes a tenth of a second. */
const WORTH = 64;
const FILES_PER_CHANGE = 50;

/** What is otherwise decided here; for tests. */
export interface SnapshotTuning {
  /** How many changes are worth a snapshot. */
  readonly changesWorth?: number;
  /** See `SnapshotFile.open`. */
  readonly mostHeld?: number;
}

export interface KeeperOptions {
  /** Of the workspace's data. */
  readonly directory: string;
  readonly catalog: Catalog;
  readonly model: LoadedModel;
  readonly logger: Logger;
  /** False after one has proved damaged: everything is read from the catalogue then. */
  readonly useSnapshot: boolean;
  /** Whether this process may write and discard any. */
  readonly mayWrite: boolean;
  readonly tuning: SnapshotTuning | undefined;
}

/** What is in memory of a folder and in its snapshot. */
export interface SnapshotContents {
  readonly corpus: Corpus;
  readonly vectors: VectorTable;
}

/**
 * Keeps a snapshot of what is in memory of a folder, from which that is restored in a fraction of the time it takes to read the
 * catalogue, and in which what has not changed rests. A snapshot is a cache: whenever it cannot be used or written, the
 * catalogue is read instead.
 */
export class SnapshotKeeper {
  /** Counts the changes; and how many there were when the snapshot was written. */
  private changes = 0;
  private saved = 0;
  private isClosed = false;
  private last: Promise<unknown> = Promise.resolve();

  private constructor(
    private readonly options: KeeperOptions,
    private readonly rows: StoredRows,
    readonly contents: SnapshotContents,
    private snapshot: SnapshotFile | undefined,
  ) {
    rows.onDamage = () => this.onDamagedRow();
  }

  /** Restores the contents, which are empty where there is no snapshot that can be used. */
  static async open(options: KeeperOptions): Promise<SnapshotKeeper> {
    const empty = (): readonly [StoredRows, SnapshotContents] => {
      const { catalog, logger, model } = options;
      const rows = new StoredRows(catalog, logger);
      const corpus = new Corpus(catalog.vocabulary, rows.read);
      return [rows, { corpus, vectors: new VectorTable(model.manifest.landmarkDimensions) }];
    };
    const snapshot = options.useSnapshot ? await openSnapshot(options) : undefined;
    if (snapshot === undefined) return new SnapshotKeeper(options, ...empty(), undefined);
    const [rows, contents] = empty();
    try {
      await restore(contents, snapshot);
      return new SnapshotKeeper(options, rows, contents, snapshot);
    } catch (error) {
      await snapshot.close();
      options.logger.warn(`The snapshot of the index cannot be used, the catalogue is read: ${messageOf(error)}`);
      return new SnapshotKeeper(options, ...empty(), undefined);
    }
  }

  /** Whether a part of what is searched rests in a snapshot: it may be that which is damaged. */
  get isResting(): boolean {
    return this.snapshot !== undefined;
  }

  /** Something was put in, taken out or embedded. */
  noteChange(): void {
    this.changes++;
  }

  /**
   * Writes a snapshot where there are changes enough, unless something changes meanwhile. A failure is logged.
   * @throws LandmarkError `cancelled` when the signal is aborted.
   */
  save(signal?: AbortSignal): Promise<void> {
    return this.alone(() => this.saveNow(signal));
  }

  private async saveNow(signal: AbortSignal | undefined): Promise<void> {
    const { directory, catalog, logger, tuning, mayWrite } = this.options;
    const { size } = this.contents.corpus;
    const worth = tuning?.changesWorth ?? WORTH + size / FILES_PER_CHANGE;
    if (!mayWrite || this.changes - this.saved < worth) return;
    const { changes } = this;
    const check = (): void => {
      throwIfAborted(signal);
      if (this.changes !== changes || this.isClosed) throw cancelledError();
    };
    let writer: SnapshotWriter | undefined;
    try {
      writer = await SnapshotWriter.create(directory, logger);
      await save(this.contents, checked(writer, check));
      check();
      await writer.finish(catalog.graphs, identityOf(catalog));
      this.saved = changes;
      await this.restAnew(check);
    } catch (error) {
      throwIfAborted(signal);
      if (!isCancelled(error)) logger.warn(`A snapshot of the index was not written: ${messageOf(error)}`);
    } finally {
      await writer?.abandon();
    }
  }

  /** The snapshot counts no more: whoever opens the folder reads the catalogue, until the next one is written. */
  discard(): Promise<void> {
    const { directory, catalog, logger } = this.options;
    // One that is being written is given up, or goes, too.
    this.changes++;
    return this.alone(async () => {
      this.saved = -Infinity;
      await discardSnapshot(directory, catalog.graphs, logger);
    });
  }

  async close(): Promise<void> {
    this.isClosed = true;
    this.rows.isClosed = true;
    await this.last;
    await this.snapshot?.close();
  }

  /** One at a time: of two that write, each deletes what the other is about to put in force. */
  private alone(work: () => Promise<void>): Promise<void> {
    const next = this.last.then(work);
    this.last = next.catch(() => undefined); // whoever asked hears of it
    return next;
  }

  /** From now on what has not changed since is read from the snapshot just written; its memory is free. */
  private async restAnew(check: () => void): Promise<void> {
    const snapshot = await openSnapshot(this.options);
    if (snapshot === undefined) return;
    try {
      const apply = await rest(this.contents, snapshot);
      check();
      apply();
    } catch (error) {
      await snapshot.close();
      throw error;
    }
    const before = this.snapshot;
    this.snapshot = snapshot;
    await before?.close();
  }

  /** Opening the folder without a snapshot reads all rows, finds the damaged one and mends it. */
  private onDamagedRow(): void {
    if (!this.options.mayWrite || this.isClosed) return;
    this.discard().catch((error: unknown) => {
      this.options.logger.warn(`The snapshot of an index with damaged rows stays: ${messageOf(error)}`);
    });
  }
}

/** Names what a snapshot was written of: numbers of terms are those of one epoch, vectors those of one model. */
function identityOf(catalog: Catalog): string {
  return `${FORMAT} ${catalog.epoch} ${catalog.fingerprint}`;
}

function openSnapshot({ directory, catalog, logger, tuning }: KeeperOptions): Promise<SnapshotFile | undefined> {
  return SnapshotFile.open(directory, catalog.graphs, identityOf(catalog), logger, tuning);
}

async function save({ corpus, vectors }: SnapshotContents, sink: SnapshotSink): Promise<void> {
  await corpus.save(sink, 'corpus');
  await vectors.save(sink, 'vectors');
}

async function restore({ corpus, vectors }: SnapshotContents, source: SnapshotSource): Promise<void> {
  await corpus.restore(source, 'corpus');
  await vectors.restore(source, 'vectors');
}

async function rest({ corpus, vectors }: SnapshotContents, source: SnapshotSource): Promise<() => void> {
  const apply = [await corpus.rest(source, 'corpus'), await vectors.rest(source, 'vectors')];
  return () => apply.forEach(one => one());
}

/** Asks `check`, which may throw, before each part and each blob. */
function checked(sink: SnapshotSink, check: () => void): SnapshotSink {
  return {
    bytes: async (name, bytes) => {
      check();
      await sink.bytes(name, bytes);
    },
    json: async (name, value) => {
      check();
      await sink.json(name, value);
    },
    blobs: async (name, blobs) => {
      const get = (number: number): Uint8Array | undefined => {
        check();
        return blobs.get(number);
      };
      await sink.blobs(name, { limit: blobs.limit, get });
    },
  };
}
