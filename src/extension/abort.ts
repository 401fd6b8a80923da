import type { Disposable } from '../util/lifecycle';

/** One run of something that is done again and again, of which only the newest counts. */
export interface NewestRun {
  readonly signal: AbortSignal;
  /** False once a newer run began or all were cancelled: then nothing may be shown any more. */
  readonly isCurrent: () => boolean;
}

/** Each run cancels the one before it. */
export class NewestRuns implements Disposable {
  #controller: AbortController | undefined;

  start(): NewestRun {
    this.cancel();
    const controller = new AbortController();
    this.#controller = controller;
    return { signal: controller.signal, isCurrent: () => this.#controller === controller };
  }

  cancel(): void {
    const controller = this.#controller;
    this.#controller = undefined;
    controller?.abort();
  }

  dispose(): void {
    this.cancel();
  }
}
