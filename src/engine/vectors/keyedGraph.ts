import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isCancelled, LandmarkError, messageOf } from '../../util/errors';
import { HashKeys, KEY_BYTES } from '../../util/hashKeys';
import type { Logger } from '../../util/logger';
import { Pauses } from '../../util/pauses';
import { putInForce, temporaryPath } from '../store/cacheFile';
import type { RecordTable } from '../store/catalog';
import { createFolder } from '../store/createFolder';
import { ANOTHER_FOLDER } from '../store/storeErrors';
import { withAsciiInput, withAsciiOutput } from './asciiPath';
import { ExactIndex } from './exactIndex';
import { graphFileInfo, graphFiles, isWholeGraphFile } from './graphFile';
import { packGraphRecord, unpackGraphRecord } from './graphRecord';
import { HnswIndex, type HnswLibrary, loadHnswLibrary } from './hnswIndex';

export interface KeyedGraphOptions {
  readonly dimensions: number;
  /** Of the model. A graph of another one is not used. */
  readonly fingerprint: string;
  readonly logger: Logger;
  /** For tests: how to load the native library. */
  readonly loadLibrary?: () => Promise<HnswLibrary>;
}

export interface KeyedNeighbour {
  readonly key: Uint8Array;
  /** Cosine, in [-1, 1]. */
  readonly similarity: number;
}

export interface GraphChanges {
  readonly added: number;
  readonly removed: number;
  /** Keys that should be in the graph and have no vector. */
  readonly missing: number;
}

/** The vector under a key: of length 1, and always the same one for the same key. */
export type VectorOf = (key: Uint8Array) => Float32Array | undefined;

/** How long the event loop may have to wait for a portion of work. */
const TURN_MS = 15;

/**
 * Nearest neighbours among vectors whose keys are hashes of 32 bytes. In memory; kept in a graph file whose description
 * (checksum, counts, model, keys) stands in the catalogue. The file is a cache: whenever it does not agree with its
 * description the graph starts empty, and the next `sync` builds it from the stored vectors.
 */
export class KeyedGraph {
  /** A key's number is its label in the index. */
  private readonly keys = new HashKeys();
  private changed = false;
  private last: Promise<unknown> = Promise.resolve();

  private constructor(
    private readonly name: string,
    private readonly records: RecordTable,
    private readonly options: KeyedGraphOptions,
    private readonly library: HnswLibrary | undefined,
    private index: HnswIndex | ExactIndex,
  ) {}

  /** @param name of the graph, part of its file's name: letters and digits. */
  static async load(dir: string, name: string, records: RecordTable, options: KeyedGraphOptions): Promise<KeyedGraph> {
    const { dimensions, logger } = options;
    let library: HnswLibrary | undefined;
    try {
      library = await (options.loadLibrary ?? loadHnswLibrary)();
    } catch (error) {
      logger.warn(`${messageOf(error)} Searches compare all vectors instead.`);
      return new KeyedGraph(name, records, options, undefined, new ExactIndex(dimensions));
    }
    const graph = new KeyedGraph(name, records, options, library, new HnswIndex(library, dimensions));
    try {
      await graph.read(dir, library);
    } catch (error) {
      logger.warn(`The graph "${name}" cannot be used and is built again (${messageOf(error)}).`);
      graph.forget(new HnswIndex(library, dimensions));
    }
    return graph;
  }

  get size(): number {
    return this.keys.size;
  }

  get dimensions(): number {
    return this.index.dimensions;
  }

  /** False when every search compares all vectors, because the native library cannot run here. */
  get approximate(): boolean {
    return this.library !== undefined;
  }

  /** Whether there are changes that `save` has not written. */
  get unsaved(): boolean {
    return this.changed;
  }

  has(key: Uint8Array): boolean {
    return this.keys.has(key);
  }

  /** The at most k nearest keys, nearest first. */
  search(query: Float32Array, k: number): KeyedNeighbour[] {
    const found = this.index.search(query, k);
    return found.map(({ label, similarity }) => ({ key: this.keys.keyOf(label).slice(), similarity }));
  }

  /**
   * Makes the graph hold the wanted keys, which are read at once, and no other. What is done when the signal is aborted
   * stays done.
   */
  async sync(wanted: Iterable<Uint8Array>, vectorOf: VectorOf, signal?: AbortSignal): Promise<GraphChanges> {
    const keep = new HashKeys(wanted);
    return this.alone(() => {
      const stale = new HashKeys();
      for (const key of this.keys.keys()) if (!keep.has(key)) stale.add(key);
      return this.change(keep, stale, vectorOf, signal);
    });
  }

  /** Adds and removes some keys, which are read at once. Keys that are present already stay as they are. */
  async update(
    added: Iterable<Uint8Array>,
    removed: Iterable<Uint8Array>,
    vectorOf: VectorOf,
    signal?: AbortSignal,
  ): Promise<GraphChanges> {
    const [more, gone] = [new HashKeys(added), new HashKeys(removed)];
    if (more.size + gone.size === 0) return { added: 0, removed: 0, missing: 0 };
    return this.alone(() => this.change(more, gone, vectorOf, signal));
  }

  /** Writes the graph file and its description when there is something new. */
  save(dir: string): Promise<void> {
    return this.alone(async () => {
      if (!this.changed || !(this.index instanceof HnswIndex)) return;
      await createFolder(dir);
      await this.write(dir, this.index);
      this.changed = false;
    });
  }

  /** Frees the memory. */
  close(): Promise<void> {
    return this.alone(async () => this.forget(new ExactIndex(this.options.dimensions)));
  }

  private async change(
    added: HashKeys,
    removed: HashKeys,
    vectorOf: VectorOf,
    signal: AbortSignal | undefined,
  ): Promise<GraphChanges> {
    const pause = new Pauses(TURN_MS, signal);
    const counts = { added: 0, removed: 0, missing: 0 };
    for (const key of removed.keys()) {
      if (this.drop(key)) counts.removed++;
      await pause.perhaps();
    }
    this.index.reserve(this.keys.size + this.absent(added));
    for (const key of added.keys()) {
      if (this.keys.has(key)) continue;
      const vector = vectorOf(key);
      if (vector) {
        this.put(key, vector);
        counts.added++;
      } else counts.missing++;
      await pause.perhaps();
    }
    if (this.index instanceof HnswIndex && this.index.wasteful) await this.rebuild(this.index, pause);
    return counts;
  }

  private absent(keys: HashKeys): number {
    let count = 0;
    for (const key of keys.keys()) if (!this.keys.has(key)) count++;
    return count;
  }

  private put(key: Uint8Array, vector: Float32Array): void {
    const label = this.keys.add(key);
    try {
      this.index.add(label, vector);
    } catch (error) {
      this.keys.delete(key);
      throw error;
    }
    this.changed = true;
  }

  private drop(key: Uint8Array): boolean {
    const label = this.keys.delete(key);
    if (label < 0) return false;
    if (this.index instanceof HnswIndex) this.index.detach(label);
    else this.index.remove(label);
    this.changed = true;
    return true;
  }

  /** Into a second graph, so that searches go on in the first one meanwhile. */
  private async rebuild(old: HnswIndex, pause: Pauses): Promise<void> {
    const fresh = new HnswIndex(this.library!, old.dimensions, Math.max(1, old.size));
    try {
      for (const label of old.labels()) {
        fresh.add(label, old.vector(label)!);
        await pause.perhaps();
      }
    } catch (error) {
      fresh.release();
      throw error;
    }
    this.index = fresh;
    old.release();
  }

  private async read(dir: string, library: HnswLibrary): Promise<void> {
    const { dimensions, fingerprint, logger } = this.options;
    const packed = this.records.get(this.name);
    if (!packed) return;
    const record = unpackGraphRecord(this.name, packed);
    if (record.fingerprint !== fingerprint || record.dimensions !== dimensions) {
      logger.info(`The graph "${this.name}" is of another model or other numbers and is built again.`);
      return;
    }
    const path = join(dir, record.file);
    const { bytes, sha256 } = await graphFileInfo(path);
    if (bytes !== record.bytes || sha256 !== record.sha256) throw new Error('its file has changed');
    const { keys, elements } = record;
    for (let at = 0; at < elements.length; at++) this.keys.add(keys.subarray(at * KEY_BYTES, (at + 1) * KEY_BYTES));
    if (this.keys.size !== elements.length) throw new Error('its description names a key twice');
    const table = { labels: elements.map((_, at) => at), elements };
    this.index = await withAsciiInput(path, plain => HnswIndex.load(library, plain, dimensions, table));
  }

  private async write(directory: string, index: HnswIndex): Promise<void> {
    const files = graphFiles(this.name);
    const temporary = temporaryPath(directory, files);
    const { labels, elements } = await withAsciiOutput(temporary, plain => index.save(plain));
    if (!(await isWholeGraphFile(temporary))) {
      await rm(temporary, { force: true });
      const way = `Free some space on that disk or choose ${ANOTHER_FOLDER}.`;
      throw new LandmarkError('disk-full', `The graph "${this.name}" could not be written in full. ${way}`);
    }
    const { bytes, sha256 } = await graphFileInfo(temporary);
    const file = `${this.name}-${sha256.slice(0, 16)}${files.ending}`;
    const { dimensions, fingerprint, logger } = this.options;
    const keys = new Uint8Array(labels.length * KEY_BYTES);
    for (const [at, label] of labels.entries()) keys.set(this.keys.keyOf(label), at * KEY_BYTES);
    const record = packGraphRecord(this.name, { file, bytes, sha256, dimensions, fingerprint, keys, elements });
    const describe = (): Promise<void> => this.records.put(this.name, record);
    await putInForce(files, { directory, temporary, file, describe }, logger);
  }

  private forget(index: HnswIndex | ExactIndex): void {
    if (this.index instanceof HnswIndex) this.index.release();
    this.index = index;
    this.keys.clear();
    this.changed = false;
  }

  /** One at a time: the graph must not change while its file is written. */
  private alone<T>(work: () => Promise<T>): Promise<T> {
    const next = this.last.then(work, work);
    this.last = next.catch((error: unknown) => {
      if (!isCancelled(error)) this.options.logger.debug(`A change of the graph "${this.name}" failed.`);
    });
    return next;
  }
}
