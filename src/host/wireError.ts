import { isCancelled, LandmarkError, messageOf } from '../util/errors';
import type { WireError } from './protocol';

/** Anything thrown as plain data for a message; what nobody expected becomes `internal`. */
export function toWireError(error: unknown): WireError {
  if (isCancelled(error)) return { reason: 'cancelled', message: 'The operation was cancelled.' };
  if (error instanceof LandmarkError) return { reason: error.reason, message: error.message };
  return { reason: 'internal', message: `Something unexpected went wrong: ${messageOf(error)}.` };
}

export function fromWireError(error: WireError): LandmarkError {
  return new LandmarkError(error.reason, error.message);
}
