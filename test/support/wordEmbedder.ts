import type { Embedder } from '../../src/engine/model/embedder';
import { throwIfAborted } from '../../src/util/errors';
import { randomNumbers } from './vectors';

/** A stand-in for the model: a landmark's vector is the sum of random directions, one for each token of its chunk. */
export class WordEmbedder implements Embedder {
  /** Windows embedded so far. */
  windows = 0;
  /** Awaited before every call: a test can hold the embedding up or let it fail. */
  gate: () => Promise<void> = () => Promise.resolve();
  private readonly directions = new Map<number, Float32Array>();

  constructor(
    readonly dimensions: number,
    private readonly k: number,
  ) {}

  async embed(windows: readonly Int32Array[], signal?: AbortSignal): Promise<Float32Array[]> {
    await this.gate();
    throwIfAborted(signal);
    this.windows += windows.length;
    return windows.map(ids => this.landmarks(ids));
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  private landmarks(ids: Int32Array): Float32Array {
    const count = Math.max(1, Math.ceil(ids.length / this.k));
    const rows = new Float32Array(count * this.dimensions).fill(0.001);
    for (const [at, id] of ids.entries()) {
      const start = Math.floor(at / this.k) * this.dimensions;
      const direction = this.direction(id);
      for (let d = 0; d < this.dimensions; d++) rows[start + d]! += direction[d]!;
    }
    return rows;
  }

  private direction(id: number): Float32Array {
    const known = this.directions.get(id);
    if (known !== undefined) return known;
    const random = randomNumbers(id);
    const made = Float32Array.from({ length: this.dimensions }, () => random() - 0.5);
    this.directions.set(id, made);
    return made;
  }
}
