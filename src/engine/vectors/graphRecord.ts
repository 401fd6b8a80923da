import { LandmarkError } from '../../util/errors';
import { ByteReader, ByteWriter } from '../store/byteStream';
import { seal, unseal } from '../store/sealed';

/** What the catalogue keeps of a graph file: how to know it again, and what its elements stand for. */
export interface GraphRecord {
  /** Its name in the workspace's folder. */
  readonly file: string;
  readonly bytes: number;
  readonly sha256: string;
  readonly dimensions: number;
  readonly fingerprint: string;
  readonly entries: readonly GraphEntry[];
}

export interface GraphEntry {
  readonly key: string;
  readonly label: number;
  /** In the file; several keys may share one. */
  readonly element: number;
}

const FORMAT = 1;
const HEX = /^(?:[0-9a-f]{2})+$/;

/** @param name under which the record is kept; part of its checksum. */
export function packGraphRecord(name: string, record: GraphRecord): Uint8Array {
  const out = new ByteWriter(256 + record.entries.length * 40);
  out.text(record.file);
  out.varint(record.bytes);
  out.text(record.sha256);
  out.varint(record.dimensions);
  out.text(record.fingerprint);
  out.varint(record.entries.length);
  for (const { key, label, element } of record.entries) {
    writeKey(out, key);
    out.varint(label);
    out.varint(element);
  }
  return seal(FORMAT, Buffer.from(name), out.finish());
}

/** @throws LandmarkError `store-damaged`. */
export function unpackGraphRecord(name: string, packed: Uint8Array): GraphRecord {
  const reader = new ByteReader(unseal(FORMAT, Buffer.from(name), packed));
  const file = reader.text();
  const bytes = reader.varint();
  const sha256 = reader.text();
  const dimensions = reader.varint();
  const fingerprint = reader.text();
  const entries = Array.from({ length: reader.count(3) }, () => {
    const key = readKey(reader);
    return { key, label: reader.varint(), element: reader.varint() };
  });
  reader.end();
  if (/[\\/]/.test(file)) throw new LandmarkError('store-damaged', 'A graph record names a file elsewhere.');
  return { file, bytes, sha256, dimensions, fingerprint, entries };
}

/** Most keys are hashes in hex, which take half the room as bytes. */
function writeKey(out: ByteWriter, key: string): void {
  const bytes = HEX.test(key) ? Buffer.from(key, 'hex') : Buffer.from(key);
  out.varint(bytes.length * 2 + (HEX.test(key) ? 1 : 0));
  out.raw(bytes);
}

function readKey(reader: ByteReader): string {
  const head = reader.varint();
  const bytes = Buffer.from(reader.raw(Math.floor(head / 2)));
  return bytes.toString(head % 2 === 1 ? 'hex' : 'utf8');
}
