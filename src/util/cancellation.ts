import { cancelledError, isCancelled } from './errors';
import type { Disposable } from './lifecycle';

/**
 * What the promise gives, or the cancellation error as soon as the signal is aborted. The work behind the promise goes
 * on unless it listens to the signal itself; its later failure is then nobody's concern.
 */
export function raceAbort<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return promise;
  return new Promise<T>((resolve, reject) => {
    const abort = (): void => reject(cancelledError());
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true });
    // Also attached when aborted already, so that a rejection of the promise is never an unhandled one.
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

/** A signal that follows others until it is disposed. */
export interface LinkedSignal extends Disposable {
  readonly signal: AbortSignal;
}

/**
 * A signal that is aborted, with the same reason, when any of the given ones is. Dispose it when the work is over:
 * until then it listens, and a long-lived signal would collect the listeners of all calls that it saw.
 * (`AbortSignal.any` needs no disposing, but Node 20 has releases that leak or lose its signals.)
 */
export function anySignal(...signals: readonly (AbortSignal | undefined)[]): LinkedSignal {
  const controller = new AbortController();
  const sources = signals.filter(signal => signal !== undefined);
  const dispose = (): void => {
    for (const source of sources) source.removeEventListener('abort', abort);
  };
  const abort = (): void => {
    dispose();
    controller.abort(sources.find(source => source.aborted)?.reason);
  };
  if (sources.some(source => source.aborted)) abort();
  else for (const source of sources) source.addEventListener('abort', abort, { once: true });
  return { signal: controller.signal, dispose };
}

/**
 * What the work gives, or undefined when it took longer than so many milliseconds: its signal is then aborted. Work that
 * never looks at its signal is waited for. Rejects with the cancellation error when the outer signal is aborted.
 */
export async function withinTime<T>(
  milliseconds: number,
  signal: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T | undefined> {
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(), milliseconds);
  const linked = anySignal(signal, limit.signal);
  try {
    return await work(linked.signal);
  } catch (error) {
    if (limit.signal.aborted && signal?.aborted !== true && isCancelled(error)) return undefined;
    throw error;
  } finally {
    clearTimeout(timer);
    linked.dispose();
  }
}

/** Resolves after so many milliseconds; rejects with the cancellation error when the signal is aborted before. */
export async function delay(milliseconds: number, signal?: AbortSignal): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const elapsed = new Promise<void>(resolve => {
    timer = setTimeout(resolve, milliseconds);
  });
  try {
    await raceAbort(elapsed, signal);
  } finally {
    clearTimeout(timer);
  }
}
