import type { Bench } from '../bench';
import { editor } from './editor';
import { freshness } from './freshness';
import { graph } from './graph';
import { indexing } from './indexing';
import { million } from './million';
import { packageSize } from './package';
import { processors } from './processors';
import { queries } from './queries';

/** In the order in which they are run. */
export const BENCHES: readonly Bench[] = [
  queries,
  freshness,
  indexing,
  million,
  graph,
  editor,
  packageSize,
  processors,
];
