import { isDeepStrictEqual } from 'node:util';
import type { FolderEngine, FolderOptions, PastReport } from '../engine/folderEngine';
import type { DataReport, IndexProgress, SearchResponse } from '../engine/types';
import { isCancelled, LandmarkError, throwIfAborted } from '../util/errors';
import type { Logger } from '../util/logger';
import type { ClientMessage, EngineConfig, FolderStatus, RequestKind, Requests, ServerMessage } from './protocol';
import { PROTOCOL_VERSION } from './protocol';
import { checkRequest } from './requestParams';
import { toWireError } from './wireError';

/** Progress of one request is sent at most this often, in milliseconds; the end of a phase always. */
const PROGRESS_INTERVAL_MS = 100;

/** What runs behind the server once the client has said how. */
export interface EngineHost {
  open(folder: string, options: FolderOptions, onStatus: (status: FolderStatus) => void): Promise<FolderEngine>;
  data(action: 'list' | 'clean', signal: AbortSignal): Promise<DataReport>;
  /** @param folder real path; it need not be open. */
  evaluatePast(folder: string, onProgress: (progress: IndexProgress) => void, signal: AbortSignal): Promise<PastReport>;
  /** Ends what the open folders share; called once, after they are closed. */
  close(): Promise<void>;
}

export interface RequestServerParts {
  readonly configure: (config: EngineConfig) => EngineHost;
  /** The real path of a folder, or the path itself where there is none: then opening says why. */
  readonly realPath: (folder: string) => Promise<string>;
  readonly send: (message: ServerMessage) => void;
  readonly logger: Logger;
  /** Milliseconds. */
  readonly now: () => number;
}

interface RunningRequest {
  readonly controller: AbortController;
  readonly folders: readonly string[];
}

interface Context {
  readonly signal: AbortSignal;
  readonly onProgress: (progress: IndexProgress) => void;
}

type Handlers = {
  readonly [K in RequestKind]: (params: Requests[K]['params'], context: Context) => Promise<Requests[K]['result']>;
};

/**
 * Answers typed messages with a set of open folders. Every request is answered exactly once, cancelled or not, and
 * nothing that a request does throws out of here.
 */
export class RequestServer {
  private host: EngineHost | undefined;
  private readonly folders = new Map<string, { readonly engine: FolderEngine; readonly options: FolderOptions }>();
  private readonly running = new Map<number, RunningRequest>();
  /** Work over folders of its own, which uses what the open ones share: it ends before that is closed. */
  private readonly apart = new Set<Promise<unknown>>();
  /** Opening and closing happen one after the other: a folder never has two engines. */
  private gate: Promise<unknown> = Promise.resolve();
  private closing: Promise<void> | undefined;

  constructor(private readonly parts: RequestServerParts) {}

  /** Takes one message of the client, or whatever came, except `shutdown`, which is the process's own affair. */
  handle(message: ClientMessage | undefined | null): void {
    switch (message?.type) {
      case 'hello':
        this.greet(message.version, message.config);
        return;
      case 'request':
        void this.run(message.id, message.request);
        return;
      case 'cancel':
        this.running.get(message.id)?.controller.abort();
        return;
      case 'ping':
        this.parts.send({ type: 'pong' });
        return;
      default:
        this.parts.logger.warn(`A message of unknown type was left aside: ${typeOf(message)}.`);
    }
  }

  /** Cancels what runs, then closes every folder. */
  close(): Promise<void> {
    this.closing ??= this.closeAll();
    return this.closing;
  }

  private greet(version: number, config: EngineConfig): void {
    if (version !== PROTOCOL_VERSION) {
      const sentence = `The search process speaks protocol version ${PROTOCOL_VERSION}, its client version ${version}: reload the window, or install the program again.`;
      this.parts.send({ type: 'fatal', error: { reason: 'internal', message: sentence } });
      return;
    }
    if (this.host !== undefined) {
      this.parts.logger.warn('A second greeting was left aside.');
      return;
    }
    this.host = this.parts.configure(config);
    this.parts.send({ type: 'ready', version: PROTOCOL_VERSION, pid: process.pid });
  }

  private async run(id: number, unchecked: unknown): Promise<void> {
    if (this.running.has(id)) {
      this.parts.logger.warn(`A second request with the number ${id} was left aside.`);
      return;
    }
    const controller = new AbortController();
    let answer: ServerMessage;
    try {
      const request = checkRequest(unchecked);
      if (this.closing !== undefined) controller.abort();
      this.running.set(id, { controller, folders: foldersOf(request.params) });
      throwIfAborted(controller.signal);
      const onProgress = this.progressSender(id);
      const value = await this.dispatch(request.kind, request.params, { signal: controller.signal, onProgress });
      answer = { type: 'response', id, value };
    } catch (error) {
      if (!isCancelled(error) && !(error instanceof LandmarkError)) this.parts.logger.error('A request failed.', error);
      answer = { type: 'failure', id, error: toWireError(error) };
    }
    this.running.delete(id);
    this.parts.send(answer);
  }

  private dispatch<K extends RequestKind>(kind: K, params: Requests[K]['params'], context: Context): Promise<unknown> {
    return this.handlers[kind](params, context);
  }

  private readonly handlers: Handlers = {
    open: params => this.exclusively(() => this.open(params.folder, params.options)),
    closeFolder: params => this.exclusively(() => this.closeFolder(params.folder)),
    sync: async (params, { signal, onProgress }) =>
      this.engine(params.folder).sync({ rebuild: params.rebuild }, onProgress, signal),
    update: async (params, { signal }) => this.engine(params.folder).update(params.paths, signal),
    setPaused: async params => {
      this.engine(params.folder).setPaused(params.paused);
      return null;
    },
    search: (params, { signal }) => this.search(params, signal),
    similar: async (params, { signal }) => this.engine(params.folder).similar(params.file, params.limit, signal),
    explain: async params => this.engine(params.folder).explain(params.file),
    stats: async params => this.engine(params.folder).stats(),
    evaluate: async (params, { signal }) => this.engine(params.folder).evaluate(params.cases, params.arms, signal),
    evaluateSimilar: async (params, { signal }) => this.engine(params.folder).evaluateSimilar(params.cases, signal),
    clear: async params => {
      await this.engine(params.folder).clear();
      return null;
    },
    evaluatePast: (params, context) => this.evaluatePast(params.folder, context),
    data: (params, { signal }) =>
      this.exclusively(() => {
        // What is cleaned is made smaller by a copy that takes the place of the open file.
        if (params.action === 'clean' && this.folders.size > 0) {
          const sentence = 'Data is not cleaned while this process has a folder open: close it first.';
          throw new LandmarkError('store-busy', sentence);
        }
        return this.greeted().data(params.action, signal);
      }),
  };

  private greeted(): EngineHost {
    if (this.host === undefined) throw new LandmarkError('invalid-argument', 'Say hello before asking for anything.');
    return this.host;
  }

  private engine(folder: string): FolderEngine {
    const open = this.folders.get(folder);
    if (open === undefined) {
      throw new LandmarkError('invalid-argument', `The folder ${folder} is not open: open it first, by its real path.`);
    }
    return open.engine;
  }

  private async search(
    params: Requests['search']['params'],
    signal: AbortSignal,
  ): Promise<Requests['search']['result']> {
    const engines = params.folders.map(folder => this.engine(folder));
    const responses: { folder: string; response: SearchResponse }[] = [];
    for (const engine of engines) {
      throwIfAborted(signal);
      const drafts = params.drafts?.filter(({ folder }) => folder === engine.folder);
      const request = drafts === undefined ? params.request : { ...params.request, drafts };
      responses.push({ folder: engine.folder, response: await engine.search(request, signal) });
    }
    return { responses };
  }

  private async open(folder: string, options: FolderOptions): Promise<{ folder: string }> {
    const host = this.greeted();
    const path = await this.parts.realPath(folder);
    const present = this.folders.get(path);
    if (present !== undefined) {
      if (isDeepStrictEqual(present.options, options)) return { folder: path };
      await this.closeFolder(path);
    }
    const engine = await host.open(path, options, status => this.parts.send({ type: 'status', status }));
    this.folders.set(engine.folder, { engine, options });
    return { folder: engine.folder };
  }

  private async closeFolder(folder: string): Promise<null> {
    const open = this.folders.get(folder);
    this.folders.delete(folder);
    for (const request of this.running.values()) if (request.folders.includes(folder)) request.controller.abort();
    await open?.engine.close();
    return null;
  }

  private async closeAll(): Promise<void> {
    for (const { controller } of this.running.values()) controller.abort();
    await this.exclusively(async () => {
      const closed = await Promise.allSettled([...this.folders.keys()].map(folder => this.closeFolder(folder)));
      for (const result of closed) {
        if (result.status === 'rejected') this.parts.logger.error('A folder could not be closed.', result.reason);
      }
    });
    await Promise.allSettled(this.apart);
    await this.host?.close();
  }

  private async evaluatePast(folder: string, { onProgress, signal }: Context): Promise<PastReport> {
    const path = await this.parts.realPath(folder);
    const work = this.greeted().evaluatePast(path, onProgress, signal);
    this.apart.add(work);
    try {
      return await work;
    } finally {
      this.apart.delete(work);
    }
  }

  private exclusively<T>(task: () => Promise<T>): Promise<T> {
    const run = this.gate.then(task);
    this.gate = run.catch(() => {}); // the one who asked hears of the failure, the next in line does not
    return run;
  }

  private progressSender(id: number): (progress: IndexProgress) => void {
    let phase: string | undefined;
    let sentAt = -Infinity;
    return progress => {
      if (!this.running.has(id)) return; // answered: nothing may follow
      const now = this.parts.now();
      const isEdge = progress.phase !== phase || progress.done >= progress.total;
      if (!isEdge && now - sentAt < PROGRESS_INTERVAL_MS) return;
      phase = progress.phase;
      sentAt = now;
      this.parts.send({ type: 'progress', id, progress });
    };
  }
}

function typeOf(message: unknown): string {
  const type: unknown = typeof message === 'object' && message !== null && 'type' in message ? message.type : undefined;
  return typeof type === 'string' ? type : typeof message;
}

/** The folders whose closing ends a request; `open` is about none yet. */
function foldersOf(params: Requests[RequestKind]['params']): readonly string[] {
  if ('folders' in params) return params.folders;
  return 'options' in params || !('folder' in params) ? [] : [params.folder];
}
