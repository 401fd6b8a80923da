/** Dot product of two vectors of one length; the cosine where both are L2-normalised. */
export function dot(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let at = 0; at < a.length; at++) sum += (a[at] as number) * (b[at] as number);
  return sum;
}

/** A new vector of length 1 in the same direction; zeros stay zeros. */
export function l2Normalize(vector: Float32Array): Float32Array {
  const norm = Math.sqrt(dot(vector, vector));
  return norm > 0 ? vector.map(value => value / norm) : vector.slice();
}

/** Cosine of two vectors of any length, in [-1, 1]; 0 where one is all zeros. */
export function cosine(a: Float32Array, b: Float32Array): number {
  const norms = Math.sqrt(dot(a, a) * dot(b, b));
  return norms > 0 ? Math.max(-1, Math.min(1, dot(a, b) / norms)) : 0;
}
