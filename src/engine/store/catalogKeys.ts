import { createHash } from 'node:crypto';
import { LandmarkError } from '../../util/errors';
import { MAX_KEY_BYTES } from './indexStore';

/** Starts a key that is a hash: a byte that no UTF-8 text starts with. */
const HASHED_KEY = 0xff;
const HASH = /^[0-9a-f]{64}$/;

/** A path too long for a key is kept under its hash, and itself in a table of its own. */
export function fileKey(path: string): Uint8Array {
  if (path === '') throw new LandmarkError('invalid-argument', 'A path to keep in the index must not be empty.');
  const key = Buffer.from(path);
  if (key.length <= MAX_KEY_BYTES) return key;
  return Buffer.concat([Buffer.of(HASHED_KEY), createHash('sha256').update(key).digest()]);
}

/** @param hash sha256 in hex. */
export function contentKey(hash: string): Uint8Array {
  if (!HASH.test(hash)) throw new LandmarkError('invalid-argument', `Expected a sha256 in hex, got "${hash}".`);
  return Buffer.from(hash, 'hex');
}

export function isHashedKey(key: Uint8Array): boolean {
  return key[0] === HASHED_KEY;
}
