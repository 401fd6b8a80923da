import type { IndexStats } from '../../engine/types';
import type { LongRun } from './indexState';

/** A first run over more files, or more bytes of text, than this is asked for first. */
export const MANY_FILES = 5000;
export const MANY_BYTES = 50 * 1000 * 1000;
/** Measured on repositories of 5 MB and more: bytes of text in a section, and bytes on disk for a byte of text. */
const BYTES_PER_SECTION = 1130;
const DISK_SHARE = 2.6;
/** Sections a second with one thread, until a run on this machine has shown it. */
export const USUAL_SPEED = 40;

/**
 * What is still to be done, when that is long enough to be asked for.
 * @param speed sections a second.
 */
export function longRun({ files, bytes: { source = 0 }, complete }: IndexStats, speed: number): LongRun | undefined {
  const share = 1 - complete;
  const bytes = Math.round(source * share);
  if (files * share <= MANY_FILES && bytes <= MANY_BYTES) return undefined;
  return {
    files: Math.round(files * share),
    bytes,
    seconds: bytes / BYTES_PER_SECTION / speed,
    diskBytes: Math.round(bytes * DISK_SHARE),
  };
}

/** Sections a second of a run that was long enough to tell, else undefined. */
export function speedOf(run: {
  readonly windows: { readonly embedded: number };
  readonly seconds: number;
}): number | undefined {
  return run.windows.embedded < 500 || run.seconds < 5 ? undefined : run.windows.embedded / run.seconds;
}
