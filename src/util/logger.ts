/** Where a part writes what it did. Handed in, never imported from a place that opens a channel. */
export interface Logger {
  debug(message: string): void;
  info(message: string): void;
  warn(message: string): void;
  error(message: string, error?: unknown): void;
}

/** A logger that keeps nothing. */
export const nullLogger: Logger = {
  debug() {},
  info() {},
  warn() {},
  error() {},
};
