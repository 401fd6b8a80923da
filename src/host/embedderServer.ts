import type { Embedder } from '../engine/model/embedder';
import { LandmarkError } from '../util/errors';
import type { EmbedderReply, EmbedderRequest } from './protocol';
import { PROTOCOL_VERSION } from './protocol';
import { serveParent } from './processServer';
import { toWireError } from './wireError';

export type CreateEmbedder = (modelDir: string, threads: number) => Promise<Embedder>;

/**
 * Answers the search process: one `start`, then one batch after the other. One embedder a process life, for creating
 * several sessions leaks memory; starting afresh means a new process.
 */
export class EmbedderServer {
  private embedder: Promise<Embedder> | undefined;

  constructor(
    private readonly create: CreateEmbedder,
    private readonly send: (reply: EmbedderReply) => void,
    /** Resident memory of this process in MB. */
    private readonly rssMb: () => number,
  ) {}

  async handle(request: Exclude<EmbedderRequest, { type: 'shutdown' }>): Promise<void> {
    const id = request.type === 'embed' ? request.id : null;
    try {
      if (request.type === 'start') await this.start(request);
      else await this.embed(request.id, request.windows);
    } catch (error) {
      this.send({ type: 'failure', id, error: toWireError(error) });
    }
  }

  private async start(request: Extract<EmbedderRequest, { type: 'start' }>): Promise<void> {
    if (request.version !== PROTOCOL_VERSION) {
      throw new LandmarkError('internal', 'The embedder process is of another version: install the program again.');
    }
    if (this.embedder !== undefined) throw new LandmarkError('internal', 'The embedder was started a second time.');
    this.embedder = this.create(request.modelDir, request.threads);
    const { dimensions } = await this.embedder;
    this.send({ type: 'started', dimensions, pid: process.pid });
  }

  private async embed(id: number, windows: readonly Int32Array[]): Promise<void> {
    if (this.embedder === undefined) throw new LandmarkError('internal', 'The embedder was not started.');
    const embedder = await this.embedder;
    const landmarks = await embedder.embed(windows);
    this.send({ type: 'embedded', id, landmarks, rssMb: this.rssMb() });
  }
}

/** Runs this process as the embedder process of the search process that forked it. */
export function runEmbedderProcess(create: CreateEmbedder): void {
  serveParent<EmbedderRequest, EmbedderReply>(channel => {
    const server = new EmbedderServer(
      create,
      reply => channel.send(reply),
      () => process.memoryUsage.rss() / 1024 / 1024,
    );
    return {
      // Nothing here has to be saved: leaving at once is right.
      onMessage: request => (request.type === 'shutdown' ? process.exit(0) : void server.handle(request)),
      onDisconnect: () => process.exit(0),
      onFatal: error => channel.sendAndExit({ type: 'failure', id: null, error: toWireError(error) }, 1),
    };
  });
}
