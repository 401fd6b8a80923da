import type { Bench } from '../bench';
import { queries } from './queries';

/** In the order in which they are run. */
export const BENCHES: readonly Bench[] = [queries];
