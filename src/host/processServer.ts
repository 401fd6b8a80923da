import { constants, setPriority } from 'node:os';
import { messageOf } from '../util/errors';

/** How long a message may take to leave when the process ends right after it, in milliseconds. */
const LAST_MESSAGE_MS = 500;

/** The parent's side of the channel, as one of our child processes sees it. */
export interface ParentChannel<Outgoing extends object> {
  /** Never throws: a parent that is gone hears nothing, and the process ends by itself. */
  send(message: Outgoing): void;
  /** Sends a last message and ends the process. */
  sendAndExit(message: Outgoing, exitCode: number): void;
}

export interface ProcessHandlers<Incoming> {
  readonly onMessage: (message: Incoming) => void;
  /** The parent is gone. */
  readonly onDisconnect: () => void;
  /** Something was thrown that nobody caught. */
  readonly onFatal: (error: unknown) => void;
}

/**
 * Joins this process to the parent that forked it: low priority, ended with the parent, deaf to the terminal's Ctrl+C
 * (that is the parent's to answer, and it goes to the whole group).
 */
export function serveParent<Incoming, Outgoing extends object>(
  handlersFor: (channel: ParentChannel<Outgoing>) => ProcessHandlers<Incoming>,
): void {
  if (process.send === undefined) {
    process.stderr.write('This program is started by Landmark Code Search and does nothing by itself.\n');
    process.exitCode = 2;
    return;
  }
  lowerPriority();
  const channel: ParentChannel<Outgoing> = {
    send(message) {
      if (process.connected) process.send?.(message, undefined, undefined, () => {});
    },
    sendAndExit(message, exitCode) {
      const leave = (): never => process.exit(exitCode);
      if (!process.connected) leave();
      setTimeout(leave, LAST_MESSAGE_MS);
      process.send?.(message, undefined, undefined, leave);
    },
  };
  const handlers = handlersFor(channel);
  process.on('SIGINT', () => {});
  process.on('message', message => {
    if (typeof message === 'object' && message !== null) handlers.onMessage(message as Incoming);
  });
  process.on('disconnect', () => handlers.onDisconnect());
  const onFatal = (error: unknown): void => {
    process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : messageOf(error)}\n`);
    handlers.onFatal(error);
  };
  process.on('uncaughtException', onFatal);
  process.on('unhandledRejection', onFatal);
}

/** Threads that are started later inherit it. Not allowed everywhere, and never a reason to fail. */
function lowerPriority(): void {
  try {
    setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // The work is done at normal priority then.
  }
}
