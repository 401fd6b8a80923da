import { cancelledError, throwIfAborted } from './errors';
import type { Disposable } from './lifecycle';

/** A promise that is settled from outside. */
export class Deferred<T> {
  readonly promise: Promise<T>;
  readonly resolve: (value: T | PromiseLike<T>) => void;
  readonly reject: (error: unknown) => void;

  constructor() {
    let resolve!: (value: T | PromiseLike<T>) => void;
    let reject!: (error: unknown) => void;
    this.promise = new Promise<T>((onResolve, onReject) => {
      resolve = onResolve;
      reject = onReject;
    });
    this.resolve = resolve;
    this.reject = reject;
  }
}

/** Lets pending input and output be handled before long synchronous work goes on. */
export function yieldToEventLoop(): Promise<void> {
  return new Promise(resolve => {
    setImmediate(resolve);
  });
}

/** Runs at most so many tasks at a time; the others wait in the order in which they came. */
export class Limiter {
  readonly #limit: number;
  readonly #waiting = new Set<Deferred<void>>();
  #active = 0;

  constructor(limit: number) {
    if (!Number.isInteger(limit) || limit < 1) throw new RangeError(`expected a limit of at least 1, got ${limit}`);
    this.#limit = limit;
  }

  /** Number of tasks that run now. */
  get active(): number {
    return this.#active;
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  /**
   * @param signal takes a task that still waits out of the queue; one that runs listens to the signal by itself.
   * @throws what the task throws, or the cancellation error when it was cancelled before it began.
   */
  async run<T>(task: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    throwIfAborted(signal);
    if (this.#active < this.#limit) this.#active++;
    else await this.#turn(signal);
    try {
      // Between the turn being given and this line the signal may have been aborted.
      throwIfAborted(signal);
      return await task();
    } finally {
      this.#passOn();
    }
  }

  /** Resolves when a task that ended has handed its place over: `active` stays as it is. */
  async #turn(signal: AbortSignal | undefined): Promise<void> {
    const turn = new Deferred<void>();
    const abort = (): void => {
      if (this.#waiting.delete(turn)) turn.reject(cancelledError());
    };
    this.#waiting.add(turn);
    signal?.addEventListener('abort', abort, { once: true });
    try {
      await turn.promise;
    } finally {
      signal?.removeEventListener('abort', abort);
    }
  }

  #passOn(): void {
    const [next] = this.#waiting;
    if (next === undefined) {
      this.#active--;
      return;
    }
    this.#waiting.delete(next);
    next.resolve();
  }
}

/**
 * Single flight with one trailing run: requests during a run share one more run after it, so that the last run always
 * began after the last request. A task must not wait for a request of its own: it would wait for its own end.
 */
export class CoalescedRun {
  readonly #task: () => Promise<void>;
  #current: Promise<void> | undefined;
  #trailing: Promise<void> | undefined;

  constructor(task: () => Promise<void>) {
    this.#task = task;
  }

  get isRunning(): boolean {
    return this.#current !== undefined || this.#trailing !== undefined;
  }

  /**
   * @returns a promise that settles like the first run that began after this call. A failed run does not keep the
   *   trailing one from running.
   */
  request(): Promise<void> {
    if (this.#trailing !== undefined) return this.#trailing;
    if (this.#current === undefined) return this.#start();
    const begin = (): Promise<void> => {
      this.#trailing = undefined;
      return this.#start();
    };
    this.#trailing = this.#current.then(begin, begin);
    return this.#trailing;
  }

  #start(): Promise<void> {
    // The task begins in a microtask: a request that it makes synchronously then finds `#current` set.
    const run = Promise.resolve()
      .then(this.#task)
      .finally(() => {
        this.#current = undefined;
      });
    this.#current = run;
    return run;
  }
}

/** The timer functions that `debounce` uses; tests hand in their own. */
export interface Timers {
  readonly set: (callback: () => void, milliseconds: number) => unknown;
  readonly clear: (handle: unknown) => void;
}

const systemTimers: Timers = {
  set: (callback, milliseconds) => setTimeout(callback, milliseconds),
  clear: handle => clearTimeout(handle as ReturnType<typeof setTimeout>),
};

export interface Debounced extends Disposable {
  readonly isPending: boolean;
  /** Asks for the action after the quiet time, which begins anew. Does nothing once disposed. */
  request(): void;
  /** Runs a pending action now. */
  flush(): void;
  /** Forgets a pending action. */
  cancel(): void;
}

/** Runs the action once when no request has come for so many milliseconds. */
export function debounce(action: () => void, milliseconds: number, timers: Timers = systemTimers): Debounced {
  let pending: { readonly handle: unknown } | undefined;
  let disposed = false;
  const cancel = (): void => {
    if (pending !== undefined) timers.clear(pending.handle);
    pending = undefined;
  };
  const run = (): void => {
    pending = undefined;
    action();
  };
  return {
    get isPending() {
      return pending !== undefined;
    },
    request() {
      cancel();
      if (!disposed) pending = { handle: timers.set(run, milliseconds) };
    },
    flush() {
      if (pending === undefined) return;
      cancel();
      action();
    },
    cancel,
    dispose() {
      disposed = true;
      cancel();
    },
  };
}
