import { LandmarkError } from '../../util/errors';
import type { SnapshotSink, SnapshotSource } from '../store/snapshot';

/** Writes the sums that an index keeps besides its lists, in an order of its own. */
export async function saveTotals(sink: SnapshotSink, name: string, totals: readonly number[]): Promise<void> {
  await sink.json(`${name}.totals`, totals);
}

/** Reads `length` of them back. @throws LandmarkError `store-damaged` where there are others. */
export async function restoreTotals(source: SnapshotSource, name: string, length: number): Promise<readonly number[]> {
  const totals = await source.json(`${name}.totals`);
  if (!Array.isArray(totals) || totals.length !== length || !totals.every(isTotal)) {
    throw new LandmarkError('store-damaged', `The part ${name}.totals of a snapshot does not hold ${length} sums.`);
  }
  return totals;
}

function isTotal(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}
