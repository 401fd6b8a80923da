import { messageOf } from '../../util/errors';
import type { Logger } from '../../util/logger';

export interface Problem {
  readonly at: Date;
  readonly level: 'warning' | 'error';
  readonly message: string;
}

/** So many are kept: what went wrong last explains most. */
const KEPT = 20;

/** Passes everything on to another logger and remembers the last warnings and errors for a report. */
export class ProblemMemory {
  readonly #problems: Problem[] = [];

  get problems(): readonly Problem[] {
    return this.#problems;
  }

  listenTo(logger: Logger, now: () => Date = () => new Date()): Logger {
    const keep = (level: Problem['level'], message: string): void => {
      this.#problems.push({ at: now(), level, message });
      if (this.#problems.length > KEPT) this.#problems.shift();
    };
    return {
      debug: message => logger.debug(message),
      info: message => logger.info(message),
      warn(message) {
        keep('warning', message);
        logger.warn(message);
      },
      error(message, error) {
        keep('error', error === undefined ? message : `${message} ${messageOf(error)}`);
        logger.error(message, error);
      },
    };
  }
}
