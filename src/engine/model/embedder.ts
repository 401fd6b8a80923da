/**
 * Turns windows of token ids into landmark vectors. The indexer's implementation runs in the embedder process,
 * the query's in the search process; tests use a fake one.
 */
export interface Embedder {
  /** Length of a hidden state. */
  readonly dimensions: number;
  /**
   * @param windows token ids of one window each, without special tokens, in document order.
   * @returns for window i the last hidden states at its landmarks, row-major: `[landmarks(i) × dimensions]`,
   *   neither pooled nor normalised. An empty window has one landmark.
   * @throws LandmarkError `engine-died` when the runtime ended, `cancelled` when the signal was aborted.
   */
  embed(windows: readonly Int32Array[], signal?: AbortSignal): Promise<Float32Array[]>;
  close(): Promise<void>;
}
