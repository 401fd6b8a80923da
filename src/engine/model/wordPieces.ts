/**
 * Longest-match-first word pieces (WordPiece, as in BERT) of one lower-case ASCII word. The same ids as the tokenizer
 * library, which tries every length of the rest of the word at every position: on a file of hashes that takes ten
 * times as long. Here no try is longer than the longest piece.
 */
export class WordPieces {
  readonly #starts = new Map<string, number>();
  readonly #continuations = new Map<string, number>();
  readonly #longest: number;
  readonly #unknownId: number;
  readonly #maxWordLength: number;

  /**
   * @param vocabulary piece to id; pieces inside a word carry `prefix`.
   * @param maxWordLength a longer word is one unknown token.
   */
  constructor(
    vocabulary: Iterable<readonly [string, number]>,
    prefix: string,
    unknownId: number,
    maxWordLength: number,
  ) {
    let longest = 1;
    for (const [piece, id] of vocabulary) {
      this.#starts.set(piece, id);
      longest = Math.max(longest, piece.length);
      if (piece.startsWith(prefix)) this.#continuations.set(piece.slice(prefix.length), id);
    }
    this.#longest = longest;
    this.#unknownId = unknownId;
    this.#maxWordLength = maxWordLength;
  }

  encode(word: string): number[] {
    if (word.length > this.#maxWordLength) return [this.#unknownId];
    const ids: number[] = [];
    let start = 0;
    while (start < word.length) {
      const pieces = start === 0 ? this.#starts : this.#continuations;
      let end = Math.min(word.length, start + this.#longest);
      let id = pieces.get(word.slice(start, end));
      while (id === undefined && end > start + 1) id = pieces.get(word.slice(start, --end));
      if (id === undefined) return [this.#unknownId];
      ids.push(id);
      start = end;
    }
    return ids;
  }
}
