import { LandmarkError } from '../../util/errors';
import type { WindowRecord } from '../store/records';

/** Symmetric: the largest absolute value becomes ±127, so that zero stays zero and -128 never occurs. */
const LEVELS = 127;

/**
 * int8 values of a vector, written to `into` at `offset`.
 * @returns the scale by which they are multiplied to get the vector back; never 0, so that 0 can mean "not there".
 * @throws LandmarkError `internal` for a vector that is not finite: stored, it would poison every comparison.
 */
export function quantizeInto(vector: Float32Array, into: Int8Array, offset: number): number {
  let largest = 0;
  for (const value of vector) {
    if (!Number.isFinite(value)) {
      throw new LandmarkError('internal', `The model gave a vector with ${value} in it; nothing of it is stored.`);
    }
    largest = Math.max(largest, Math.abs(value));
  }
  // The store keeps scales as float32: round with the scale that will be read back.
  const scale = Math.fround(largest / LEVELS) || 1;
  for (let at = 0; at < vector.length; at++) {
    const level = Math.round((vector[at] as number) / scale);
    into[offset + at] = Math.max(-LEVELS, Math.min(LEVELS, level));
  }
  return scale;
}

/**
 * What the store keeps of a window: of each landmark the numbers that stand alone, as they are, so that means can be
 * taken over many windows.
 * @param rows last hidden states at the window's landmarks, row-major `[count × dimensions]`, neither pooled nor normalised.
 * @throws LandmarkError `internal` for rows that are not a whole number of finite vectors.
 */
export function quantizeWindow(rows: Float32Array, dimensions: number, landmarkDimensions: number): WindowRecord {
  const count = rows.length / dimensions;
  if (count < 1 || !Number.isInteger(count)) {
    throw new LandmarkError(
      'internal',
      `Expected landmark vectors of ${dimensions} numbers, got ${rows.length} numbers.`,
    );
  }
  const landmarks = new Int8Array(count * landmarkDimensions);
  const scales = new Float32Array(count);
  for (let row = 0; row < count; row++) {
    const start = row * dimensions;
    scales[row] = quantizeInto(rows.subarray(start, start + landmarkDimensions), landmarks, row * landmarkDimensions);
  }
  return { landmarks, scales };
}

/** The mean of a window's landmarks, `[landmarkDimensions]`, not normalised. */
export function meanOfLandmarks({ landmarks, scales }: WindowRecord): Float32Array {
  const dimensions = landmarks.length / scales.length;
  const sum = new Float64Array(dimensions);
  for (const [row, scale] of scales.entries()) {
    const start = row * dimensions;
    for (let at = 0; at < dimensions; at++) {
      sum[at] = (sum[at] as number) + scale * (landmarks[start + at] as number);
    }
  }
  return Float32Array.from(sum, value => value / scales.length);
}

/** By which the int8 values of each landmark are multiplied to get a unit vector; never 0. */
export function unitScales({ landmarks, scales }: WindowRecord): Float32Array {
  const dimensions = landmarks.length / scales.length;
  return scales.map((_, row) => {
    let squares = 0;
    for (let at = row * dimensions; at < (row + 1) * dimensions; at++) squares += (landmarks[at] as number) ** 2;
    return 1 / Math.sqrt(squares || 1);
  });
}
