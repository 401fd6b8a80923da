import { LandmarkError } from '../../util/errors';
import type { Neighbour, VectorIndex } from './vectorIndex';

/** How far the squared length of a vector may be from 1: rounding, also that of 8-bit storage. */
const LENGTH_TOLERANCE = 0.05;

/** All vectors in one buffer, compared one by one: the oracle for the graph, and its stand-in where it cannot run. */
export class ExactIndex implements VectorIndex {
  private rows: Float32Array;
  private readonly labels: number[] = [];
  private readonly rowOf = new Map<number, number>();

  constructor(readonly dimensions: number) {
    this.rows = new Float32Array(dimensions * 64);
  }

  get size(): number {
    return this.labels.length;
  }

  add(label: number, vector: Float32Array): void {
    requireEntry(label, vector, this.dimensions);
    let row = this.rowOf.get(label);
    if (row === undefined) {
      row = this.labels.push(label) - 1;
      this.rowOf.set(label, row);
      this.reserve(this.labels.length);
    }
    this.rows.set(vector, row * this.dimensions);
  }

  /** The last row moves into the gap. */
  remove(label: number): void {
    const row = this.rowOf.get(label);
    if (row === undefined) return;
    const last = this.labels.length - 1;
    const moved = this.labels[last]!;
    this.rows.copyWithin(row * this.dimensions, last * this.dimensions, (last + 1) * this.dimensions);
    this.labels[row] = moved;
    this.rowOf.set(moved, row);
    this.labels.pop();
    this.rowOf.delete(label);
  }

  has(label: number): boolean {
    return this.rowOf.has(label);
  }

  /** A copy of the vector under the label. */
  vector(label: number): Float32Array | undefined {
    const row = this.rowOf.get(label);
    return row === undefined ? undefined : this.rows.slice(row * this.dimensions, (row + 1) * this.dimensions);
  }

  /** Room for this many vectors without growing again. */
  reserve(count: number): void {
    const needed = count * this.dimensions;
    if (needed <= this.rows.length) return;
    const grown = new Float32Array(Math.max(needed, this.rows.length * 2));
    grown.set(this.rows);
    this.rows = grown;
  }

  search(query: Float32Array, k: number): Neighbour[] {
    requireDimensions(query, this.dimensions);
    const found = this.labels.map((label, row) => ({ label, similarity: this.similarity(query, row) }));
    return nearest(found, k);
  }

  /** Like `search`, among these labels only; absent ones are passed over. */
  searchAmong(labels: Iterable<number>, query: Float32Array, k: number): Neighbour[] {
    requireDimensions(query, this.dimensions);
    const found: Neighbour[] = [];
    for (const label of new Set(labels)) {
      const row = this.rowOf.get(label);
      if (row !== undefined) found.push({ label, similarity: this.similarity(query, row) });
    }
    return nearest(found, k);
  }

  private similarity(query: Float32Array, row: number): number {
    const start = row * this.dimensions;
    let sum = 0;
    for (let at = 0; at < this.dimensions; at++) sum += query[at]! * this.rows[start + at]!;
    return clamp(sum);
  }
}

/** The k most similar, ties by label. Sorts the array it is given. */
export function nearest(found: Neighbour[], k: number): Neighbour[] {
  found.sort((one, other) => other.similarity - one.similarity || one.label - other.label);
  return found.slice(0, Math.max(0, Math.floor(k)));
}

/** Rounding must not carry a similarity out of [-1, 1]. */
export function clamp(similarity: number): number {
  return Math.min(1, Math.max(-1, similarity));
}

/** @throws LandmarkError `invalid-argument` for a vector of another size. */
export function requireDimensions(vector: Float32Array, dimensions: number): void {
  if (vector.length === dimensions) return;
  throw new LandmarkError('invalid-argument', `Expected a vector of ${dimensions} numbers, got ${vector.length}.`);
}

/** @throws LandmarkError `invalid-argument` for a label or a vector that an index cannot hold. */
export function requireEntry(label: number, vector: Float32Array, dimensions: number): void {
  requireDimensions(vector, dimensions);
  if (!Number.isInteger(label) || label < 0 || label > 0xffffffff) {
    throw new LandmarkError('invalid-argument', `Expected a label between 0 and 2^32 - 1, got ${label}.`);
  }
  let squares = 0;
  for (const value of vector) squares += value * value;
  // Written so that NaN is refused too.
  if (!(Math.abs(squares - 1) <= LENGTH_TOLERANCE)) {
    throw new LandmarkError('invalid-argument', `Expected a vector of length 1, got ${Math.sqrt(squares)}.`);
  }
}
