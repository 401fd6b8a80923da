/**
 * How many of the first items of a list a test holds for, by binary search: it must hold for none after one for which it
 * does not. With `item => item < value` on an ascending list the place where `value` stands or belongs.
 */
export function countLeading<T>(items: ArrayLike<T>, holds: (item: T) => boolean): number {
  let low = 0;
  let high = items.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(items[middle] as T)) low = middle + 1;
    else high = middle;
  }
  return low;
}
