import type { Blobs } from '../../src/engine/store/snapshot';

/** A blob of so many bytes that tells its numbers apart; it begins at a multiple of four. */
export function blobOf(seed: number, length: number): Uint8Array {
  return Uint8Array.from({ length }, (_, at) => (seed * 31 + at * 7 + (at >>> 8)) & 255);
}

/** What a list or a map holds, by number. The view of a blob is spoilt when the next one is asked for, as views may be. */
export function blobsOf(held: ReadonlyMap<number, Uint8Array>): Blobs {
  let last = new Uint8Array();
  return {
    limit: Math.max(0, ...[...held.keys()].map(number => number + 1)),
    get: number => {
      last.fill(255);
      const blob = held.get(number);
      last = Uint8Array.from(blob ?? []);
      return blob && last;
    },
  };
}
