/** Byte strings under small numbers, as they are written to a snapshot. */
export interface Blobs {
  /** Every number that has a blob is below this. */
  readonly limit: number;
  /**
   * A blob, to be read only and before another one is asked for; it begins at a multiple of four. Undefined where there is none.
   * @throws LandmarkError `store-damaged` when it cannot be read.
   */
  get(number: number): Uint8Array | undefined;
}

/** Where the blobs of a snapshot lie: by number the length in bytes (0 = there is none) and a checksum; parallel arrays. */
export interface BlobIndex {
  readonly lengths: Uint32Array;
  readonly checks: Uint32Array;
}

/** The stretch of a file that blobs lie in, one after the other in the order of their numbers, each from a multiple of four on. */
export interface BlobSource {
  /**
   * `length` bytes from `position` on, counted from the start of the stretch: a view that begins at a multiple of four
   * (as `position` does) and is valid until the next call.
   */
  read(position: number, length: number): Uint8Array;
  /** Whether what is read has been compared with a checksum already. */
  readonly isChecked: boolean;
}

/** What takes its blobs from a snapshot instead of whatever it held before. */
export interface RestingBlobs {
  rest(source: BlobSource, index: BlobIndex): void;
}

/**
 * Where a snapshot is written to, part by part under names of their own. Between portions of a large part the event loop
 * gets its turn.
 */
export interface SnapshotSink {
  bytes(name: string, bytes: Uint8Array): Promise<void>;
  json(name: string, value: unknown): Promise<void>;
  blobs(name: string, blobs: Blobs): Promise<void>;
}

/** The parts of a snapshot by name. All reject with LandmarkError `store-damaged` where a part is missing or not what was written. */
export interface SnapshotSource {
  /** A copy that begins at a multiple of eight and belongs to the caller. */
  bytes(name: string): Promise<Uint8Array<ArrayBuffer>>;
  json(name: string): Promise<unknown>;
  /** Lets `into` read its blobs from the snapshot, which must stay open as long as that does. */
  blobs(name: string, into: RestingBlobs): Promise<void>;
}

/**
 * Reads where the blobs of a part lie without letting them rest yet.
 * @returns lets them rest, at once: nothing can change between what several of these do.
 */
export async function preparedRest(source: SnapshotSource, name: string, into: RestingBlobs): Promise<() => void> {
  let apply = (): void => {};
  await source.blobs(name, { rest: (from, index) => (apply = () => into.rest(from, index)) });
  return apply;
}
