import { type ErrorReason, LandmarkError, messageOf } from '../../util/errors';
import type { Catalog } from '../store/catalog';
import type { IndexReport } from '../types';

/** A change of an index, as it is asked for. */
export type Order =
  | { readonly kind: 'sync'; readonly rebuild: boolean }
  | { readonly kind: 'update'; readonly paths: readonly string[] }
  | { readonly kind: 'clear' };

/** An order that another process has handed over, under the ticket by which it waits for what comes of it. */
export interface HandedOver {
  readonly ticket: string;
  readonly order: Order;
}

/** What came of an order. */
export type Outcome = { readonly ticket: string } & (
  { readonly report: IndexReport } | { readonly failure: { readonly reason: ErrorReason; readonly message: string } }
);

/** Starts an entry of the queue that is an order rather than a path: no relative path starts like this. */
const MARK = '//';
const OUTCOMES_META = 'outcomes';
/** Whoever has not looked by then asks again. */
const KEPT_OUTCOMES = 50;

/** Puts an order into the queue of the process that owns the index. Paths come before the mark that ends their order. */
export async function handOver(catalog: Catalog, { ticket, order }: HandedOver): Promise<void> {
  const kind = order.kind === 'sync' && order.rebuild ? 'rebuild' : order.kind;
  const paths = order.kind === 'update' ? order.paths.filter(path => !path.startsWith(MARK)) : [];
  await catalog.enqueue([...paths, `${MARK}${kind} ${ticket}`]);
}

/** Takes the orders out of the queue, in the order of their arrival. */
export async function takeOrders(catalog: Catalog): Promise<HandedOver[]> {
  return readOrders(await catalog.takeQueue());
}

/** The orders that entries of the queue stand for. A path that two orders name is looked at by the first of them. */
export function readOrders(entries: readonly string[]): HandedOver[] {
  const orders: HandedOver[] = [];
  let paths: string[] = [];
  for (const entry of entries) {
    if (!entry.startsWith(MARK)) {
      paths.push(entry);
      continue;
    }
    const [kind, ticket = ''] = entry.slice(MARK.length).split(' ');
    if (kind === 'update') orders.push({ ticket, order: { kind, paths } });
    else if (kind === 'clear') orders.push({ ticket, order: { kind } });
    else orders.push({ ticket, order: { kind: 'sync', rebuild: kind === 'rebuild' } });
    if (kind === 'update') paths = [];
  }
  return orders;
}

/** Tells the process that waits. */
export async function recordOutcome(catalog: Catalog, outcome: Outcome): Promise<void> {
  catalog.generation(); // the outcomes as they are now
  const kept = outcomes(catalog).slice(-KEPT_OUTCOMES + 1);
  await catalog.write([{ kind: 'putMeta', key: OUTCOMES_META, value: [...kept, outcome] }]);
}

/** @throws LandmarkError what the owner ran into. */
export function outcomeOf(catalog: Catalog, ticket: string): IndexReport | undefined {
  const outcome = outcomes(catalog).find(one => one.ticket === ticket);
  if (outcome === undefined) return undefined;
  if ('failure' in outcome) throw new LandmarkError(outcome.failure.reason, outcome.failure.message);
  return outcome.report;
}

export function failedOutcome(ticket: string, error: unknown): Outcome {
  const reason = error instanceof LandmarkError ? error.reason : 'internal';
  return { ticket, failure: { reason, message: messageOf(error) } };
}

function outcomes(catalog: Catalog): readonly Outcome[] {
  return (catalog.getMeta(OUTCOMES_META) ?? []) as readonly Outcome[];
}
