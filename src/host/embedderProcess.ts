import type { Embedder } from '../engine/model/embedder';
import { raceAbort } from '../util/cancellation';
import { cancelledError, LandmarkError, messageOf, throwIfAborted } from '../util/errors';
import type { Logger } from '../util/logger';
import type { ForkChild } from './childProcess';
import { forkChild } from './childProcess';
import { EmbedderSession } from './embedderSession';

export interface EmbedderLimits {
  /** Windows in one message: few, so that a cancellation and the memory cap act within a second. */
  readonly batchWindows: number;
  /** For one batch, in milliseconds; far more than a loaded machine needs. */
  readonly batchMs: number;
  /** For loading the model, in milliseconds. */
  readonly startMs: number;
  /** A process works at least this many batches before the memory cap may end it: a cap below the model's own size must not mean one start a batch. */
  readonly leastBatches: number;
  /** An unused process is ended after this, in milliseconds. */
  readonly idleMs: number;
  /** After a failed start no other is tried for this long, in milliseconds. */
  readonly startPauseMs: number;
}

const DEFAULT_LIMITS: EmbedderLimits = {
  batchWindows: 16,
  batchMs: 60_000,
  startMs: 60_000,
  leastBatches: 8,
  idleMs: 120_000,
  startPauseMs: 60_000,
};

/** Attempts for one batch, each in a process of its own when the former died. */
const BATCH_ATTEMPTS = 2;

export interface EmbedderProcessOptions {
  readonly embedderMain: string;
  readonly modelDir: string;
  readonly dimensions: number;
  readonly threads: number;
  readonly memoryLimitMb: number;
  readonly logger: Logger;
  readonly limits?: Partial<EmbedderLimits>;
  readonly fork?: ForkChild;
}

/**
 * The indexing embedder, in a process of its own that is started when needed and may die without harm: one new process
 * for the batch that was in it, and when that one dies too, `engine-died` for this batch alone.
 */
export class EmbedderProcess implements Embedder {
  readonly dimensions: number;
  private readonly limits: EmbedderLimits;
  private session: EmbedderSession | undefined;
  private batches = 0;
  private queue: Promise<unknown> = Promise.resolve();
  private idleTimer: NodeJS.Timeout | undefined;
  private readonly closing = new AbortController();
  private unavailable: { readonly error: LandmarkError; readonly until: number } | undefined;

  constructor(private readonly options: EmbedderProcessOptions) {
    this.dimensions = options.dimensions;
    this.limits = { ...DEFAULT_LIMITS, ...options.limits };
  }

  /** The process id of the running embedder, if one runs. */
  get pid(): number | undefined {
    return this.session?.ended === false ? this.session.pid : undefined;
  }

  /**
   * @throws LandmarkError `engine-died` when this batch brought the process down twice, `runtime-unavailable` when no
   *   process can be started, `cancelled` when aborted or closed.
   */
  async embed(windows: readonly Int32Array[], signal?: AbortSignal): Promise<Float32Array[]> {
    const landmarks: Float32Array[] = [];
    for (let at = 0; at < windows.length; at += this.limits.batchWindows) {
      const batch = windows.slice(at, at + this.limits.batchWindows);
      const embedded = this.exclusively(() => this.embedBatch(batch, signal).finally(() => this.stopWhenIdle()));
      landmarks.push(...(await raceAbort(embedded, signal)));
    }
    return landmarks;
  }

  /** Ends the process; calls that wait are cancelled. */
  async close(): Promise<void> {
    this.closing.abort();
    clearTimeout(this.idleTimer);
    this.session?.kill();
    await this.queue;
    await this.session?.stop();
  }

  private exclusively<T>(task: () => Promise<T>): Promise<T> {
    const run = this.queue.then(task);
    this.queue = run.catch(() => {});
    return run;
  }

  private async embedBatch(
    batch: readonly Int32Array[],
    signal: AbortSignal | undefined,
  ): Promise<readonly Float32Array[]> {
    clearTimeout(this.idleTimer);
    for (let attempt = 1; ; attempt++) {
      throwIfAborted(signal);
      throwIfAborted(this.closing.signal);
      const session = await this.ensureSession();
      try {
        const { landmarks, rssMb } = await session.embed(batch);
        this.batches++;
        if (rssMb > this.options.memoryLimitMb && this.batches >= this.limits.leastBatches) await this.recycle(rssMb);
        return landmarks;
      } catch (error) {
        if (!session.ended) throw error;
        this.session = undefined;
        if (this.closing.signal.aborted) throw cancelledError();
        this.options.logger.warn(messageOf(error));
        if (attempt < BATCH_ATTEMPTS) continue;
        const sentence = `The embedder process ended twice on the same text and was not tried again: ${messageOf(error)}`;
        throw new LandmarkError('engine-died', sentence, { cause: error });
      }
    }
  }

  private async ensureSession(): Promise<EmbedderSession> {
    if (this.session?.ended === false) return this.session;
    if (this.unavailable !== undefined && Date.now() < this.unavailable.until) throw this.unavailable.error;
    try {
      this.session = await this.start();
    } catch (error) {
      if (this.closing.signal.aborted) throw cancelledError();
      const unavailable = startFailure(error);
      this.unavailable = { error: unavailable, until: Date.now() + this.limits.startPauseMs };
      throw unavailable;
    }
    this.batches = 0;
    return this.session;
  }

  /** A process that died or hung while it loaded gets a second chance with one thread: thread pools fail where CPUs are restricted. */
  private async start(): Promise<EmbedderSession> {
    const { embedderMain, modelDir, threads, fork = forkChild } = this.options;
    const { startMs, batchMs } = this.limits;
    const options = { embedderMain, modelDir, fork, startMs, batchMs };
    try {
      return await EmbedderSession.start({ ...options, threads }, this.closing.signal);
    } catch (error) {
      if (!(error instanceof LandmarkError) || error.reason !== 'engine-died') throw error;
      this.options.logger.warn(`${error.message} It is started once more, with one thread.`);
      return EmbedderSession.start({ ...options, threads: 1 }, this.closing.signal);
    }
  }

  private async recycle(rssMb: number): Promise<void> {
    const used = `${Math.round(rssMb)} MB of ${this.options.memoryLimitMb} MB`;
    this.options.logger.info(`The embedder process is replaced after ${this.batches} batches: it holds ${used}.`);
    await this.session?.stop();
    this.session = undefined;
  }

  private stopWhenIdle(): void {
    if (this.session === undefined || this.closing.signal.aborted) return;
    this.idleTimer = setTimeout(() => {
      const session = this.session;
      this.session = undefined;
      void session?.stop();
    }, this.limits.idleMs);
    this.idleTimer.unref();
  }
}

function startFailure(error: unknown): LandmarkError {
  if (error instanceof LandmarkError && error.reason !== 'engine-died' && error.reason !== 'internal') return error;
  const sentence = `The model runtime cannot run here, so answers come from words and history alone: ${messageOf(error)}`;
  return new LandmarkError('runtime-unavailable', sentence, { cause: error });
}
