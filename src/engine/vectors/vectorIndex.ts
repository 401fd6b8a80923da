/** One neighbour: `similarity` is the cosine, in [-1, 1]; higher is nearer. */
export interface Neighbour {
  readonly label: number;
  readonly similarity: number;
}

/**
 * Nearest neighbours among L2-normalised vectors under non-negative integer labels.
 * Adding under a label that is present replaces its vector; removing an absent label does nothing.
 */
export interface VectorIndex {
  readonly dimensions: number;
  /** Live vectors. */
  readonly size: number;
  add(label: number, vector: Float32Array): void;
  remove(label: number): void;
  has(label: number): boolean;
  /** The at most k nearest live vectors, nearest first, ties by label; fewer when there are fewer. */
  search(query: Float32Array, k: number): Neighbour[];
}
