import type { CancellationToken } from 'vscode';
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

/** Does work that ends early when the editor's token is cancelled. */
export async function withSignal<T>(
  token: CancellationToken | undefined,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  if (token?.isCancellationRequested === true) controller.abort();
  const listening = token?.onCancellationRequested(() => controller.abort());
  try {
    return await work(controller.signal);
  } finally {
    listening?.dispose();
  }
}
