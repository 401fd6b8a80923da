import { setImmediate as nextTurn } from 'node:timers/promises';
import { isDamage, LandmarkError, messageOf, throwIfAborted } from '../../util/errors';
import type { Logger } from '../../util/logger';
import { IndexStore, type StoreAccess, type StoreEntry, type StoreWriter } from './indexStore';
import { isOtherWindowFormat, packWindow, unpackWindow } from './recordCodec';
import type { WindowRecord } from './records';

/**
 * Where the record of a key lies, and the records in the order of their arrival. Keys are hashes: records kept under
 * them directly would go to random pages, which takes half as much room again and five times the time to write.
 */
const PLACES = 'places';
const RECORDS = 'records';
const PLACE_BYTES = 6;
/** sha256 of a window's token ids, and of the fingerprint as much as tells models apart. */
const KEY_BYTES = 32;
const MODEL_BYTES = 16;
/** In front of a record: hours since 1970, so that a sweep spares what was written a moment ago. */
const TIME_BYTES = 4;
const HOUR_MS = 3600_000;
const SWEEP_PORTION = 1000;

export interface WindowStoreOptions {
  /** `read` creates nothing: where there is no store, nothing is found. */
  readonly access: Exclude<StoreAccess, 'share'>;
  /** Of the model, hex. */
  readonly fingerprint: string;
  readonly logger: Logger;
  /** See `StoreOptions`; for tests. */
  readonly spareBytes?: number | undefined;
}

/** Which windows a sweep keeps: asked with the window's key and the first 16 bytes of its model's fingerprint. */
export type IsLive = (key: Uint8Array, model: Uint8Array) => boolean;

/** Why a stored window cannot be read. */
type Fault = 'damaged' | 'other-format';

/**
 * Landmark vectors by the content of a window (32-byte key) and the model, shared by all workspaces of a data folder.
 * A damaged value counts as absent, and so does one that another version of the program wrote: the window is then
 * embedded again.
 */
export class WindowStore {
  /** Keys of windows that were there and could not be read, as hex: absent until written again, by whomever. */
  private readonly faults = new Map<string, Fault>();
  /** The file itself proved damaged: nothing in it counts any more. */
  private broken = false;
  /** How often it was started anew since it was opened: what was written before is lost then. */
  restarts = 0;

  private constructor(
    private readonly dir: string,
    private readonly options: WindowStoreOptions,
    private readonly model: Uint8Array,
    private store: IndexStore | undefined,
  ) {}

  /** @throws what `IndexStore.open` throws. */
  static async open(dir: string, options: WindowStoreOptions): Promise<WindowStore> {
    const model = Buffer.from(options.fingerprint, 'hex').subarray(0, MODEL_BYTES);
    if (model.length !== MODEL_BYTES) {
      throw new LandmarkError('invalid-argument', `Expected a fingerprint in hex, got "${options.fingerprint}".`);
    }
    return new WindowStore(dir, options, model, await openStore(dir, options));
  }

  /** Puts a store aside that turned out to be damaged. Close it first. */
  static quarantine(dir: string, logger: Logger): Promise<void> {
    return IndexStore.quarantine(dir, logger);
  }

  has(key: Uint8Array): boolean {
    const full = this.fullKey(key);
    if (this.faults.has(hexOf(full))) return this.get(key) !== undefined;
    return this.read(store => store.has(PLACES, full)) ?? false;
  }

  get(key: Uint8Array): WindowRecord | undefined {
    const full = this.fullKey(key);
    const place = this.read(store => store.get(PLACES, full));
    if (!place) return undefined;
    const value = this.read(store => (place.length === PLACE_BYTES ? store.get(RECORDS, place) : undefined));
    const packed = value?.subarray(TIME_BYTES) ?? new Uint8Array();
    try {
      const record = unpackWindow(full, packed);
      if (this.faults.size > 0) this.faults.delete(hexOf(full));
      return record;
    } catch (error) {
      if (!isDamage(error)) throw error;
      const fault = isOtherWindowFormat(full, packed) ? 'other-format' : 'damaged';
      const known = this.faults.get(hexOf(full));
      if (fault === 'damaged' && fault !== known) {
        this.options.logger.warn('A stored window is damaged and is embedded again.');
      }
      this.faults.set(hexOf(full), fault);
      return undefined;
    }
  }

  /** Parallel to the keys; absent ones are undefined. */
  getMany(keys: Iterable<Uint8Array>): (WindowRecord | undefined)[] {
    return Array.from(keys, key => this.get(key));
  }

  /**
   * One transaction, on the disk when the promise resolves. A file that proves damaged is put aside first, and the
   * store starts again with these records.
   */
  async putMany(records: Iterable<readonly [key: Uint8Array, record: WindowRecord]>): Promise<void> {
    const all = [...records];
    if (this.broken) await this.startAnew();
    try {
      await this.opened().write(writer => this.putAll(writer, all));
    } catch (error) {
      if (!isDamage(error)) throw error;
      await this.startAnew();
      await this.opened().write(writer => this.putAll(writer, all));
    }
    for (const [key] of all) this.faults.delete(hexOf(this.fullKey(key)));
  }

  /** Windows of all models. */
  count(): number {
    return this.read(store => store.count(PLACES)) ?? 0;
  }

  /**
   * Removes the windows that no catalogue refers to and that were written before `olderThan` (ms since 1970; to the
   * hour). A window that is swept while somebody begins to refer to it is embedded again.
   * @returns how many were removed.
   */
  async sweep(isLive: IsLive, olderThan: number, signal?: AbortSignal): Promise<number> {
    const store = this.opened();
    const limit = hourOf(olderThan);
    let removed = 0;
    let after: Uint8Array | undefined;
    for (;;) {
      throwIfAborted(signal);
      const entries = store.entries(PLACES, SWEEP_PORTION, after);
      after = entries.at(-1)?.[0];
      if (!after) return removed;
      const dead = entries.filter(
        ([key, place]) =>
          !isLive(key.subarray(0, KEY_BYTES), key.subarray(KEY_BYTES)) &&
          hourWritten(store.get(RECORDS, place)) < limit,
      );
      if (dead.length > 0) await store.write(writer => dead.forEach(entry => removeEntry(writer, entry)));
      removed += dead.length;
      await nextTurn();
    }
  }

  /**
   * Gives the space of removed windows back to the disk: copies and swaps the file. Not while this store is used.
   * @returns false, with nothing done, while another process or another part of this one uses the store.
   */
  async compact(): Promise<boolean> {
    try {
      return await this.opened().compactAndClose();
    } finally {
      this.store = undefined;
      this.store = await openStore(this.dir, this.options);
    }
  }

  /** Puts a store aside that turned out to be damaged while it was open, and starts with an empty one. */
  async startAnew(): Promise<void> {
    await this.close();
    await IndexStore.quarantine(this.dir, this.options.logger);
    this.faults.clear();
    this.broken = false;
    this.restarts++;
    this.store = await openStore(this.dir, this.options);
  }

  /** Bytes of the file that hold nothing: what `compact` gives back. */
  async unusedBytes(): Promise<number> {
    return (await this.store?.unusedBytes()) ?? 0;
  }

  async sizeOnDisk(): Promise<number> {
    return (await this.store?.sizeOnDisk()) ?? 0;
  }

  /** Must be awaited before the process ends. */
  async close(): Promise<void> {
    await this.store?.close();
    this.store = undefined;
  }

  private putAll(writer: StoreWriter, records: readonly (readonly [Uint8Array, WindowRecord])[]): void {
    const now = hourOf(Date.now());
    let next = nextPlace(writer);
    for (const [key, record] of records) {
      const full = this.fullKey(key);
      // The place of a damaged record may be what is damaged, and the record there another window's.
      const known = this.faults.get(hexOf(full)) === 'damaged' ? undefined : writer.get(PLACES, full);
      const place = known?.length === PLACE_BYTES ? known : placeBytes(next++);
      const packed = packWindow(full, record);
      const value = Buffer.alloc(TIME_BYTES + packed.length);
      value.writeUInt32LE(now);
      value.set(packed, TIME_BYTES);
      writer.put(RECORDS, place, value);
      if (place !== known) writer.put(PLACES, full, place);
    }
  }

  /** Undefined where there is no store, or none that can be trusted. */
  private read<T>(work: (store: IndexStore) => T): T | undefined {
    if (!this.store || this.broken) return undefined;
    try {
      return work(this.store);
    } catch (error) {
      if (!isDamage(error)) throw error;
      this.options.logger.warn(`${messageOf(error)} Its windows are embedded again.`);
      this.broken = true;
      return undefined;
    }
  }

  private opened(): IndexStore {
    if (!this.store) throw new LandmarkError('internal', `The window store in ${this.dir} is not open to be written.`);
    return this.store;
  }

  private fullKey(key: Uint8Array): Uint8Array {
    if (key.length !== KEY_BYTES) {
      throw new LandmarkError('invalid-argument', `Expected a window key of 32 bytes, got ${key.length}.`);
    }
    return Buffer.concat([key, this.model]);
  }
}

/** Records take half a kilobyte: of the usual 4 KB pages a good part would stay empty. */
function openStore(dir: string, { access, logger, spareBytes }: WindowStoreOptions): Promise<IndexStore | undefined> {
  return IndexStore.open(dir, { access, tables: [PLACES, RECORDS], pageSize: 8192, logger, spareBytes });
}

function nextPlace(writer: StoreWriter): number {
  const last = writer.last(RECORDS)?.[0];
  return last ? Buffer.from(last).readUIntBE(0, PLACE_BYTES) + 1 : 0;
}

function placeBytes(place: number): Uint8Array {
  const bytes = Buffer.alloc(PLACE_BYTES);
  bytes.writeUIntBE(place, 0, PLACE_BYTES);
  return bytes;
}

function removeEntry(writer: StoreWriter, [key, place]: StoreEntry): void {
  writer.remove(PLACES, key);
  if (place.length > 0) writer.remove(RECORDS, place);
}

function hourWritten(value: Uint8Array | undefined): number {
  return value && value.length >= TIME_BYTES ? Buffer.from(value).readUInt32LE(0) : 0;
}

function hourOf(time: number): number {
  return Math.floor(time / HOUR_MS);
}

function hexOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}
