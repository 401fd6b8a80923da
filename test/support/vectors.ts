import { unpackAt, packedBytes, quantizeInto } from '../../src/engine/vectors/quantization';

/** A repeatable source of numbers in [0, 1): mulberry32. */
export function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

export function unit(vector: Float32Array): Float32Array {
  const length = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
  return vector.map(value => value / length);
}

/** Vectors of length 1 in clusters, as embeddings of related texts are. */
export function clusteredVectors(dimensions: number, clusters: number, random: () => number): () => Float32Array {
  const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  const centres = Array.from({ length: clusters }, () => Float32Array.from({ length: dimensions }, normal));
  return () => unit(centres[Math.floor(random() * clusters)]!.map(value => value + 0.8 * normal()));
}

/** A vector as it comes back from the store: what rounding made of it. */
export function asStored(vector: Float32Array): Float32Array {
  const packed = new Uint8Array(packedBytes(vector.length));
  const scale = quantizeInto(vector, packed, 0);
  return unpackAt(packed, 0, vector.length, scale);
}
