import { LandmarkError } from '../../util/errors';
import { ByteReader, ByteWriter } from './byteStream';
import type { CacheFiles } from './cacheFile';
import { seal, unseal } from './sealed';

/** Its name in the catalogue, and how the names of its files begin. */
export const SNAPSHOT = 'snapshot';
export const SNAPSHOT_FILES: CacheFiles = { name: SNAPSHOT, ending: '.bin' };

/** What the catalogue keeps of a snapshot: how to know its file again, and of what state of the index it is. */
export interface SnapshotRecord {
  /** Its name in the workspace's folder. */
  readonly file: string;
  readonly bytes: number;
  /** Of the table of parts, which ends the file. */
  readonly tableBytes: number;
  readonly tableSha256: string;
  /** What must be the same for the snapshot to be used: of the model, the catalogue, the program. */
  readonly identity: string;
}

/** A stretch of the file. */
export interface Extent {
  readonly position: number;
  readonly bytes: number;
  readonly sha256: string;
}

export interface Part extends Extent {
  /** Of blobs: their lengths by number, then their checksums. */
  readonly index?: Extent;
}

/** What the file says of itself. `unique` gives each file a name that none had before. */
export interface SnapshotTable {
  readonly unique: string;
  readonly parts: Readonly<Record<string, Part>>;
}

/** Raised when the file or its table change their meaning. What its parts mean belongs to the identity. */
const FORMAT = 1;
const KEY = Buffer.from(SNAPSHOT);

export function packSnapshotRecord({ file, bytes, tableBytes, tableSha256, identity }: SnapshotRecord): Uint8Array {
  const out = new ByteWriter();
  out.text(file);
  out.varint(bytes);
  out.varint(tableBytes);
  out.text(tableSha256);
  out.text(identity);
  return seal(FORMAT, KEY, out.finish());
}

/** @throws LandmarkError `store-damaged`. */
export function unpackSnapshotRecord(packed: Uint8Array): SnapshotRecord {
  const reader = new ByteReader(unseal(FORMAT, KEY, packed));
  const file = reader.text();
  const bytes = reader.varint();
  const tableBytes = reader.varint();
  const tableSha256 = reader.text();
  const identity = reader.text();
  reader.end();
  if (/[\\/]/.test(file) || tableBytes > bytes) throw snapshotDamage('its description is none');
  return { file, bytes, tableBytes, tableSha256, identity };
}

/** @param what a clause such as "a part is missing". */
export function snapshotDamage(what: string, cause?: unknown): LandmarkError {
  const way = 'Open the folder again to read its index from the catalogue.';
  return new LandmarkError('store-damaged', `A snapshot of the index cannot be read (${what}). ${way}`, { cause });
}
