/** When a store's file is worth copying: to give unused room back, or to bring its tables together. */

/** A file with more unused room than this, and than half of itself, is copied to a smaller one. */
const SPARE_BYTES = 64 * 1024 * 1024;

/** What LMDB says of a tree. */
interface TreeStats {
  readonly pageSize: number;
  readonly treeBranchPageCount: number;
  readonly treeLeafPageCount: number;
  readonly overflowPages: number;
}

interface Tree {
  getStats(): unknown;
}

/** Bytes of the pages in use: of the root, whose stats name its free pages too, and of the tables below it. */
export function usedBytes(root: Tree, tables: Iterable<Tree>): number {
  const stats = root.getStats() as TreeStats & { readonly free: TreeStats };
  // Two pages of meta data.
  let pages = 2 + pagesOf(stats) + pagesOf(stats.free);
  for (const table of tables) pages += pagesOf(table.getStats() as TreeStats);
  return pages * stats.pageSize;
}

/** All in bytes. */
export function isWasteful(unused: number, size: number, spare = SPARE_BYTES): boolean {
  return unused > spare && unused > size / 2;
}

/**
 * Whether a file grew, by at least so much, to more than twice its size, all in bytes. What was written by turns lies
 * mixed then; a system that maps the neighbours of each page that is read maps what nobody asks for (on Linux 64 KB:
 * two thirds of the catalogue's mapped pages at 50,000 files).
 */
export function isScattered(before: number, now: number, least: number): boolean {
  return now - before > Math.max(least, before);
}

function pagesOf({ treeBranchPageCount, treeLeafPageCount, overflowPages }: TreeStats): number {
  return treeBranchPageCount + treeLeafPageCount + overflowPages;
}
