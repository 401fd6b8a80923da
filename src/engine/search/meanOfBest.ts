/** Landmarks of a file that speak for it: of 1, 3, 5 and 10 these gave the best ranking on questions in plain words. */
const SPEAKING = 5;

/** Work space: a query asks for some thousand means. */
const best = new Float64Array(SPEAKING);

/**
 * Mean of the five best of the first `length` similarities, of all where there are fewer; NaN (not embedded) aside, NaN
 * without any.
 */
export function meanOfBest(similarities: Float32Array, length = similarities.length): number {
  let count = 0;
  for (let next = 0; next < length; next++) {
    const value = similarities[next] as number;
    const isWorse = count === SPEAKING && value <= (best[SPEAKING - 1] as number);
    if (isWorse || Number.isNaN(value)) continue;
    let at = count < SPEAKING ? count++ : SPEAKING - 1;
    for (; at > 0 && (best[at - 1] as number) < value; at--) best[at] = best[at - 1] as number;
    best[at] = value;
  }
  let sum = 0;
  for (let at = 0; at < count; at++) sum += best[at] as number;
  return sum / count;
}
