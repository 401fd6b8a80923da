import { randomUUID } from 'node:crypto';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { yieldToEventLoop } from '../../util/async';
import { LandmarkError, systemCode } from '../../util/errors';
import type { Logger } from '../../util/logger';
import { checksumOf } from './blobTable';
import { putInForce, removeTemporaryFiles, temporaryPath } from './cacheFile';
import type { RecordTable } from './catalog';
import { createFolder } from './createFolder';
import type { Blobs, SnapshotSink } from './snapshot';
import { PORTION, StretchWriter } from './snapshotStretch';
import {
  type Extent,
  packSnapshotRecord,
  type Part,
  SNAPSHOT,
  SNAPSHOT_FILES,
  type SnapshotTable,
} from './snapshotRecord';
import { storeError } from './storeErrors';

/** How long the event loop may have to wait while blobs are collected that do not fill a portion. */
const TURN_MS = 15;

/**
 * Writes a snapshot of an index: parts from multiples of eight on, then the table of them. Nothing counts before `finish`
 * has put its description in the catalogue; until then the snapshot before it stays in force. One part at a time.
 */
export class SnapshotWriter implements SnapshotSink {
  private readonly parts: Record<string, Part> = {};
  private end = 0;
  private state: 'open' | 'being written' | 'broken' | 'closed' = 'open';

  private constructor(
    private readonly directory: string,
    private readonly logger: Logger,
    private readonly temporary: string,
    private readonly file: FileHandle,
  ) {}

  /**
   * For the owner of the index: what other processes were writing and did not finish is deleted.
   * @throws LandmarkError `disk-full`, `no-permission`, …
   */
  static async create(directory: string, logger: Logger): Promise<SnapshotWriter> {
    const temporary = temporaryPath(directory, SNAPSHOT_FILES);
    try {
      await createFolder(directory);
      await removeTemporaryFiles(directory, SNAPSHOT_FILES, logger);
      return new SnapshotWriter(directory, logger, temporary, await open(temporary, 'w'));
    } catch (error) {
      throw storeError(directory, error);
    }
  }

  bytes(name: string, bytes: Uint8Array): Promise<void> {
    return this.alone(async () => this.put(name, await this.append(bytes)));
  }

  json(name: string, value: unknown): Promise<void> {
    return this.bytes(name, Buffer.from(JSON.stringify(value ?? null)));
  }

  blobs(name: string, blobs: Blobs): Promise<void> {
    return this.alone(async () => {
      const { extent, index } = await this.appendBlobs(blobs);
      this.put(name, { ...extent, index: await this.append(index) });
    });
  }

  /**
   * Makes this the snapshot in force and deletes the one before it. When it fails that one stays, and this one goes.
   * @param identity without which a snapshot is not to be used: of the model, the catalogue, the program.
   * @throws LandmarkError `disk-full`, `no-permission`, …
   */
  async finish(records: RecordTable, identity: string): Promise<void> {
    await this.alone(async () => {
      const table: SnapshotTable = { unique: randomUUID(), parts: this.parts };
      const { bytes: tableBytes, sha256: tableSha256 } = await this.append(Buffer.from(JSON.stringify(table)));
      await this.file.close();
      const file = `${SNAPSHOT}-${tableSha256.slice(0, 16)}${SNAPSHOT_FILES.ending}`;
      const record = packSnapshotRecord({ file, bytes: this.end, tableBytes, tableSha256, identity });
      const describe = (): Promise<void> => records.put(SNAPSHOT, record);
      const { directory, temporary } = this;
      await putInForce(SNAPSHOT_FILES, { directory, temporary, file, describe }, this.logger);
    });
    this.state = 'closed';
  }

  /** Gives up what is not finished; does nothing after `finish`. Never rejects. */
  async abandon(): Promise<void> {
    if (this.state === 'closed') return;
    this.state = 'closed';
    await this.file.close().catch(() => undefined);
    await rm(this.temporary, { force: true }).catch(() => undefined);
  }

  private put(name: string, part: Part): void {
    if (Object.hasOwn(this.parts, name)) throw new LandmarkError('internal', `A snapshot has two parts "${name}".`);
    this.parts[name] = part;
  }

  private async append(bytes: Uint8Array): Promise<Extent> {
    const stretch = new StretchWriter(this.file, this.end);
    for (let at = 0; at < bytes.length; at += PORTION) {
      stretch.add(bytes.subarray(at, at + PORTION));
      await stretch.flush();
    }
    return this.close(stretch);
  }

  /** The blobs, and their lengths and checksums. */
  private async appendBlobs(blobs: Blobs): Promise<{ readonly extent: Extent; readonly index: Uint8Array }> {
    const stretch = new StretchWriter(this.file, this.end);
    const { limit } = blobs;
    const lengths = new Uint32Array(limit);
    const checks = new Uint32Array(limit);
    let count = 0;
    let since = performance.now();
    for (let number = 0; number < limit; number++) {
      const blob = blobs.get(number);
      if (blob !== undefined && blob.length > 0) {
        lengths[number] = blob.length;
        checks[number] = checksumOf(stretch.add(blob));
        stretch.align();
        count = number + 1;
      }
      if (stretch.isFull) await stretch.flush();
      else if (performance.now() - since > TURN_MS) await yieldToEventLoop();
      else continue;
      since = performance.now();
    }
    const index = new Uint32Array(2 * count);
    index.set(lengths.subarray(0, count));
    index.set(checks.subarray(0, count), count);
    return { extent: await this.close(stretch), index: new Uint8Array(index.buffer) };
  }

  private async close(stretch: StretchWriter): Promise<Extent> {
    const extent = await stretch.close();
    this.end = extent.position + extent.bytes;
    return extent;
  }

  private async alone(work: () => Promise<void>): Promise<void> {
    if (this.state !== 'open')
      throw new LandmarkError('internal', `A snapshot cannot be written to: it is ${this.state}.`);
    this.state = 'being written';
    try {
      await work();
      this.settle('open');
    } catch (error) {
      this.settle('broken');
      throw systemCode(error) === undefined ? error : storeError(this.directory, error);
    }
  }

  /** It may have been abandoned meanwhile. */
  private settle(state: 'open' | 'broken'): void {
    if (this.state === 'being written') this.state = state;
  }
}
