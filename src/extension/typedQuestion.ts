import type { Timers } from '../util/async';
import { debounce } from '../util/async';
import type { Disposable } from '../util/lifecycle';
import { NewestRuns } from './abort';

/**
 * A question is asked this long after the last key, in milliseconds: short enough for an answer within a tenth of a
 * second, long enough that keys pressed together are one question.
 */
const TYPING_PAUSE_MS = 30;

export interface QuestionBox<Rows> {
  /** What is asked now: with all that an answer depends on, so that the same text is the same question. */
  readonly question: () => string;
  /** @returns undefined when it was cancelled because nobody waits for it any more. */
  readonly answer: (signal: AbortSignal) => Promise<Rows | undefined>;
  /** @param isSame the rows before answered the same question. */
  readonly show: (rows: Rows, isSame: boolean) => void;
}

/** Asks what is typed, a moment after the last key. What was asked before a key is not shown after it. */
export class TypedQuestion<Rows> implements Disposable {
  readonly #box: QuestionBox<Rows>;
  readonly #runs = new NewestRuns();
  readonly #soon: Disposable & { request(): void };
  #answered: string | undefined;

  constructor(box: QuestionBox<Rows>, timers?: Timers) {
    this.#box = box;
    this.#soon = debounce(() => void this.#run(), TYPING_PAUSE_MS, timers);
  }

  /** The question has changed: nothing that is on its way answers it. */
  typed(): void {
    this.#runs.cancel();
    this.#soon.request();
  }

  /** The same question may have another answer by now; until then that on its way is good. */
  askAgain(): void {
    this.#soon.request();
  }

  dispose(): void {
    this.#soon.dispose();
    this.#runs.dispose();
  }

  async #run(): Promise<void> {
    const question = this.#box.question();
    const { signal, isCurrent } = this.#runs.start();
    const rows = await this.#box.answer(signal);
    if (rows === undefined || !isCurrent()) return;
    this.#box.show(rows, question === this.#answered);
    this.#answered = question;
  }
}
