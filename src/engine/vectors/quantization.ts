import { LandmarkError } from '../../util/errors';
import type { WindowRecord } from '../store/records';

/** Symmetric: levels from -7 to 7. Four bits hold a level plus 8. */
const LEVELS = 7;
export const ZERO_LEVEL = 8;
/** At first the largest level stands for the largest number, but for no more than so many root mean squares of all. */
const REACH = 3;
/** Rounds in which scale and levels are fitted to each other; more gain a ten-thousandth of the cosine. */
const ROUNDS = 4;

/** Bytes of a vector: two numbers each, and the half that an odd one leaves holds zero. */
export function packedBytes(dimensions: number): number {
  return Math.ceil(dimensions / 2);
}

/**
 * int4 levels of a vector, two a byte and the first in the lower half, written to `into` from byte `offset` on. The
 * scale is fitted to the whole vector: larger numbers are cut to the largest level where that loses less than coarser steps for all.
 * @returns the scale by which the levels are multiplied to get the vector back; never 0, so that 0 can mean "not there".
 * @throws LandmarkError `internal` for a vector that is not finite: stored, it would poison every comparison.
 */
export function quantizeInto(vector: Float32Array, into: Uint8Array, offset: number): number {
  let [largest, squares] = [0, 0];
  for (const value of vector) {
    if (!Number.isFinite(value)) {
      throw new LandmarkError('internal', `The model gave a vector with ${value} in it; nothing of it is stored.`);
    }
    largest = Math.max(largest, Math.abs(value));
    squares += value * value;
  }
  let scale = Math.min(largest, REACH * Math.sqrt(squares / vector.length)) / LEVELS || 1;
  for (let round = 0; round < ROUNDS; round++) scale = fitted(vector, scale);
  // The store keeps scales as float32: round with the scale that will be read back.
  scale = Math.fround(scale) || 1;
  for (let at = 0; at < vector.length; at += 2) {
    const second = at + 1 < vector.length ? levelOf(vector[at + 1] as number, scale) : 0;
    const first = levelOf(vector[at] as number, scale);
    into[offset + at / 2] = (first + ZERO_LEVEL) | ((second + ZERO_LEVEL) << 4);
  }
  return scale;
}

/** The scale with which these levels come nearest to the vector (least squares). */
function fitted(vector: Float32Array, scale: number): number {
  let [products, squares] = [0, 0];
  for (const value of vector) {
    const level = levelOf(value, scale);
    products += level * value;
    squares += level * level;
  }
  return squares > 0 ? products / squares : scale;
}

function levelOf(value: number, scale: number): number {
  return Math.max(-LEVELS, Math.min(LEVELS, Math.round(value / scale)));
}

/** The vector that begins at byte `offset`: its levels, multiplied by a scale. */
export function unpackAt(packed: Uint8Array, offset: number, dimensions: number, scale = 1): Float32Array {
  const vector = new Float32Array(dimensions);
  for (let at = 0; at < dimensions; at++) {
    const byte = packed[offset + (at >> 1)] as number;
    vector[at] = ((at % 2 === 0 ? byte & 15 : byte >> 4) - ZERO_LEVEL) * scale;
  }
  return vector;
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
  const bytes = packedBytes(landmarkDimensions);
  const landmarks = new Uint8Array(count * bytes);
  const scales = new Float32Array(count);
  for (let row = 0; row < count; row++) {
    const start = row * dimensions;
    scales[row] = quantizeInto(rows.subarray(start, start + landmarkDimensions), landmarks, row * bytes);
  }
  return { landmarks, scales };
}

/** Of each landmark its levels; with an odd number of dimensions a zero more. */
function* levelsOf({ landmarks, scales }: WindowRecord): Generator<Float32Array> {
  const bytes = landmarks.length / scales.length;
  for (let row = 0; row < scales.length; row++) yield unpackAt(landmarks, row * bytes, bytes * 2);
}

/** The mean of a window's landmarks, `[landmarkDimensions]` and where that is odd a zero more, not normalised. */
export function meanOfLandmarks(record: WindowRecord): Float32Array {
  const { landmarks, scales } = record;
  const sum = new Float64Array((landmarks.length / scales.length) * 2);
  let row = 0;
  for (const levels of levelsOf(record)) {
    const scale = scales[row++] as number;
    for (let at = 0; at < sum.length; at++) sum[at] = (sum[at] as number) + scale * (levels[at] as number);
  }
  return Float32Array.from(sum, value => value / scales.length);
}

/** By which the levels of each landmark are multiplied to get a unit vector; never 0. */
export function unitScales(record: WindowRecord): Float32Array {
  return Float32Array.from(levelsOf(record), unitScale);
}

/** By which levels are multiplied to get a unit vector; never 0. */
export function unitScale(levels: Float32Array): number {
  const squares = levels.reduce((sum, level) => sum + level * level, 0);
  return 1 / Math.sqrt(squares || 1);
}
