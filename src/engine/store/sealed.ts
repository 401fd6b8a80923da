import { createHash } from 'node:crypto';
import { LandmarkError } from '../../util/errors';
import { ByteWriter } from './byteStream';

const CHECKSUM = 8;
const HEADER = 1 + CHECKSUM;

/**
 * A value as it lies in the store: format version, checksum, body. The key is part of the checksum, so that a value
 * found under another key (a damaged page of the store) is refused as well.
 */
export function seal(version: number, key: Uint8Array, body: Uint8Array): Uint8Array {
  const sealed = new Uint8Array(HEADER + body.length);
  sealed[0] = version;
  sealed.set(checksum(version, key, body), 1);
  sealed.set(body, HEADER);
  return sealed;
}

/**
 * The body of a sealed value, a view into it.
 * @throws LandmarkError `store-damaged` when the version or the checksum does not agree.
 */
export function unseal(version: number, key: Uint8Array, sealed: Uint8Array): Uint8Array {
  if (versionOf(key, sealed) !== version) {
    throw new LandmarkError('store-damaged', 'A stored value does not agree with its checksum: the index is damaged.');
  }
  return sealed.subarray(HEADER);
}

/** The format version that a value was sealed with under this key; undefined when it is damaged. */
export function versionOf(key: Uint8Array, sealed: Uint8Array): number | undefined {
  const [version] = sealed;
  if (version === undefined) return undefined;
  const expected = checksum(version, key, sealed.subarray(HEADER));
  return expected.every((byte, at) => byte === sealed[at + 1]) ? version : undefined;
}

function checksum(version: number, key: Uint8Array, body: Uint8Array): Uint8Array {
  const head = new ByteWriter(16);
  head.byte(version);
  head.varint(key.length);
  return createHash('sha256').update(head.finish()).update(key).update(body).digest().subarray(0, CHECKSUM);
}
