/** One model input. */
export interface WindowLayout {
  readonly inputIds: Int32Array;
  /** Positions of the landmarks in the input; never found by their id, which a text may contain. */
  readonly landmarks: Int32Array;
}

export interface LayoutRule {
  /** Tokens of a chunk. */
  readonly k: number;
  readonly clsId: number;
  readonly landmarkId: number;
}

/** Landmarks of a window of so many tokens: one a chunk, the last partial one too, and one for no tokens at all. */
export function landmarkCount(tokens: number, k: number): number {
  return Math.max(1, Math.ceil(tokens / k));
}

/**
 * `[CLS] chunk [LMK] chunk [LMK] …` with chunks of k tokens and one first token in front (landmark pooling, arXiv 2601.21525).
 * @param ids tokens of one window, without special tokens.
 */
export function layoutWindow(ids: Int32Array, { k, clsId, landmarkId }: LayoutRule): WindowLayout {
  const count = landmarkCount(ids.length, k);
  const inputIds = new Int32Array(1 + ids.length + count);
  const landmarks = new Int32Array(count);
  inputIds[0] = clsId;
  let at = 1;
  for (let chunk = 0; chunk < count; chunk++) {
    const tokens = ids.subarray(chunk * k, (chunk + 1) * k);
    inputIds.set(tokens, at);
    at += tokens.length;
    landmarks[chunk] = at;
    inputIds[at++] = landmarkId;
  }
  return { inputIds, landmarks };
}

/**
 * The first and last line of each chunk of a window, parallel to its landmarks; a window without tokens covers line 1.
 * @param lines the 1-based line of every token of the window.
 */
export function chunkSpans(lines: Uint32Array, k: number): (readonly [first: number, last: number])[] {
  const spans: [number, number][] = [];
  for (let start = 0; start < lines.length; start += k) {
    spans.push([lines[start] as number, lines[Math.min(start + k, lines.length) - 1] as number]);
  }
  return spans.length > 0 ? spans : [[1, 1]];
}
