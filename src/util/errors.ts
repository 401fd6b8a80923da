/** Why something could not be done: a closed set, so that callers decide by reason and never by message text. */
export type ErrorReason =
  | 'cancelled'
  | 'invalid-argument'
  | 'not-found'
  | 'not-a-folder'
  | 'not-a-file'
  | 'no-permission'
  | 'not-indexed'
  | 'model-invalid'
  | 'store-damaged'
  | 'store-busy'
  | 'disk-full'
  | 'runtime-unavailable'
  | 'engine-died'
  | 'internal';

/**
 * An expected failure. `message` is one complete sentence that names the thing concerned and the way out;
 * the edges (command line, editor) show it as it is.
 */
export class LandmarkError extends Error {
  readonly reason: ErrorReason;

  constructor(reason: ErrorReason, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'LandmarkError';
    this.reason = reason;
  }
}

/** A new error that says the caller gave up. Cancelled is not failed: test for it first and rethrow it. */
export function cancelledError(): LandmarkError {
  return new LandmarkError('cancelled', 'The operation was cancelled.');
}

/** True for our own cancellation and for the AbortError of Node's own APIs. */
export function isCancelled(error: unknown): boolean {
  return (
    (error instanceof LandmarkError && error.reason === 'cancelled') ||
    (error instanceof Error && error.name === 'AbortError')
  );
}

/** Whether it is an expected failure of this kind. */
export function isReason(error: unknown, reason: ErrorReason): error is LandmarkError {
  return error instanceof LandmarkError && error.reason === reason;
}

/** Whether what is stored turned out to be damaged. */
export function isDamage(error: unknown): error is LandmarkError {
  return isReason(error, 'store-damaged');
}

/** Throws the cancellation error when the signal is aborted. */
export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw cancelledError();
}

/** The code of a Node system error (`ENOENT`, `ENOSPC`, …), else undefined. */
export function systemCode(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

/** A one-line description of anything thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
