import type { IndexProgress } from '../engine/types';
import { Deferred } from '../util/async';
import type { LandmarkError } from '../util/errors';
import { cancelledError } from '../util/errors';
import type { Logger } from '../util/logger';
import type { ForkChild, MessageChild, ProcessEnd } from './childProcess';
import { describeEnd } from './childProcess';
import type {
  ClientMessage,
  EngineConfig,
  FolderStatus,
  Request,
  RequestKind,
  Requests,
  ServerMessage,
  WireError,
} from './protocol';
import { PROTOCOL_VERSION } from './protocol';
import { fromWireError } from './wireError';

/** Longest time until the process says that it is there, in milliseconds. */
const READY_LIMIT_MS = 60_000;
/** How long the answer to a cancelled request is waited for, in milliseconds: then the caller is let go without it. */
const CANCEL_GRACE_MS = 5000;

/** How often a process that owes an answer is asked whether it is there, in milliseconds. */
const PING_MS = 10_000;
/** So many times it may say nothing: far more than the longest work that does not give way. */
const MOST_UNANSWERED = 6;

export interface RequestOptions {
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: IndexProgress) => void;
}

/** Why a search process is gone. */
export interface ConnectionEnd {
  /** A part of a sentence: `the search process ended with …`. */
  readonly what: string;
  readonly process: ProcessEnd;
}

export interface ConnectionOptions {
  readonly searchMain: string;
  readonly args: readonly string[];
  readonly execPath?: string;
  readonly config: EngineConfig;
  readonly logger: Logger;
  readonly fork: ForkChild;
  readonly onStatus: (status: FolderStatus) => void;
  /** Not called for an end that `stop` asked for. @returns what requests without an answer are told. */
  readonly onEnd: (end: ConnectionEnd) => LandmarkError;
}

interface PendingRequest {
  readonly answer: Deferred<unknown>;
  readonly onProgress: ((progress: IndexProgress) => void) | undefined;
}

/** One life of a search process: greeted, asked, ended. */
export class EngineConnection {
  private readonly child: MessageChild;
  private readonly pending = new Map<number, PendingRequest>();
  private readonly gone = new Deferred<void>();
  private readonly readyTimer: NodeJS.Timeout;
  private readonly watchdog: NodeJS.Timeout;
  /** Pings since the last message of the process. Counted, not timed: a machine that slept has not waited. */
  private unanswered = 0;
  private lastId = 0;
  private fatal: WireError | undefined;
  private deathCause: LandmarkError | undefined;
  private leaving = false;

  constructor(private readonly options: ConnectionOptions) {
    const { searchMain, args, execPath, config } = options;
    this.child = options.fork(
      { modulePath: searchMain, args, ...(execPath === undefined ? {} : { execPath }) },
      { onMessage: message => this.receive(message as ServerMessage), onEnd: end => this.finish(end) },
    );
    this.readyTimer = setTimeout(() => {
      this.fatal ??= { reason: 'engine-died', message: 'It did not answer after it was started.' };
      this.child.kill();
    }, READY_LIMIT_MS);
    this.watchdog = setInterval(() => this.watch(), PING_MS);
    this.watchdog.unref();
    this.post({ type: 'hello', version: PROTOCOL_VERSION, config });
  }

  get pid(): number | undefined {
    return this.child.pid;
  }

  get ended(): boolean {
    return this.deathCause !== undefined;
  }

  /**
   * @returns once the process has answered, a cancelled request too: then nothing of it goes on any more.
   * @throws LandmarkError what the engine said, or `engine-died` when the process ended before it answered.
   */
  async request<K extends RequestKind>(
    kind: K,
    params: Requests[K]['params'],
    options: RequestOptions = {},
  ): Promise<Requests[K]['result']> {
    if (this.deathCause !== undefined) throw this.deathCause;
    const id = ++this.lastId;
    const answer = new Deferred<unknown>();
    this.pending.set(id, { answer, onProgress: options.onProgress });
    let grace: NodeJS.Timeout | undefined;
    const cancel = (): void => {
      this.post({ type: 'cancel', id });
      grace = setTimeout(() => answer.reject(cancelledError()), CANCEL_GRACE_MS);
    };
    this.post({ type: 'request', id, request: { kind, params } as Request });
    if (options.signal?.aborted) cancel();
    else options.signal?.addEventListener('abort', cancel, { once: true });
    try {
      return (await answer.promise) as Requests[K]['result'];
    } finally {
      clearTimeout(grace);
      options.signal?.removeEventListener('abort', cancel);
      this.pending.delete(id);
    }
  }

  /** Lets the process close its folders and leave; ends it after the grace time, in milliseconds. */
  async stop(graceMs: number): Promise<void> {
    this.leaving = true;
    for (const { answer } of this.pending.values()) answer.reject(cancelledError());
    const timer = setTimeout(() => this.child.kill(), graceMs);
    this.post({ type: 'shutdown' });
    await this.gone.promise;
    clearTimeout(timer);
  }

  private post(message: ClientMessage): void {
    this.child.send(message);
  }

  /** A process that hangs, in a native part for one, is ended: what waits for it hears of it, and the next one helps. */
  private watch(): void {
    if (this.pending.size === 0) this.unanswered = 0;
    else if (this.unanswered < MOST_UNANSWERED) {
      this.unanswered++;
      this.post({ type: 'ping' });
    } else {
      this.fatal ??= { reason: 'engine-died', message: `It gave no sign for ${(PING_MS * MOST_UNANSWERED) / 1000} s.` };
      this.child.kill();
    }
  }

  private receive(message: ServerMessage): void {
    this.unanswered = 0;
    switch (message.type) {
      case 'ready':
        clearTimeout(this.readyTimer);
        return;
      case 'response':
        this.pending.get(message.id)?.answer.resolve(message.value);
        return;
      case 'failure':
        this.pending.get(message.id)?.answer.reject(fromWireError(message.error));
        return;
      case 'progress':
        this.pending.get(message.id)?.onProgress?.(message.progress);
        return;
      case 'status':
        this.options.onStatus(message.status);
        return;
      case 'log':
        this.options.logger[message.level](message.message);
        return;
      case 'pong':
        return;
      case 'fatal':
        this.fatal ??= message.error;
    }
  }

  private finish(process: ProcessEnd): void {
    clearTimeout(this.readyTimer);
    clearInterval(this.watchdog);
    const what = this.fatal === undefined ? describeEnd(process) : `gave up (${this.fatal.message.replace(/\.$/, '')})`;
    this.deathCause = this.leaving ? cancelledError() : this.options.onEnd({ what, process });
    for (const { answer } of this.pending.values()) answer.reject(this.deathCause);
    this.gone.resolve();
  }
}
