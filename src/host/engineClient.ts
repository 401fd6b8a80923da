import type { FolderOptions } from '../engine/folderEngine';
import { raceAbort } from '../util/cancellation';
import { cancelledError, LandmarkError, throwIfAborted } from '../util/errors';
import type { Logger } from '../util/logger';
import type { ForkChild } from './childProcess';
import { forkChild } from './childProcess';
import type { ConnectionEnd, RequestOptions } from './engineConnection';
import { EngineConnection } from './engineConnection';
import type { EngineConfig, FolderStatus, RequestKind, Requests } from './protocol';
import { WITHOUT_QUERY_MODEL } from './searchArguments';

/** Deaths less than this apart, in milliseconds, have one cause. */
const DEATH_WINDOW_MS = 60_000;
/** How long `stop` lets the process close its folders, in milliseconds. */
const STOP_GRACE_MS = 5000;
/** Windows reports an illegal instruction as this exit code. */
const WINDOWS_ILLEGAL_INSTRUCTION = 0xc000001d;

export interface EngineClientOptions {
  /** Built search process. */
  readonly searchMain: string;
  readonly config: EngineConfig;
  readonly logger: Logger;
  /** Default: the program that runs us. */
  readonly execPath?: string;
  readonly fork?: ForkChild;
  /** Milliseconds; for tests. */
  readonly now?: () => number;
}

/** The end of a search process that nobody asked for. */
export interface EngineExit {
  /** A sentence. */
  readonly message: string;
  /** False when it died again although it did without the model: it stays down, and every request says why. */
  readonly restarts: boolean;
}

interface OpenFolder {
  readonly options: FolderOptions;
  /** Settles when a restarted process has the folder again. */
  readonly reopened: Promise<unknown>;
}

/**
 * The engine as the editor and the command line see it: typed requests to a search process of its own. When it dies it
 * is started again and gets its folders back; when it dies again within a minute it goes on without the model, by words
 * and history; once more, and it stays down.
 */
export class EngineClient {
  private connection: EngineConnection | undefined;
  private readonly folders = new Map<string, OpenFolder>();
  private readonly statusListeners = new Set<(status: FolderStatus) => void>();
  private readonly exitListeners = new Set<(exit: EngineExit) => void>();
  private lastDeath = -Infinity;
  private down: LandmarkError | undefined;
  private stopped = false;
  /** The processor or the runtime cannot run the query model: a process that tries would die again. */
  private withoutQueryModel = false;

  private constructor(private readonly options: EngineClientOptions) {}

  /** Starts the search process; requests may be made at once. */
  static start(options: EngineClientOptions): EngineClient {
    const client = new EngineClient(options);
    client.connect();
    return client;
  }

  /** The process id of the running search process, if one runs. */
  get pid(): number | undefined {
    return this.connection?.ended === false ? this.connection.pid : undefined;
  }

  /**
   * @throws LandmarkError what the engine said; `engine-died` when the process ended meanwhile; `cancelled` when
   *   aborted or stopped, once the engine has let go of the work.
   */
  async request<K extends RequestKind>(
    kind: K,
    params: Requests[K]['params'],
    options: RequestOptions = {},
  ): Promise<Requests[K]['result']> {
    throwIfAborted(options.signal);
    const connection = this.connect();
    try {
      return await this.ask(connection, kind, params, options);
    } catch (error) {
      if (kind !== 'open' || !connection.ended || this.stopped || this.down !== undefined) throw error;
      // A damaged store may end the process that opens it; the next one finds the mark and sets the store aside.
      return this.ask(this.connect(), kind, params, options);
    }
  }

  /** @returns takes the listener away. */
  onStatus(listener: (status: FolderStatus) => void): () => void {
    this.statusListeners.add(listener);
    return () => this.statusListeners.delete(listener);
  }

  /** @returns takes the listener away. */
  onExit(listener: (exit: EngineExit) => void): () => void {
    this.exitListeners.add(listener);
    return () => this.exitListeners.delete(listener);
  }

  /** Cancels what is pending, lets the process close its folders, and ends it after the grace time (milliseconds). */
  async stop(graceMs: number = STOP_GRACE_MS): Promise<void> {
    this.stopped = true;
    await this.connection?.stop(graceMs);
  }

  private async ask<K extends RequestKind>(
    connection: EngineConnection,
    kind: K,
    params: Requests[K]['params'],
    options: RequestOptions,
  ): Promise<Requests[K]['result']> {
    if (!('options' in params)) {
      const named = 'folders' in params ? params.folders : 'folder' in params ? [params.folder] : [];
      for (const folder of named) await raceAbort(Promise.resolve(this.folders.get(folder)?.reopened), options.signal);
    }
    const result = await connection.request(kind, params, options);
    if ('options' in params) {
      const { folder } = result as Requests['open']['result'];
      this.folders.set(folder, { options: params.options, reopened: Promise.resolve() });
    } else if (kind === 'closeFolder' && 'folder' in params) this.folders.delete(params.folder);
    return result;
  }

  private connect(): EngineConnection {
    if (this.stopped) throw cancelledError();
    if (this.down !== undefined) throw this.down;
    if (this.connection?.ended === false) return this.connection;
    const { searchMain, execPath, config, logger, fork = forkChild } = this.options;
    const connection = new EngineConnection({
      searchMain,
      args: this.withoutQueryModel ? [WITHOUT_QUERY_MODEL] : [],
      ...(execPath === undefined ? {} : { execPath }),
      config,
      logger,
      fork,
      onStatus: status => this.statusListeners.forEach(listener => listener(status)),
      onEnd: end => this.noteDeath(end),
    });
    this.connection = connection;
    for (const [folder, { options }] of this.folders) {
      const reopened = connection.request('open', { folder, options });
      reopened.catch((error: unknown) => logger.error(`The folder ${folder} could not be opened again.`, error));
      this.folders.set(folder, { options, reopened });
    }
    return connection;
  }

  private noteDeath(end: ConnectionEnd): LandmarkError {
    const now = (this.options.now ?? Date.now)();
    const isSecond = now - this.lastDeath < DEATH_WINDOW_MS;
    const staysDown = (isSecond && this.withoutQueryModel) || neverRan(end);
    this.lastDeath = now;
    if (isSecond || cannotRunInstruction(end)) this.withoutQueryModel = true;
    const stays = staysDown ? ' and stays down' : '';
    const often = isSecond ? `ended twice within a minute${stays}; the last time it ` : '';
    const without = this.withoutQueryModel ? ' without the model, to answer from words and history alone' : '';
    const wayOut = staysDown
      ? 'start the program again once the cause is gone'
      : `what is indexed is kept, and the next request starts it again${without}`;
    const died = new LandmarkError('engine-died', `The search process ${often}${end.what}; ${wayOut}.`);
    if (staysDown) this.down = died;
    this.options.logger.error(died.message);
    this.exitListeners.forEach(listener => listener({ message: died.message, restarts: !staysDown }));
    return died;
  }
}

function cannotRunInstruction({ process }: ConnectionEnd): boolean {
  return process.signal === 'SIGILL' || process.signal === 'SIGTRAP' || process.code === WINDOWS_ILLEGAL_INSTRUCTION;
}

/** The program could not even be started: another try would end the same way. */
function neverRan({ process }: ConnectionEnd): boolean {
  return process.code === null && process.signal === null;
}
