import { mean } from './figures';

/** The scores of the same cases before and now, in the same order. */
export interface PairedSet {
  readonly before: readonly number[];
  readonly now: readonly number[];
}

/** Mean over sets of the mean loss over cases, with the bounds between which it lies in 95 % of the resamplings. */
export interface Loss {
  readonly loss: number;
  readonly lower: number;
  readonly upper: number;
}

const RESAMPLINGS = 2000;

/** Paired bootstrap: cases are drawn with replacement inside each set, by a generator with a fixed seed. */
export function pairedLoss(sets: readonly PairedSet[], seed = 1): Loss {
  const losses = sets.map(({ before, now }) => before.map((score, at) => score - (now[at] ?? 0)));
  const random = generator(seed);
  const drawn = Array.from({ length: RESAMPLINGS }, () =>
    mean(losses.map(values => mean(values.map(() => values[Math.floor(random() * values.length)] ?? 0)))),
  ).sort((a, b) => a - b);
  const at = (share: number): number => drawn[Math.min(drawn.length - 1, Math.floor(share * drawn.length))] ?? 0;
  return { loss: mean(losses.map(mean)), lower: at(0.025), upper: at(0.975) };
}

/** Mulberry32: numbers in [0, 1), the same for the same seed. */
function generator(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
