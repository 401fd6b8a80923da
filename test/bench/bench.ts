import type { Findings } from './report';

export interface BenchOptions {
  /** Everything that takes long, as far as it goes: a million lines, 100,000 files. */
  readonly full: boolean;
  /** Little of everything, for the check by `gates.ts`: nothing is kept. */
  readonly short: boolean;
  /** Make what can be kept between runs (trees, indexes) and measure nothing. */
  readonly prepare: boolean;
  /** Sizes instead of the usual ones. */
  readonly sizes: readonly number[] | undefined;
  /** Write processor profiles of what is measured into `out/bench/profiles`. */
  readonly profile: boolean;
  /** Where trees and indexes are kept between runs. */
  readonly cache: string;
}

export interface Bench {
  /** How the command line calls it; also its file in the report. */
  readonly name: string;
  readonly title: string;
  /** Undefined where it was only prepared. */
  run(options: BenchOptions): Promise<Findings | undefined>;
}

/** On stderr, so that it is seen while it goes on. */
export function say(sentence: string): void {
  process.stderr.write(`${sentence}\n`);
}
