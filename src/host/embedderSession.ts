import { Deferred } from '../util/async';
import { LandmarkError, throwIfAborted } from '../util/errors';
import type { ForkChild, MessageChild } from './childProcess';
import { describeEnd } from './childProcess';
import type { EmbedderReply, EmbedderRequest } from './protocol';
import { PROTOCOL_VERSION } from './protocol';
import { fromWireError } from './wireError';

/** How long a process that was told to end may take, in milliseconds. */
const LEAVE_MS = 2000;

export interface EmbeddedBatch {
  readonly landmarks: readonly Float32Array[];
  readonly rssMb: number;
}

export interface EmbedderSessionOptions {
  readonly embedderMain: string;
  readonly modelDir: string;
  readonly threads: number;
  readonly fork: ForkChild;
  readonly startMs: number;
  readonly batchMs: number;
}

type Answer = Exclude<EmbedderReply, { type: 'failure' }>;

/** One life of an embedder process: started, given one batch at a time under a time limit, ended. */
export class EmbedderSession {
  private readonly child: MessageChild;
  private readonly end = new Deferred<void>();
  private waiting: { readonly id: number | null; readonly answer: Deferred<Answer> } | undefined;
  private lastId = 0;
  private deathCause: LandmarkError | undefined;

  private constructor(private readonly options: EmbedderSessionOptions) {
    this.child = options.fork(
      { modulePath: options.embedderMain },
      {
        onMessage: message => this.receive(message as EmbedderReply),
        onEnd: end => {
          this.deathCause ??= new LandmarkError('engine-died', `The embedder process ${describeEnd(end)}.`);
          this.waiting?.answer.reject(this.deathCause);
          this.end.resolve();
        },
      },
    );
  }

  /**
   * @param signal ends a process that still loads.
   * @throws LandmarkError what the process said, or `engine-died` when it ended or took too long.
   */
  static async start(options: EmbedderSessionOptions, signal: AbortSignal): Promise<EmbedderSession> {
    throwIfAborted(signal);
    const session = new EmbedderSession(options);
    const abort = (): void => session.kill();
    signal.addEventListener('abort', abort, { once: true });
    const { modelDir, threads } = options;
    const start: EmbedderRequest = { type: 'start', version: PROTOCOL_VERSION, modelDir, threads };
    try {
      await session.ask(start, null, options.startMs);
      return session;
    } catch (error) {
      session.kill();
      throw error;
    } finally {
      signal.removeEventListener('abort', abort);
    }
  }

  /** True once the process is gone or given up: then an error of `embed` is about the process, not about the batch. */
  get ended(): boolean {
    return this.deathCause !== undefined;
  }

  get pid(): number | undefined {
    return this.child.pid;
  }

  /** One at a time. @throws LandmarkError `engine-died` when the process ended or took too long. */
  async embed(windows: readonly Int32Array[]): Promise<EmbeddedBatch> {
    const id = ++this.lastId;
    const reply = await this.ask({ type: 'embed', id, windows }, id, this.options.batchMs);
    if (reply.type !== 'embedded')
      throw new LandmarkError('internal', 'The embedder gave an answer of the wrong kind.');
    return reply;
  }

  /** Lets the process leave, and ends it when it does not. */
  async stop(): Promise<void> {
    const timer = setTimeout(() => this.kill(), LEAVE_MS);
    this.child.send({ type: 'shutdown' } satisfies EmbedderRequest);
    await this.end.promise;
    clearTimeout(timer);
  }

  kill(): void {
    this.giveUp('was ended');
    this.child.kill();
  }

  private async ask(request: EmbedderRequest, id: number | null, limitMs: number): Promise<Answer> {
    if (this.deathCause !== undefined) throw this.deathCause;
    const answer = new Deferred<Answer>();
    this.waiting = { id, answer };
    const timer = setTimeout(() => {
      this.giveUp(`did not answer within ${Math.round(limitMs / 1000)} s and was ended`);
      this.child.kill();
    }, limitMs);
    try {
      this.child.send(request);
      return await answer.promise;
    } finally {
      clearTimeout(timer);
      this.waiting = undefined;
    }
  }

  private giveUp(what: string): void {
    this.deathCause ??= new LandmarkError('engine-died', `The embedder process ${what}.`);
    this.waiting?.answer.reject(this.deathCause);
  }

  private receive(reply: EmbedderReply): void {
    const id = reply.type === 'started' ? null : reply.id;
    if (this.waiting?.id !== id) return;
    if (reply.type === 'failure') this.waiting.answer.reject(fromWireError(reply.error));
    else this.waiting.answer.resolve(reply);
  }
}
