/**
 * The layout of an LMDB data file as the `lmdb` package writes it (liblmdb with data version 2, little-endian,
 * 64-bit): `struct MDB_page`, `MDB_meta`, `MDB_db` and `MDB_node` in its `mdb.c`.
 */

export const PAGE_HEADER = 24;
export const FLAG_BRANCH = 0x01;
export const FLAG_LEAF = 0x02;
export const FLAG_OVERFLOW = 0x04;
const FLAG_META = 0x08;
const MAGIC = 0xbeefc0de;
const DATA_VERSION = 2;
const META_END = PAGE_HEADER + 144;
const MIN_PAGE = 512;
const MAX_PAGE = 65536;

/** Bytes to read at the start of a page to see its meta data. */
export const META_BYTES = META_END;

/** A tree of pages: `root` is undefined when it is empty. */
export interface TreeInfo {
  readonly depth: number;
  readonly flags: number;
  readonly entries: number;
  readonly root: number | undefined;
}

export interface MetaPage {
  readonly pageSize: number;
  readonly freePages: TreeInfo;
  readonly main: TreeInfo;
  readonly lastPage: number;
  readonly transaction: number;
}

/** The stamp that LMDB looks at before it believes the first page. */
export function hasStamp(bytes: Buffer): boolean {
  return (
    bytes.length >= META_END &&
    (bytes.readUInt16LE(18) & FLAG_META) !== 0 &&
    bytes.readUInt32LE(PAGE_HEADER) === MAGIC &&
    (bytes.readUInt32LE(PAGE_HEADER + 4) & 0xffff) === DATA_VERSION
  );
}

/** Undefined when the numbers cannot be those of a meta page. */
export function readMeta(bytes: Buffer): MetaPage | undefined {
  if (bytes.length < META_END) return undefined;
  const pageSize = bytes.readUInt32LE(48);
  const lastPage = readNumber(bytes, 144);
  const transaction = readNumber(bytes, 152);
  const freePages = readTree(bytes, 48);
  const main = readTree(bytes, 96);
  const powerOfTwo = pageSize >= MIN_PAGE && pageSize <= MAX_PAGE && (pageSize & (pageSize - 1)) === 0;
  if (!powerOfTwo || !freePages || !main || lastPage === undefined || transaction === undefined) return undefined;
  if (lastPage < 1 || [freePages, main].some(tree => tree.root !== undefined && !inside(tree.root, lastPage))) {
    return undefined;
  }
  return { pageSize, freePages, main, lastPage, transaction };
}

/** `struct MDB_db`: page size or zero, flags, depth, three page counts, entries, root. */
export function readTree(bytes: Buffer, at: number): TreeInfo | undefined {
  const flags = bytes.readUInt16LE(at + 4);
  const depth = bytes.readUInt16LE(at + 6);
  const entries = readNumber(bytes, at + 32);
  const empty = bytes.readBigUInt64LE(at + 40) === 0xffffffffffffffffn;
  const root = empty ? undefined : readNumber(bytes, at + 40);
  if (entries === undefined || (!empty && root === undefined)) return undefined;
  return { depth, flags, entries, root };
}

function inside(page: number, lastPage: number): boolean {
  return page >= 2 && page <= lastPage;
}

/** An unsigned 64-bit number, undefined when it is not a safe integer. */
export function readNumber(bytes: Buffer, at: number): number | undefined {
  const value = bytes.readUInt32LE(at + 4) * 0x100000000 + bytes.readUInt32LE(at);
  return Number.isSafeInteger(value) ? value : undefined;
}
