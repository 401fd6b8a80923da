import { setImmediate } from 'node:timers/promises';
import { checksumOf } from '../../src/engine/store/blobTable';
import type { BlobIndex, Blobs, RestingBlobs, SnapshotSink, SnapshotSource } from '../../src/engine/store/snapshot';

interface Stretch extends BlobIndex {
  /** Words of the blobs, one after the other. */
  readonly words: Uint32Array;
}

/**
 * A snapshot without a file. All reads of blobs share one buffer that is spoilt before each of them: whoever holds a
 * view for too long reads nonsense.
 */
export class MemorySnapshot {
  private readonly parts = new Map<string, Uint8Array | string | Stretch>();
  private buffer = new Uint8Array();
  /** How many blobs were read from it. */
  reads = 0;

  /** @param isChecked see `BlobSource`. */
  constructor(private readonly isChecked: boolean) {}

  readonly sink: SnapshotSink = {
    bytes: (name, bytes) => this.put(name, bytes.slice()),
    json: (name, value) => this.put(name, JSON.stringify(value)),
    blobs: async (name, blobs) => this.put(name, await stretchOf(blobs)),
  };

  readonly source: SnapshotSource = {
    bytes: name => this.take<Uint8Array>(name).then(bytes => Uint8Array.from(bytes)),
    json: name => this.take<string>(name).then((text): unknown => JSON.parse(text)),
    blobs: (name, into) => this.take<Stretch>(name).then(stretch => this.rest(stretch, into)),
  };

  /** Flips a bit of the last blob of a part. */
  damage(name: string): void {
    const { words } = this.parts.get(name) as Stretch;
    words[words.length - 1] = (words.at(-1) ?? 0) ^ 1;
  }

  private async put(name: string, part: Uint8Array | string | Stretch): Promise<void> {
    await setImmediate();
    if (this.parts.has(name)) throw new Error(`the snapshot has a part ${name} already`);
    this.parts.set(name, part);
  }

  private async take<Part>(name: string): Promise<Part> {
    await setImmediate();
    if (!this.parts.has(name)) throw new Error(`the snapshot has no part ${name}`);
    return this.parts.get(name) as Part;
  }

  private rest({ words, lengths, checks }: Stretch, into: RestingBlobs): void {
    const bytes = new Uint8Array(words.buffer, 0, words.byteLength);
    const read = (position: number, length: number): Uint8Array => {
      this.reads++;
      this.buffer.fill(0xee);
      if (length > this.buffer.length) this.buffer = new Uint8Array(length * 2);
      this.buffer.set(bytes.subarray(position, position + length));
      return this.buffer.subarray(0, length);
    };
    into.rest({ read, isChecked: this.isChecked }, { lengths: lengths.slice(), checks: checks.slice() });
  }
}

async function stretchOf(blobs: Blobs): Promise<Stretch> {
  const { limit } = blobs;
  const lengths = new Uint32Array(limit);
  const checks = new Uint32Array(limit);
  const words: number[] = [];
  for (let number = 0; number < limit; number++) {
    if (number % 100 === 0) await setImmediate();
    const blob = blobs.get(number);
    if (blob === undefined) continue;
    lengths[number] = blob.length;
    checks[number] = checksumOf(blob);
    const padded = new Uint8Array(Math.ceil(blob.length / 4) * 4);
    padded.set(blob);
    words.push(...new Uint32Array(padded.buffer));
  }
  return { lengths, checks, words: Uint32Array.from(words) };
}
