import { LandmarkError } from '../../util/errors';
import { KEY_BYTES } from '../../util/hashKeys';
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
  /** `KEY_BYTES` each, one after the other. */
  readonly keys: Uint8Array;
  /** By key, its element in the file; several keys may share one. */
  readonly elements: Uint32Array;
}

const FORMAT = 1;
/** In front of a key: twice its length plus one. */
const KEY_HEAD = KEY_BYTES * 2 + 1;

/** @param name under which the record is kept; part of its checksum. */
export function packGraphRecord(name: string, record: GraphRecord): Uint8Array {
  const out = new ByteWriter(256 + record.elements.length * 40);
  out.text(record.file);
  out.varint(record.bytes);
  out.text(record.sha256);
  out.varint(record.dimensions);
  out.text(record.fingerprint);
  out.varint(record.elements.length);
  for (const [at, element] of record.elements.entries()) {
    out.varint(KEY_HEAD);
    out.raw(record.keys.subarray(at * KEY_BYTES, (at + 1) * KEY_BYTES));
    out.varint(at);
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
  const count = reader.count(KEY_BYTES + 3);
  const keys = new Uint8Array(count * KEY_BYTES);
  const elements = new Uint32Array(count);
  for (let at = 0; at < count; at++) {
    if (reader.varint() !== KEY_HEAD) throw new LandmarkError('store-damaged', 'A graph record has a key of no hash.');
    reader.copyTo(keys, at * KEY_BYTES, KEY_BYTES);
    // What the key was numbered when the graph was written: nobody asks.
    reader.varint();
    elements[at] = reader.varint();
  }
  reader.end();
  if (/[\\/]/.test(file)) throw new LandmarkError('store-damaged', 'A graph record names a file elsewhere.');
  return { file, bytes, sha256, dimensions, fingerprint, keys, elements };
}
