import { createHash } from 'node:crypto';
import { readSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import type { BlobSource } from './snapshot';
import { type Extent, snapshotDamage } from './snapshotRecord';

/** What is written to the disk, or read from it and hashed, before the event loop gets its turn. */
export const PORTION = 1 << 20;
const FIRST_BUFFER = 1 << 16;

/** A stretch of a snapshot's file that is being written, from the next multiple of eight on. */
export class StretchWriter {
  private readonly position: number;
  private readonly hash = createHash('sha256');
  private buffer = new Uint8Array(PORTION);
  private filled = 0;
  private written = 0;

  constructor(
    private readonly file: FileHandle,
    end: number,
  ) {
    this.position = Math.ceil(end / 8) * 8;
  }

  /** Whether it is time to flush. */
  get isFull(): boolean {
    return this.filled >= PORTION;
  }

  /** Copies the bytes. @returns the copy, until the next call. */
  add(bytes: Uint8Array): Uint8Array {
    const end = this.filled + bytes.length;
    if (end + 4 > this.buffer.length) {
      const grown = new Uint8Array(end + PORTION);
      grown.set(this.buffer.subarray(0, this.filled));
      this.buffer = grown;
    }
    this.buffer.set(bytes, this.filled);
    const copy = this.buffer.subarray(this.filled, end);
    this.filled = end;
    return copy;
  }

  /** Fills up with zeros to a multiple of four. */
  align(): void {
    while (this.filled % 4 !== 0) this.buffer[this.filled++] = 0;
  }

  async flush(): Promise<void> {
    const portion = this.buffer.subarray(0, this.filled);
    this.hash.update(portion);
    for (let at = 0; at < portion.length;) {
      const { bytesWritten } = await this.file.write(portion, at, portion.length - at, this.position + this.written);
      at += bytesWritten;
      this.written += bytesWritten;
    }
    this.filled = 0;
  }

  async close(): Promise<Extent> {
    await this.flush();
    return { position: this.position, bytes: this.written, sha256: this.hash.digest('hex') };
  }
}

/** @throws LandmarkError `store-damaged` when the stretch is not what was written, or cannot be read. */
export async function readStretch(file: FileHandle, extent: Extent): Promise<Uint8Array<ArrayBuffer>> {
  const { position, bytes, sha256 } = extent;
  const whole = new Uint8Array(bytes);
  const hash = createHash('sha256');
  for (let at = 0; at < bytes;) {
    const { bytesRead } = await file
      .read(whole, at, Math.min(PORTION, bytes - at), position + at)
      .catch((error: unknown) => Promise.reject(snapshotDamage('its file cannot be read', error)));
    if (bytesRead === 0) throw snapshotDamage('its file is cut off');
    hash.update(whole.subarray(at, at + bytesRead));
    at += bytesRead;
  }
  if (hash.digest('hex') !== sha256) throw snapshotDamage('a part does not agree with its checksum');
  return whole;
}

/** Blobs of a stretch that was read and checked as a whole. */
export class HeldStretch implements BlobSource {
  readonly isChecked = true;

  constructor(private readonly bytes: Uint8Array) {}

  read(position: number, length: number): Uint8Array {
    return this.bytes.subarray(position, position + length);
  }
}

/** Blobs that are read from the file when they are asked for. */
export class RestingStretch implements BlobSource {
  readonly isChecked = false;
  private buffer = new Uint8Array(FIRST_BUFFER);

  /** @param descriptor throws when the file is closed. */
  constructor(
    private readonly descriptor: () => number,
    private readonly extent: Extent,
  ) {}

  read(position: number, length: number): Uint8Array {
    if (position + length > this.extent.bytes) throw snapshotDamage('a part is too short');
    if (length > this.buffer.length) this.buffer = new Uint8Array(2 ** Math.ceil(Math.log2(length)));
    const descriptor = this.descriptor();
    for (let at = 0; at < length;) {
      const read = readPortion(descriptor, this.buffer, at, length - at, this.extent.position + position + at);
      if (read === 0) throw snapshotDamage('its file is cut off');
      at += read;
    }
    return this.buffer.subarray(0, length);
  }
}

function readPortion(descriptor: number, into: Uint8Array, at: number, length: number, position: number): number {
  try {
    return readSync(descriptor, into, at, length, position);
  } catch (error) {
    throw snapshotDamage('its file cannot be read', error);
  }
}
