import { l2Normalize } from '../vectors/vectorMath';

/** Mean of the rows of a row-major matrix `[rows × dimensions]`, not normalised. */
export function meanOfRows(rows: Float32Array, dimensions: number): Float32Array {
  const sum = new Float64Array(dimensions);
  for (let at = 0; at < rows.length; at++)
    sum[at % dimensions] = (sum[at % dimensions] as number) + (rows[at] as number);
  return Float32Array.from(sum, value => (value * dimensions) / rows.length);
}

/**
 * The vector of a text of one window: mean of the last hidden states at its landmarks, then L2. The first token is not
 * pooled. (Landmark pooling, arXiv 2601.21525.)
 * @param rows hidden states at the landmarks, row-major `[landmarks × dimensions]`.
 */
export function poolLandmarks(rows: Float32Array, dimensions: number): Float32Array {
  return l2Normalize(meanOfRows(rows, dimensions));
}

/** A window's part in the vector of its text. */
export interface WindowMean {
  /** Mean of the hidden states at the window's landmarks, not normalised. */
  readonly mean: Float32Array;
  readonly landmarks: number;
}

/** The vector of a text of several windows: the mean over all landmarks of all of them, then L2. */
export function poolWindows(windows: readonly WindowMean[], dimensions: number): Float32Array {
  const sum = new Float32Array(dimensions);
  for (const { mean, landmarks } of windows) {
    for (let at = 0; at < dimensions; at++) sum[at] = (sum[at] as number) + landmarks * (mean[at] as number);
  }
  return l2Normalize(sum);
}

/** The first dimensions of a vector, as a unit vector: what the shorter vectors of a Matryoshka model are compared with. */
export function leading(vector: Float32Array, dimensions: number): Float32Array {
  return l2Normalize(vector.subarray(0, dimensions));
}
