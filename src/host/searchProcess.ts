import { resolve } from 'node:path';
import { messageOf } from '../util/errors';
import type { Logger } from '../util/logger';
import type { ParentChannel } from './processServer';
import { serveParent } from './processServer';
import type { ClientMessage, EngineConfig, ServerMessage } from './protocol';
import type { EngineHost } from './requestServer';
import { RequestServer } from './requestServer';
import { toWireError } from './wireError';

/** Longest time for closing the folders when the process is told to end, in milliseconds: the store survives a cut. */
const CLOSE_LIMIT_MS = 4000;

/**
 * Runs this process as the search process of the parent that forked it.
 * @param realPath the one path of a folder that may have been named by several; rejects where there is none.
 */
export function runSearchProcess(
  configure: (config: EngineConfig, logger: Logger) => EngineHost,
  realPath: (folder: string) => Promise<string>,
): void {
  serveParent<ClientMessage, ServerMessage>(channel => {
    const logger = messageLogger(channel);
    const server = new RequestServer({
      configure: config => configure(config, logger),
      realPath: folder => realPath(folder).catch(() => resolve(folder)),
      send: message => sendOrExplain(channel, message),
      logger,
      now: () => performance.now(),
    });
    const end = (exitCode: number): void => {
      setTimeout(() => process.exit(exitCode), CLOSE_LIMIT_MS);
      void server.close().then(
        () => process.exit(exitCode),
        (error: unknown) => {
          logger.error('The folders could not be closed.', error);
          process.exit(exitCode);
        },
      );
    };
    return {
      onMessage: message => (message.type === 'shutdown' ? end(0) : server.handle(message)),
      onDisconnect: () => end(0),
      onFatal: error => channel.sendAndExit({ type: 'fatal', error: toWireError(error) }, 1),
    };
  });
}

/** A request is answered exactly once, also when its result cannot be sent; a fatal message is the last one. */
function sendOrExplain(channel: ParentChannel<ServerMessage>, message: ServerMessage): void {
  if (message.type === 'fatal') {
    channel.sendAndExit(message, 1);
    return;
  }
  try {
    channel.send(message);
  } catch (error) {
    if (message.type === 'response') channel.send({ type: 'failure', id: message.id, error: toWireError(error) });
  }
}

function messageLogger(channel: ParentChannel<ServerMessage>): Logger {
  const log = (level: 'debug' | 'info' | 'warn' | 'error', message: string): void =>
    channel.send({ type: 'log', level, message });
  return {
    debug: message => log('debug', message),
    info: message => log('info', message),
    warn: message => log('warn', message),
    error(message, error) {
      const detail = error instanceof Error ? (error.stack ?? error.message) : messageOf(error);
      log('error', error === undefined ? message : `${message} ${detail}`);
    },
  };
}
