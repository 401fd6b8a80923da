import type { SkipReason } from '../types';

/** What the catalogue knows of one path. */
export interface FileRow {
  /** sha256 of the raw bytes, hex; empty when the file could not be read. */
  readonly hash: string;
  readonly size: number;
  /** The sum of both times of the file in milliseconds, or -1: see `trustedStamp`. */
  readonly stamp: number;
  readonly state: 'indexed' | 'skipped' | 'failed';
  /** For `skipped` a `SkipReason`, for `failed` what `packFailure` gives, else empty. */
  readonly reason: SkipReason | (string & {});
}

/** A name that a file defines. */
export interface Definition {
  readonly name: string;
  readonly line: number;
  readonly kind: DefinitionKind;
}
export const DEFINITION_KINDS = ['type', 'function', 'variable', 'macro'] as const;
export type DefinitionKind = (typeof DEFINITION_KINDS)[number];

/**
 * What the catalogue knows of one content (sha256 of the raw bytes), whatever the paths that hold it:
 * a rename, a copy or a branch seen before costs nothing. Arrays are parallel where they say so.
 */
export interface ContentRow {
  readonly lineCount: number;
  /** Prepared tokens in all windows. */
  readonly tokens: number;
  /** Keys into the window store, 32 bytes each, in document order. */
  readonly windowKeys: Uint8Array;
  /** Landmarks of each window, parallel to the keys. */
  readonly landmarkCounts: Uint8Array;
  /** First and last line of each landmark's chunk, over all windows: `[2 × landmarks]`. */
  readonly spans: Uint32Array;
  /** The lexical terms of the content in order, as vocabulary ids. */
  readonly terms: Uint32Array;
  /** For line i (0-based) the number of terms up to and including it. */
  readonly lineEnds: Uint32Array;
  readonly definitions: readonly Definition[];
}

/** Landmarks of one window as they are stored: everything that depends on the window's token ids and the model alone. */
export interface WindowRecord {
  /**
   * The hidden states at the window's landmarks, cut to the first `landmarkDimensions` and not normalised: int4 levels, packed as
   * `quantizeInto` does, × the scale of their row; one row after the other.
   */
  readonly landmarks: Uint8Array;
  /** Of each landmark, never 0. */
  readonly scales: Float32Array;
}
