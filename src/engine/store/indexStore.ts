import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type * as Lmdb from 'lmdb';
import type { Database, DatabaseOptions, RootDatabase, RootDatabaseOptionsWithPath } from 'lmdb';
import { LandmarkError, messageOf } from '../../util/errors';
import type { Logger } from '../../util/logger';
import { checkStoreFile } from './storeCheck';
import { damagedError, storeError } from './storeErrors';
import { isWasteful, usedBytes } from './storeRoom';
import { type Opening, tryToOpen } from './storeTrial';
import { DATA_FILE, quarantineFiles, replaceDataFile, sizeOf, StoreVisit } from './storeFolder';

/**
 * `read`: never writes, may look on while others write. `share`: reads, and writes what several processes may write
 * at once. `write`: creates what is absent and repairs what is damaged.
 */
export type StoreAccess = 'read' | 'share' | 'write';

export interface StoreOptions {
  readonly access: StoreAccess;
  /** Named tables of binary keys and values; at most ten. */
  readonly tables: readonly string[];
  /** Bytes, for a new store. Larger pages waste less when values take a good part of a page. */
  readonly pageSize: 4096 | 8192 | 16384;
  readonly logger: Logger;
  /** Unused bytes in the file beyond which opening to write may copy it to a smaller one; for tests. */
  readonly spareBytes?: number | undefined;
}

/** Where the smaller file is made. */
const COPY_FOLDER = 'compact';

/** What a transaction may do. Reads see its own writes. */
export interface StoreWriter {
  get(table: string, key: Uint8Array): Uint8Array | undefined;
  put(table: string, key: Uint8Array, value: Uint8Array): void;
  remove(table: string, key: Uint8Array): void;
  clear(table: string): void;
  /** The entry with the highest key. */
  last(table: string): StoreEntry | undefined;
}

export type StoreEntry = readonly [key: Uint8Array, value: Uint8Array];

/** Longest key in bytes that every page size allows. */
export const MAX_KEY_BYTES = 1978;

type Root = RootDatabase<Uint8Array, Uint8Array>;
type Table = Database<Uint8Array, Uint8Array>;
const BINARY = { encoding: 'binary', keyEncoding: 'binary' } as const;

/** So many processes in a row that ended while they opened a store are reason enough not to try it again. */
const TOO_MANY_ENDS = 5;

/** An LMDB environment in a folder of its own. The only file that knows `lmdb`. */
export class IndexStore {
  private readonly root: Root;
  private readonly tables: ReadonlyMap<string, Table>;
  private closing: Promise<void> | undefined;

  private constructor(
    private readonly dir: string,
    environment: Environment,
    private readonly visit: StoreVisit,
    readonly access: StoreAccess,
  ) {
    this.root = environment.root;
    this.tables = environment.tables;
  }

  /**
   * Undefined when there is no store and `access` is not `write`.
   * @throws LandmarkError `store-damaged` (not for `write`, which starts again with an empty store), `store-busy`,
   *   `no-permission`, `disk-full`.
   */
  static async open(dir: string, options: StoreOptions): Promise<IndexStore | undefined> {
    const store = await IndexStore.openAsItIs(dir, options);
    if (options.access !== 'write' || store === undefined || !(await store.isWasteful(options))) return store;
    const before = await store.sizeOnDisk();
    if (!(await store.copyAndClose(options.logger))) return IndexStore.openAsItIs(dir, options);
    const after = await IndexStore.openAsItIs(dir, options);
    const saved = Math.round((before - ((await after?.sizeOnDisk()) ?? 0)) / 1024 / 1024);
    options.logger.info(`${saved} MB of unused room in ${dir} were given back to the disk.`);
    return after;
  }

  private static async openAsItIs(dir: string, options: StoreOptions): Promise<IndexStore | undefined> {
    const path = join(dir, DATA_FILE);
    const creates = options.access === 'write';
    if (!creates && (await sizeOf(path)) === 0) return undefined;
    const visit = await asyncGuard(dir, () => StoreVisit.begin(dir, creates));
    try {
      const damage = await damageOf(dir, options, visit);
      if (damage) {
        if (!creates) throw damagedError(dir, damage);
        options.logger.warn(`The index in ${dir} cannot be used: ${damage}.`);
        await quarantineFiles(dir, options.logger);
      }
      if (creates) await rm(join(dir, COPY_FOLDER), { recursive: true, force: true });
      await visit.opening();
      const environment = await openOrReplace(dir, options);
      if (environment) {
        await visit.clearDead();
        await visit.opened();
        return new IndexStore(dir, environment, visit, options.access);
      }
      await visit.end();
      return undefined;
    } catch (error) {
      await visit.end();
      throw storeError(dir, error);
    }
  }

  /** Puts a store aside that turned out to be damaged while it was open. Close it first; other processes may go on. */
  static async quarantine(dir: string, logger: Logger): Promise<void> {
    const visit = await StoreVisit.begin(dir, false);
    try {
      await quarantineFiles(dir, logger);
    } finally {
      await visit.end();
    }
  }

  get(table: string, key: Uint8Array): Uint8Array | undefined {
    return this.guard(() => this.table(table).getBinary(key));
  }

  has(table: string, key: Uint8Array): boolean {
    return this.guard(() => this.table(table).doesExist(key));
  }

  /** At most `limit` entries in key order, after the key `after` when it is given. */
  entries(table: string, limit: number, after?: Uint8Array): StoreEntry[] {
    const range = after ? { start: after, exclusiveStart: true, limit } : { limit };
    return this.guard(() => {
      const found: StoreEntry[] = [];
      for (const { key, value } of this.table(table).getRange(range)) found.push([Uint8Array.from(key), value]);
      return found;
    });
  }

  /** All entries; reads in portions, so that it may be consumed slowly and while others write. */
  *all(table: string, portion = 256): Generator<StoreEntry> {
    let after: Uint8Array | undefined;
    for (;;) {
      const entries = this.entries(table, portion, after);
      yield* entries;
      after = entries.at(-1)?.[0];
      if (!after || entries.length < portion) return;
    }
  }

  /** All keys, in portions. */
  *keys(table: string, portion = 1024): Generator<Uint8Array> {
    let after: Uint8Array | undefined;
    for (;;) {
      const range = after ? { start: after, exclusiveStart: true, limit: portion } : { limit: portion };
      const keys = this.guard(() => Array.from(this.table(table).getKeys(range), key => Uint8Array.from(key)));
      yield* keys;
      after = keys.at(-1);
      if (!after || keys.length < portion) return;
    }
  }

  /** Reads see one state until the event loop's next turn; from here on they see what others have committed since. */
  renew(): void {
    this.guard(() => this.root.resetReadTxn());
  }

  count(table: string): number {
    return this.guard(() => (this.table(table).getStats() as { entryCount: number }).entryCount);
  }

  /**
   * Runs `work` in one transaction: all of it or nothing, and on the disk when the promise resolves.
   * The commit blocks the thread (milliseconds): the asynchronous way of `lmdb` never settles its promise when a
   * transaction cannot begin, and reports a full disk on stderr only.
   */
  async write<T>(work: (writer: StoreWriter) => T): Promise<T> {
    if (this.access === 'read') throw new LandmarkError('internal', `The index in ${this.dir} was opened to be read.`);
    return this.guard(() => this.root.transactionSync(() => work(this.writer)));
  }

  async sizeOnDisk(): Promise<number> {
    return sizeOf(join(this.dir, DATA_FILE));
  }

  /** Bytes of the file that hold nothing. */
  async unusedBytes(): Promise<number> {
    const { root, tables } = this;
    const size = await this.sizeOnDisk();
    return this.guard(() => {
      root.resetReadTxn();
      return Math.max(0, size - usedBytes(root, tables.values()));
    });
  }

  private async isWasteful({ spareBytes }: StoreOptions): Promise<boolean> {
    return isWasteful(await this.unusedBytes(), await this.sizeOnDisk(), spareBytes);
  }

  /**
   * Writes the pages in use to a new file, table by table, closes the store and puts the new file in its place. Does nothing and
   * returns false when another store, also of this process, uses the same file. Afterwards this store is closed.
   */
  async compactAndClose(): Promise<boolean> {
    const copies = join(this.dir, COPY_FOLDER);
    // The own marker would count as another user of the file.
    await this.visit.end();
    const visit = await StoreVisit.begin(this.dir, true);
    try {
      if (visit.shared) return false;
      await rm(copies, { recursive: true, force: true });
      await mkdir(copies);
      await asyncGuard(this.dir, () => this.root.backup(copies, true));
      await this.closeRoot();
      await replaceDataFile(this.dir, join(copies, DATA_FILE));
      return true;
    } finally {
      await this.closeRoot();
      await rm(copies, { recursive: true, force: true });
      await visit.end();
    }
  }

  /** As `compactAndClose`, for whom the copy is no more than a gain: a failure is logged, and nothing is done then. */
  async copyAndClose(logger: Logger): Promise<boolean> {
    try {
      return await this.compactAndClose();
    } catch (error) {
      // A full disk, for one: the large file is as good as before.
      logger.warn(`The file in ${this.dir} could not be copied to a smaller one (${messageOf(error)}).`);
      return false;
    }
  }

  /** Must be awaited before the process ends. */
  async close(): Promise<void> {
    await this.closeRoot();
    await this.visit.end();
  }

  private closeRoot(): Promise<void> {
    return (this.closing ??= this.root.close());
  }

  private readonly writer: StoreWriter = {
    get: (table, key) => this.table(table).getBinary(key),
    put: (table, key, value) => this.table(table).putSync(key, value),
    remove: (table, key) => void this.table(table).removeSync(key),
    clear: table => this.table(table).clearSync(),
    last: table => {
      for (const { key, value } of this.table(table).getRange({ reverse: true, limit: 1 })) {
        return [Uint8Array.from(key), value];
      }
      return undefined;
    },
  };

  private table(name: string): Table {
    const table = this.tables.get(name);
    if (!table) throw new LandmarkError('internal', `The store has no table "${name}".`);
    return table;
  }

  private guard<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      throw storeError(this.dir, error);
    }
  }
}

async function asyncGuard<T>(dir: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw storeError(dir, error);
  }
}

async function damageOf(dir: string, options: StoreOptions, visit: StoreVisit): Promise<string | undefined> {
  const ended = visit.crashedOpenings;
  if (ended >= TOO_MANY_ENDS) return `the last ${ended} processes that opened it ended while they did so`;
  // Another process has it open and may be writing: its pages change while they are read here.
  if (!visit.shared) {
    const state = await checkStoreFile(join(dir, DATA_FILE), { deep: visit.leftOpen || ended > 0 });
    if (typeof state === 'object') return state.damaged;
    if (state === 'absent') return undefined;
  }
  // Most are killed from outside, by chance in these milliseconds. Where LMDB was the reason, it shows again.
  const trial = ended > 0 ? await tryToOpen(openingOf(dir, options), require.resolve('lmdb')) : undefined;
  return trial === 'crashed' ? 'a process that did nothing but open it crashed' : undefined;
}

interface Environment {
  readonly root: Root;
  readonly tables: ReadonlyMap<string, Table>;
}

async function openOrReplace(dir: string, options: StoreOptions): Promise<Environment | undefined> {
  try {
    return await openEnvironment(dir, options);
  } catch (error) {
    const known = storeError(dir, error);
    if (options.access !== 'write' || known.reason !== 'store-damaged') throw known;
    await quarantineFiles(dir, options.logger);
    return openEnvironment(dir, options);
  }
}

/** @throws LandmarkError where its binary is missing or does not fit: in the package of another platform, mostly. */
async function loadLmdb(): Promise<typeof Lmdb> {
  try {
    return await import('lmdb');
  } catch (error) {
    const sentence = `The store cannot be loaded on this machine (${process.platform} ${process.arch}): ${messageOf(error)}`;
    const way = 'Install the package that is made for its platform.';
    throw new LandmarkError('internal', `${sentence.replace(/\.?$/, '.')} ${way}`, { cause: error });
  }
}

interface EnvironmentOpening extends Opening {
  readonly environment: RootDatabaseOptionsWithPath;
  readonly table: DatabaseOptions & { readonly create: boolean };
}

/** How the package is asked for a store and its tables. */
function openingOf(dir: string, { access, pageSize, tables }: StoreOptions): EnvironmentOpening {
  return {
    environment: {
      path: dir,
      // Said outright because the package guesses it from a dot in the path.
      noSubdir: false,
      readOnly: access === 'read',
      maxDbs: 12,
      pageSize,
      // A commit is then on the disk when it returns, and the file has the plain two meta pages.
      overlappingSync: false,
      ...BINARY,
    },
    tables,
    table: { ...BINARY, create: access === 'write' },
  };
}

/** Opens the environment and its tables and reads from each; undefined when tables are missing. */
async function openEnvironment(dir: string, options: StoreOptions): Promise<Environment | undefined> {
  const lmdb = await loadLmdb();
  const { environment, tables: names, table: tableOptions } = openingOf(dir, options);
  const root: Root = lmdb.open(environment);
  try {
    const tables = new Map<string, Table>();
    for (const name of names) {
      // Missing tables are undefined, whatever the declaration says.
      const table = root.openDB(name, tableOptions) as Table | undefined;
      if (!table) break;
      for (const entry of table.getRange({ limit: 1 })) void entry;
      tables.set(name, table);
    }
    if (tables.size === names.length) return { root, tables };
    // Another process has created the file and not yet its tables.
    await root.close();
    return undefined;
  } catch (error) {
    await root.close();
    throw error;
  }
}
