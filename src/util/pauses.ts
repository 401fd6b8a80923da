import { yieldToEventLoop } from './async';
import { throwIfAborted } from './errors';

/** Gives the event loop its turn after a portion of work, and asks then whether to go on. */
export class Pauses {
  private since = performance.now();

  /** @param turnMs how long the event loop may have to wait, in milliseconds. @throws LandmarkError `cancelled`. */
  constructor(
    private readonly turnMs: number,
    private readonly signal: AbortSignal | undefined,
  ) {
    throwIfAborted(signal);
  }

  /** @throws LandmarkError `cancelled`. */
  async perhaps(): Promise<void> {
    if (performance.now() - this.since < this.turnMs) return;
    await yieldToEventLoop();
    throwIfAborted(this.signal);
    this.since = performance.now();
  }
}
