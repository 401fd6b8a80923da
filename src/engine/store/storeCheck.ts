import { open, type FileHandle } from 'node:fs/promises';
import { LandmarkError, messageOf, systemCode } from '../../util/errors';
import { hasStamp, META_BYTES, type MetaPage, readMeta } from './storeFormat';
import { findDamagedPage } from './storePages';

export type StoreState = 'absent' | 'ok' | { readonly damaged: string };

export interface StoreCheckOptions {
  /** Walk all pages whatever the meta pages say: after a process ended without closing the store. */
  readonly deep?: boolean;
}

/** Up to this size all pages are walked at every opening (0.3 ms a MiB). */
const ALWAYS_WALK_BYTES = 64 * 1024 * 1024;

/**
 * Looks at an LMDB data file without LMDB, which trusts its file and reads through a memory map: a wrong page number
 * there ends the process. Reads only.
 *
 * The meta page that LMDB would choose (the higher transaction number) has to be plausible; the other one may be torn.
 * A file that is not a whole number of pages, or shorter than its last page says, is not damaged yet: free pages at
 * the end need not have been written, and a full disk leaves half a page behind. Then the pages in use decide.
 */
export async function checkStoreFile(path: string, { deep = false }: StoreCheckOptions = {}): Promise<StoreState> {
  let file: FileHandle;
  try {
    file = await open(path, 'r');
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return 'absent';
    throw new LandmarkError('no-permission', `The index file ${path} cannot be read (${messageOf(error)}).`, {
      cause: error,
    });
  }
  try {
    return await checkOpenFile(file, deep);
  } finally {
    await file.close();
  }
}

async function checkOpenFile(file: FileHandle, deep: boolean): Promise<StoreState> {
  const { size } = await file.stat();
  // LMDB creates the file empty and then writes two pages: a process that ended in between left nothing to lose.
  if (size === 0) return 'absent';
  const meta = await chosenMeta(file);
  if (typeof meta === 'string') return { damaged: meta };
  if (size < 2 * meta.pageSize) return { damaged: 'it ends before its second page' };
  const suspicious = size % meta.pageSize !== 0 || size < (meta.lastPage + 1) * meta.pageSize;
  if (deep || suspicious || size <= ALWAYS_WALK_BYTES) {
    const damage = await findDamagedPage(file, meta, Math.floor(size / meta.pageSize));
    if (damage) return { damaged: damage };
  }
  return 'ok';
}

async function chosenMeta(file: FileHandle): Promise<MetaPage | string> {
  const first = await readStart(file, 0);
  if (!hasStamp(first)) return 'it does not start like a store';
  // LMDB finds the second meta page with the page size that the first one names.
  const pageSize = first.readUInt32LE(48);
  const one = readMeta(first);
  const second = await readStart(file, pageSize);
  if (second.length < META_BYTES) return 'it ends before its second page';
  const newer = second.readBigUInt64LE(152) > first.readBigUInt64LE(152) ? second : first;
  const chosen = newer === first ? one : readMeta(second);
  if (!chosen) return 'its newest meta page is not plausible';
  if (chosen.pageSize !== pageSize) return 'its meta pages disagree about the size of a page';
  return chosen;
}

async function readStart(file: FileHandle, position: number): Promise<Buffer> {
  const buffer = Buffer.alloc(META_BYTES);
  const { bytesRead } = await file.read(buffer, 0, META_BYTES, position);
  return buffer.subarray(0, bytesRead);
}
