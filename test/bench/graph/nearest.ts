/** Positions of the k most similar rows of a matrix, by dot product, most similar first. */
export function nearestRows(rows: readonly ArrayLike<number>[], query: ArrayLike<number>, k: number): number[] {
  const similarities = Float64Array.from(rows, row => {
    let sum = 0;
    for (let at = 0; at < query.length; at++) sum += (row[at] ?? 0) * (query[at] ?? 0);
    return sum;
  });
  const order = Array.from(similarities.keys());
  return order.sort((one, other) => (similarities[other] ?? 0) - (similarities[one] ?? 0) || one - other).slice(0, k);
}

/** The share of the wanted that was found. */
export function recallOf(found: readonly unknown[], wanted: readonly unknown[]): number {
  const known = new Set(found);
  return wanted.filter(one => known.has(one)).length / wanted.length;
}

/** The nearest 16-bit floating-point number (IEEE 754 binary16) to a number of moderate size. */
export function toHalf(value: number): number {
  if (value === 0) return 0;
  const quantum = 2 ** (Math.max(-14, Math.floor(Math.log2(Math.abs(value)))) - 10);
  return Math.round(value / quantum) * quantum;
}
