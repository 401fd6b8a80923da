/**
 * Holds back what the user wants to do with the first row until the rows answer what was typed: who is faster than the
 * answer gets its first row, and not one of an earlier question.
 */
export class AfterAnswer<Item> {
  /** The question was changed, and the rows answer an earlier one. */
  #isStale = false;
  #held: ((first: Item | undefined) => Promise<void>) | undefined;

  questionChanged(): void {
    this.#isStale = true;
    this.#held = undefined;
  }

  /** The rows answer the question now. @param first of them that leads anywhere. */
  answered(first: Item | undefined): void {
    this.#isStale = false;
    const act = this.#held;
    this.#held = undefined;
    void act?.(first);
  }

  /** @param active the row that is marked, of whatever question. */
  async act(act: (item: Item | undefined) => Promise<void>, active: Item | undefined): Promise<void> {
    if (this.#isStale) this.#held = act;
    else await act(active);
  }
}
