import { LandmarkError } from '../../util/errors';
import { meanOfRows } from '../model/landmarkPooling';
import type { WindowRecord } from '../store/records';
import { l2Normalize } from './vectorMath';

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
 * What the store keeps of a window.
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
  const mean = new Int8Array(dimensions);
  const meanScale = quantizeInto(meanOfRows(rows, dimensions), mean, 0);
  const landmarks = new Int8Array(count * landmarkDimensions);
  const scales = new Float32Array(count);
  for (let row = 0; row < count; row++) {
    const start = row * dimensions;
    const vector = l2Normalize(rows.subarray(start, start + landmarkDimensions));
    scales[row] = quantizeInto(vector, landmarks, row * landmarkDimensions);
  }
  return { mean, meanScale, landmarks, scales };
}

/** The mean of a window's landmarks, `[dimensions]`, not normalised. */
export function dequantizeMean(record: WindowRecord): Float32Array {
  const { mean: values, meanScale } = record;
  const mean = new Float32Array(values.length);
  for (let at = 0; at < values.length; at++) mean[at] = (values[at] as number) * meanScale;
  return mean;
}
