import type { LogOutputChannel } from 'vscode';
import { messageOf } from '../util/errors';
import type { Logger } from '../util/logger';

/** Writes to a log channel of the editor, which has its own level and keeps the file. Never pops up. */
export function outputLogger(channel: LogOutputChannel): Logger {
  return {
    debug: message => channel.debug(message),
    info: message => channel.info(message),
    warn: message => channel.warn(message),
    error(message, error) {
      const detail = error instanceof Error ? (error.stack ?? error.message) : messageOf(error);
      channel.error(error === undefined ? message : `${message} ${detail}`);
    },
  };
}
