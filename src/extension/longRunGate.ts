import type { IndexProgress } from '../engine/types';
import { isCancelled, messageOf } from '../util/errors';
import type { Logger } from '../util/logger';
import type { IndexController } from './indexController';
import type { IndexReader } from './indexReader';
import type { LongRun } from './model/indexState';
import { longRun, MANY_FILES } from './model/longRun';
import type { WorkspaceRoot } from './openRoot';

/** What the user said of a folder's first long run; outlives the window. */
export interface LongRunMemory {
  get(path: string): 'allowed' | 'put-off' | undefined;
  set(path: string, answer: 'allowed' | 'put-off'): void;
}

export interface LongRunGateParts {
  readonly controller: () => Pick<IndexController, 'questions' | 'setQuestion'> & {
    readonly reader: Pick<IndexReader, 'statsOf'>;
  };
  readonly memory: LongRunMemory;
  /** False: never asks. */
  readonly isWanted: () => boolean;
  /** Sections a second that this machine embeds. */
  readonly speed: () => number;
  /** @returns true to begin, false for not now; undefined when the question was closed without an answer. */
  readonly ask: (name: string, run: LongRun) => Promise<boolean | undefined>;
  readonly logger: Logger;
}

/**
 * Asks before the first long run over a folder. Words, names and history are indexed without a question, because that
 * takes seconds and tells how long the rest would take; small folders never wait.
 */
export class LongRunGate {
  readonly #parts: LongRunGateParts;
  /** Folders whose files are being looked at: when embedding begins, there is something to measure. */
  readonly #looking = new Set<string>();
  readonly #asking = new Set<string>();

  constructor(parts: LongRunGateParts) {
    this.#parts = parts;
  }

  /** Follows a run over a whole folder: its files are read, then embedding begins. */
  note(root: WorkspaceRoot, { phase, total }: IndexProgress): void {
    const { controller, logger, memory, isWanted } = this.#parts;
    if (!isWanted() || memory.get(root.path) === 'allowed') return;
    if (phase === 'walk') this.#looking.add(root.path);
    // What is embedded before the answer would be work that nobody asked for.
    if (phase === 'lexical' && total > MANY_FILES && !controller().questions.has(root.path)) {
      controller().setQuestion(root.path, 'measuring');
    }
    if (phase !== 'embed' || !this.#looking.delete(root.path)) return;
    void this.#measure(root).catch((error: unknown) => {
      controller().setQuestion(root.path, undefined);
      if (!isCancelled(error)) logger.warn(`The size of ${root.path} cannot be told: ${messageOf(error)}`);
    });
  }

  /** Begins what waits for an answer. */
  allowAll(): void {
    for (const path of this.#parts.controller().questions.keys()) this.#allow(path);
  }

  async #measure({ path, name }: WorkspaceRoot): Promise<void> {
    const { controller, memory, speed, ask } = this.#parts;
    const run = longRun(await controller().reader.statsOf(path), speed());
    controller().setQuestion(path, run);
    if (run === undefined || memory.get(path) === 'put-off' || this.#asking.has(path)) return;
    this.#asking.add(path);
    const answer = await ask(name, run).finally(() => this.#asking.delete(path));
    if (answer === true) this.#allow(path);
    else if (answer === false) memory.set(path, 'put-off');
  }

  #allow(path: string): void {
    this.#parts.memory.set(path, 'allowed');
    this.#parts.controller().setQuestion(path, undefined);
  }
}
