import { randomUUID } from 'node:crypto';
import { LandmarkError } from '../../util/errors';
import type { Logger } from '../../util/logger';
import type { Vocabulary } from '../lexical/vocabulary';
import { notIndexed, otherModel } from './catalogErrors';
import { contentKey, fileKey, isHashedKey } from './catalogKeys';
import { IndexStore, type StoreAccess, type StoreWriter } from './indexStore';
import { packContent, packFile, packTexts, RECORD_FORMAT, unpackContent, unpackFile, unpackTexts } from './recordCodec';
import type { ContentRow, FileRow } from './records';
import { isScattered } from './storeRoom';
import { VocabularyBlocks } from './vocabularyBlocks';

export type CatalogChange =
  | { readonly kind: 'putFile'; readonly path: string; readonly row: FileRow }
  | { readonly kind: 'deleteFile'; readonly path: string }
  | { readonly kind: 'putContent'; readonly hash: string; readonly row: ContentRow }
  | { readonly kind: 'deleteContent'; readonly hash: string }
  /** Adds to the vocabulary what it does not have yet. */
  | { readonly kind: 'addTerms'; readonly terms: readonly string[] }
  /** `value` is stored as JSON. */
  | { readonly kind: 'putMeta'; readonly key: string; readonly value: unknown };

export interface CatalogOptions {
  readonly access: StoreAccess;
  /** Of the model; undefined (only to read) takes whatever is there. */
  readonly fingerprint: string | undefined;
  /** The indexed folder, as sentences name it. */
  readonly folder?: string;
  readonly logger: Logger;
  /** Bytes of growth that make the file worth copying; for tests. */
  readonly gatherBytes?: number | undefined;
}

/** Small values of the catalogue that others keep there, such as what is known of a graph file. */
export interface RecordTable {
  get(name: string): Uint8Array | undefined;
  put(name: string, value: Uint8Array): Promise<void>;
  remove(name: string): Promise<void>;
}

/** Raised when the tables change their meaning; an older catalogue is then emptied. */
const CATALOG_FORMAT = 2;
/** About what 2,000 files take. */
const GATHER_BYTES = 8 * 1024 * 1024;
const TABLES = ['meta', 'files', 'longPaths', 'contents', 'vocabulary', 'queue', 'graphs'] as const;
/** What a catalogue says of itself. `epoch` changes when it is emptied: term ids start again. */
interface Label {
  readonly format: number;
  readonly fingerprint: string;
  readonly epoch: string;
}

/**
 * What is known of one indexed folder: paths, contents, terms, small values, and the queue through which other
 * processes hand over paths. Reads are synchronous (memory map); a damaged row throws `store-damaged`.
 */
export class Catalog {
  private seen: number;
  /** The generation whose terms are known. */
  private learnt: number;
  private blocks: VocabularyBlocks;

  private constructor(
    private readonly store: IndexStore,
    private label: Label,
  ) {
    // First the number, then what it counts: the other way round, what is written in between would never be noticed.
    this.seen = this.generation();
    this.learnt = this.seen;
    this.blocks = new VocabularyBlocks(store);
  }

  /**
   * @throws LandmarkError `not-indexed` when there is nothing to read, or only what another model or version wrote;
   *   with access `write` that is thrown away and the catalogue starts empty. Else what `IndexStore.open` throws.
   */
  static async open(dir: string, options: CatalogOptions): Promise<Catalog> {
    try {
      return await Catalog.openOnce(dir, options);
    } catch (error) {
      const damaged = error instanceof LandmarkError && error.reason === 'store-damaged';
      if (!damaged || options.access !== 'write') throw error;
      await IndexStore.quarantine(dir, options.logger);
      return Catalog.openOnce(dir, options);
    }
  }

  private static async openOnce(dir: string, options: CatalogOptions): Promise<Catalog> {
    const { access, fingerprint, folder, logger } = options;
    const store = await openStore(dir, options);
    if (!store) throw notIndexed(folder);
    try {
      const found = readMeta(store, 'label') as Label | undefined;
      if (found && suits(found, fingerprint)) return new Catalog(store, found);
      if (access !== 'write' || fingerprint === undefined) throw found ? otherModel(folder) : notIndexed(folder);
      if (found) logger.info(`The index in ${dir} is of another model or version and is built again.`);
      return new Catalog(store, await startEmpty(store, fingerprint));
    } catch (error) {
      await store.close();
      throw error;
    }
  }

  /** Puts a catalogue aside that turned out to be damaged. Close it first. */
  static quarantine(dir: string, logger: Logger): Promise<void> {
    return IndexStore.quarantine(dir, logger);
  }

  get fingerprint(): string {
    return this.label.fingerprint;
  }

  /** Another one after the catalogue was emptied: numbers of terms start again. */
  get epoch(): string {
    return this.label.epoch;
  }

  getFile(path: string): FileRow | undefined {
    const key = fileKey(path);
    const value = this.store.get('files', key);
    return value && unpackFile(key, value);
  }

  /** In the order of the paths' bytes. May be consumed slowly and while rows are written. */
  *files(): IterableIterator<[string, FileRow]> {
    for (const [key, value] of this.store.all('files')) yield [this.pathOf(key), unpackFile(key, value)];
  }

  /** @param hash sha256 of the raw bytes, hex. */
  getContent(hash: string): ContentRow | undefined {
    const key = contentKey(hash);
    const value = this.store.get('contents', key);
    return value && unpackContent(key, value);
  }

  hasContent(hash: string): boolean {
    return this.store.has('contents', contentKey(hash));
  }

  *contents(): IterableIterator<[string, ContentRow]> {
    for (const [key, value] of this.store.all('contents', 64)) {
      yield [Buffer.from(key).toString('hex'), unpackContent(key, value)];
    }
  }

  /** Hashes of all contents, without reading them. */
  *contentHashes(): IterableIterator<string> {
    for (const key of this.store.keys('contents')) yield Buffer.from(key).toString('hex');
  }

  contentCount(): number {
    return this.store.count('contents');
  }

  /**
   * The terms that contents refer to by number. New ones are stored with the next `write`; only the owner of the index
   * adds any. Another object after a `refresh` that found the index built anew.
   */
  get vocabulary(): Vocabulary {
    return this.blocks.vocabulary;
  }

  getMeta(key: string): unknown {
    return readMeta(this.store, `value ${key}`);
  }

  /** Counts the writes, those of other processes included. */
  generation(): number {
    this.store.renew();
    return numberOf(readMeta(this.store, 'generation'));
  }

  /**
   * Takes in what another process has written since: false when that is nothing.
   * @throws LandmarkError `not-indexed` when it was another model's.
   */
  refresh(): boolean {
    const generation = this.generation();
    if (generation === this.seen) return false;
    const label = readMeta(this.store, 'label') as Label | undefined;
    if (!label || !suits(label, this.fingerprint)) throw otherModel();
    if (label.epoch !== this.label.epoch) this.blocks = new VocabularyBlocks(this.store);
    else this.blocks.load();
    this.label = label;
    this.seen = generation;
    this.learnt = generation;
    return true;
  }

  /**
   * For those who follow another process, after reading a row and before using its terms: takes in the terms that were
   * stored with it, and no more. What was built anew since is left to `refresh`.
   */
  learnTerms(): void {
    if (this.store.access === 'write') return;
    const generation = this.generation();
    if (generation === this.learnt) return;
    this.learnt = generation;
    const label = readMeta(this.store, 'label') as Label | undefined;
    if (label?.epoch === this.label.epoch) this.blocks.load();
  }

  /** Applies the changes and the terms they use in one transaction; they are on the disk when the promise resolves. */
  async write(changes: Iterable<CatalogChange>): Promise<void> {
    const saved = await this.store.write(writer => {
      for (const change of changes) {
        if (change.kind !== 'addTerms') apply(writer, change);
        else for (const term of change.terms) this.vocabulary.add(term);
      }
      const done = this.blocks.write(writer);
      const next = numberOf(readMeta(writer, 'generation')) + 1;
      writeMeta(writer, 'generation', next);
      return () => {
        done();
        this.seen = next;
      };
    });
    saved();
  }

  /** Hands paths over to the owner of the index. Needs access `share` or `write`. */
  async enqueue(paths: Iterable<string>): Promise<void> {
    await this.store.write(writer => {
      const last = writer.last('queue')?.[0];
      let next = last ? Buffer.from(last).readUIntBE(2, 6) + 1 : 0;
      for (const path of paths) {
        const key = Buffer.alloc(8);
        key.writeUIntBE(next++, 2, 6);
        writer.put('queue', key, packTexts(key, [path]));
      }
    });
  }

  /** Takes all handed-over paths out of the queue, each once, in the order of their first arrival. */
  async takeQueue(): Promise<string[]> {
    this.store.renew();
    const waiting = this.store.entries('queue', 100_000);
    if (waiting.length === 0) return [];
    const paths = new Set<string>();
    for (const [key, value] of waiting) paths.add(unpackTexts(key, value)[0] ?? '');
    await this.store.write(writer => {
      for (const [key] of waiting) writer.remove('queue', key);
    });
    paths.delete('');
    return [...paths];
  }

  queueLength(): number {
    this.store.renew();
    return this.store.count('queue');
  }

  readonly graphs: RecordTable = {
    get: name => this.store.get('graphs', Buffer.from(name)),
    put: (name, value) => this.store.write(writer => writer.put('graphs', Buffer.from(name), value)),
    remove: name => this.store.write(writer => writer.remove('graphs', Buffer.from(name))),
  };

  sizeOnDisk(): Promise<number> {
    return this.store.sizeOnDisk();
  }

  /** Must be awaited before the process ends. */
  close(): Promise<void> {
    return this.store.close();
  }

  private pathOf(key: Uint8Array): string {
    if (!isHashedKey(key)) return Buffer.from(key).toString();
    const value = this.store.get('longPaths', key);
    const path = value && unpackTexts(key, value)[0];
    if (path === undefined) throw new LandmarkError('store-damaged', 'A long path is missing: the index is damaged.');
    return path;
  }
}

/** Opening to write brings the tables together when the file has grown a lot since they were. */
async function openStore(dir: string, options: CatalogOptions): Promise<IndexStore | undefined> {
  const { access, logger, gatherBytes = GATHER_BYTES } = options;
  const open = () => IndexStore.open(dir, { access, tables: TABLES, pageSize: 4096, logger });
  const store = await open();
  if (!store || access !== 'write') return store;
  const used = (await store.sizeOnDisk()) - (await store.unusedBytes());
  if (!isScattered(numberOf(readMeta(store, 'gathered')), used, gatherBytes)) return store;
  const copied = await store.copyAndClose(logger);
  const again = await open();
  if (copied) await again?.write(writer => writeMeta(writer, 'gathered', used));
  return again;
}

async function startEmpty(store: IndexStore, fingerprint: string): Promise<Label> {
  const label = { format: formatNumber(), fingerprint, epoch: randomUUID() };
  await store.write(writer => {
    const generation = numberOf(readMeta(writer, 'generation')) + 1;
    for (const table of TABLES) if (table !== 'queue') writer.clear(table);
    writeMeta(writer, 'label', label);
    writeMeta(writer, 'generation', generation);
  });
  return label;
}

function apply(writer: StoreWriter, change: Exclude<CatalogChange, { kind: 'addTerms' }>): void {
  switch (change.kind) {
    case 'putFile': {
      const key = fileKey(change.path);
      if (isHashedKey(key)) writer.put('longPaths', key, packTexts(key, [change.path]));
      return writer.put('files', key, packFile(key, change.row));
    }
    case 'deleteFile': {
      const key = fileKey(change.path);
      if (isHashedKey(key)) writer.remove('longPaths', key);
      return writer.remove('files', key);
    }
    case 'putContent': {
      const key = contentKey(change.hash);
      return writer.put('contents', key, packContent(key, change.row));
    }
    case 'deleteContent':
      return writer.remove('contents', contentKey(change.hash));
    case 'putMeta':
      return writeMeta(writer, `value ${change.key}`, change.value);
  }
}

function readMeta(from: Pick<StoreWriter, 'get'>, name: string): unknown {
  const key = Buffer.from(name);
  const value = from.get('meta', key);
  return value && (JSON.parse(unpackTexts(key, value)[0] ?? 'null') as unknown);
}

function writeMeta(writer: StoreWriter, name: string, value: unknown): void {
  const key = Buffer.from(name);
  writer.put('meta', key, packTexts(key, [JSON.stringify(value ?? null)]));
}

function suits(label: Label, fingerprint: string | undefined): boolean {
  return label.format === formatNumber() && (fingerprint === undefined || label.fingerprint === fingerprint);
}

/** Tables and rows have a format of their own. */
function formatNumber(): number {
  return CATALOG_FORMAT * 1000 + RECORD_FORMAT;
}

function numberOf(value: unknown): number {
  return typeof value === 'number' ? value : 0;
}
