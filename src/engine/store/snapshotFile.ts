import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf } from '../../util/errors';
import type { Logger } from '../../util/logger';
import { removeAllFiles } from './cacheFile';
import type { RecordTable } from './catalog';
import type { RestingBlobs, SnapshotSource } from './snapshot';
import {
  type Part,
  SNAPSHOT,
  SNAPSHOT_FILES,
  snapshotDamage,
  type SnapshotTable,
  unpackSnapshotRecord,
} from './snapshotRecord';
import { HeldStretch, readStretch, RestingStretch } from './snapshotStretch';

export interface SnapshotOptions {
  /** Blobs of a part that is larger, in bytes, are read from the file each time. */
  readonly mostHeld?: number;
}

const MOST_HELD = 48 * 1024 * 1024;

/** An open snapshot. What rests in it can be read until it is closed, also when another one is in force by then. */
export class SnapshotFile implements SnapshotSource {
  private file: FileHandle | undefined;

  private constructor(
    file: FileHandle,
    private readonly parts: ReadonlyMap<string, Part>,
    private readonly mostHeld: number,
  ) {
    this.file = file;
  }

  /**
   * Undefined, and the reason logged, when there is no snapshot of this identity, or its file is not the one that was
   * described. Never rejects.
   */
  static async open(
    directory: string,
    records: Pick<RecordTable, 'get'>,
    identity: string,
    logger: Logger,
    { mostHeld = MOST_HELD }: SnapshotOptions = {},
  ): Promise<SnapshotFile | undefined> {
    let file: FileHandle | undefined;
    try {
      const packed = records.get(SNAPSHOT);
      if (packed === undefined) {
        logger.info(`There is no snapshot of the index in ${directory}.`);
        return undefined;
      }
      const record = unpackSnapshotRecord(packed);
      if (record.identity !== identity) {
        logger.info(`The snapshot of the index in ${directory} is of another state of it and is not used.`);
        return undefined;
      }
      file = await open(join(directory, record.file), 'r');
      if ((await file.stat()).size !== record.bytes) throw new Error('its file has another length');
      const { bytes, tableBytes, tableSha256: sha256 } = record;
      const table = await readStretch(file, { position: bytes - tableBytes, bytes: tableBytes, sha256 });
      const { parts } = JSON.parse(Buffer.from(table.buffer).toString()) as SnapshotTable;
      return new SnapshotFile(file, new Map(Object.entries(parts)), mostHeld);
    } catch (error) {
      await file?.close().catch(() => undefined);
      logger.warn(`The snapshot of the index in ${directory} is not used (${messageOf(error)}).`);
      return undefined;
    }
  }

  async bytes(name: string): Promise<Uint8Array<ArrayBuffer>> {
    return readStretch(this.opened(), this.part(name));
  }

  async json(name: string): Promise<unknown> {
    const bytes = await this.bytes(name);
    try {
      return JSON.parse(Buffer.from(bytes.buffer).toString());
    } catch (error) {
      throw snapshotDamage(`its part "${name}" is no JSON`, error);
    }
  }

  async blobs(name: string, into: RestingBlobs): Promise<void> {
    const part = this.part(name);
    if (part.index === undefined) throw snapshotDamage(`its part "${name}" has no blobs`);
    const { buffer } = await readStretch(this.opened(), part.index);
    const count = buffer.byteLength / 8;
    // Copies, so that either can be let go.
    const lengths = new Uint32Array(buffer, 0, count).slice();
    const checks = new Uint32Array(buffer, 4 * count, count).slice();
    const source =
      part.bytes <= this.mostHeld
        ? new HeldStretch(await readStretch(this.opened(), part))
        : new RestingStretch(() => this.opened().fd, part);
    into.rest(source, { lengths, checks });
  }

  /** What rests in it can no longer be read. */
  async close(): Promise<void> {
    const { file } = this;
    this.file = undefined;
    await file?.close();
  }

  private opened(): FileHandle {
    if (this.file === undefined) throw snapshotDamage('it is closed');
    return this.file;
  }

  private part(name: string): Part {
    const part = this.parts.get(name);
    if (part === undefined) throw snapshotDamage(`its part "${name}" is missing`);
    return part;
  }
}

/** Forgets the snapshot in force, if any, and deletes its file, or leaves that to the next writer where it is in use. */
export async function discardSnapshot(directory: string, records: RecordTable, logger: Logger): Promise<void> {
  if (records.get(SNAPSHOT) !== undefined) await records.remove(SNAPSHOT);
  await removeAllFiles(directory, SNAPSHOT_FILES, logger);
}
