import { setImmediate } from 'node:timers/promises';
import { throwIfAborted } from '../../util/errors';
import type { Catalog } from '../store/catalog';

const DELETE_AT_ONCE = 1000;

/** Deletes the contents that are not in use from the catalogue, in portions. @param used hashes. */
export async function dropSpareContents(
  catalog: Catalog,
  used: ReadonlySet<string>,
  signal?: AbortSignal,
): Promise<void> {
  const spare = [...catalog.contentHashes()].filter(hash => !used.has(hash));
  for (let at = 0; at < spare.length; at += DELETE_AT_ONCE) {
    throwIfAborted(signal);
    await catalog.write(spare.slice(at, at + DELETE_AT_ONCE).map(hash => ({ kind: 'deleteContent', hash }) as const));
    await setImmediate();
  }
}
