import { readSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  FLAG_BRANCH,
  FLAG_LEAF,
  FLAG_OVERFLOW,
  type MetaPage,
  PAGE_HEADER,
  readNumber,
  readTree,
  type TreeInfo,
} from './storeFormat';

const NODE_HEADER = 8;
const NODE_BIG = 0x01;
const NODE_TREE = 0x02;
const OVERFLOW_REFERENCE = 24;
const TREE_INFO = 48;
const TREE_INTEGER_KEYS = 0x08;
/** LMDB's own limit on the depth of its cursor stack. */
const MAX_DEPTH = 32;
/** Pages are read with blocking calls, which is twenty times faster for this many small reads; about 10 ms a turn. */
const PAGES_A_TURN = 1500;

/**
 * Walks all pages that are in use and returns a phrase about the first one that LMDB must not see, else undefined.
 * What is checked is what a damaged byte could make LMDB follow: page numbers and kinds, the places and lengths of
 * the nodes, the order of the keys, free pages that are in use. Values are left to their checksums.
 * @param pages whole pages in the file.
 */
export async function findDamagedPage(file: FileHandle, meta: MetaPage, pages: number): Promise<string | undefined> {
  try {
    const walk = new PageWalk(file, meta, pages);
    await walk.tree(meta.main, true);
    await walk.freePages(meta.freePages);
    return undefined;
  } catch (error) {
    if (error instanceof DamagedPage) return error.message;
    throw error;
  }
}

class DamagedPage extends Error {}

interface Bounds {
  readonly from: Buffer | undefined;
  readonly to: Buffer | undefined;
}
const NO_BOUNDS: Bounds = { from: undefined, to: undefined };

class PageWalk {
  private readonly used: Uint8Array;
  private readonly end: number;
  private visited = 0;

  constructor(
    private readonly file: FileHandle,
    private readonly meta: MetaPage,
    pages: number,
  ) {
    this.end = Math.min(pages, meta.lastPage + 1);
    this.used = new Uint8Array(this.end);
  }

  /** @param named whether the leaves of this tree describe further trees. */
  async tree(tree: TreeInfo, named = false): Promise<void> {
    const tables: TreeInfo[] = [];
    await this.visit(tree, (tree.flags & TREE_INTEGER_KEYS) === 0, node => {
      if (!(node.flags & NODE_TREE)) return;
      const table = named && node.data.length === TREE_INFO ? readTree(node.data, 0) : undefined;
      if (!table) throw new DamagedPage(`page ${node.page} describes a table that cannot be`);
      tables.push(table);
    });
    for (const table of tables) await this.tree(table);
  }

  /** Lists of page numbers; a negative number is the length of a run and stands before its first page. */
  async freePages(tree: TreeInfo): Promise<void> {
    await this.visit(tree, false, node => {
      const list = node.flags & NODE_BIG ? this.bigValue(node) : node.data;
      const count = list.length >= 8 ? readNumber(list, 0) : undefined;
      if (count === undefined || list.length % 8 !== 0 || count >= list.length / 8) {
        throw new DamagedPage(`page ${node.page} holds a list of free pages that cannot be`);
      }
      for (let at = 8; at <= count * 8; at += 8) {
        const entry = Number(list.readBigInt64LE(at));
        if (Math.abs(entry) > this.meta.lastPage || this.used[entry] === 1) {
          throw new DamagedPage(`page ${node.page} calls page ${entry} free`);
        }
      }
    });
  }

  private async visit(tree: TreeInfo, ordered: boolean, leaf: (node: Node) => void): Promise<void> {
    if (tree.root === undefined) return;
    const stack: { page: number; level: number; bounds: Bounds }[] = [{ page: tree.root, level: 1, bounds: NO_BOUNDS }];
    for (let next = stack.pop(); next; next = stack.pop()) {
      const { page, level, bounds } = next;
      if (level > Math.min(tree.depth, MAX_DEPTH)) throw new DamagedPage(`page ${page} lies too deep`);
      if (++this.visited % PAGES_A_TURN === 0) await nextTurn();
      const nodes = this.nodesOf(page, level === tree.depth, bounds, ordered);
      for (let at = 0; at < nodes.length; at++) {
        const node = nodes[at]!;
        if (node.child === undefined) {
          if (node.flags & NODE_BIG) this.claimOverflow(node);
          leaf(node);
        } else {
          const from = at === 0 ? bounds.from : node.key;
          stack.push({ page: node.child, level: level + 1, bounds: { from, to: nodes[at + 1]?.key ?? bounds.to } });
        }
      }
    }
  }

  private nodesOf(page: number, leaf: boolean, bounds: Bounds, ordered: boolean): Node[] {
    this.claim(page, 1);
    const bytes = this.read(page * this.meta.pageSize, this.meta.pageSize);
    const kind = bytes.readUInt16LE(18) & (FLAG_BRANCH | FLAG_LEAF | FLAG_OVERFLOW);
    if (readNumber(bytes, 0) !== page || kind !== (leaf ? FLAG_LEAF : FLAG_BRANCH)) {
      throw new DamagedPage(`page ${page} is not what its parent says`);
    }
    const lower = bytes.readUInt16LE(20);
    const upper = bytes.readUInt16LE(22);
    const count = lower >> 1;
    if (lower % 2 !== 0 || lower > upper || upper > bytes.length - PAGE_HEADER || count < 1) {
      throw new DamagedPage(`page ${page} has impossible limits`);
    }
    const nodes: Node[] = [];
    let last = bounds.from;
    for (let at = 0; at < count; at++) {
      const node = readNode(bytes, page, bytes.readUInt16LE(PAGE_HEADER + at * 2), lower, leaf);
      // The first key of a branch page stands for everything smaller and is often empty.
      if (ordered && (leaf || at > 0)) {
        const order = last ? Buffer.compare(last, node.key) : -1;
        const first = at === 0 || (!leaf && at === 1);
        if (order > 0 || (order === 0 && !first) || (bounds.to && Buffer.compare(node.key, bounds.to) >= 0)) {
          throw new DamagedPage(`the keys of page ${page} are out of order`);
        }
        last = node.key;
      }
      nodes.push(node);
    }
    return nodes;
  }

  private claimOverflow(node: Node): void {
    const first = readNumber(node.data, 0) ?? 0;
    const count = readNumber(node.data, 16) ?? 0;
    this.claim(first, count);
    const head = this.read(first * this.meta.pageSize, PAGE_HEADER);
    const { pageSize } = this.meta;
    const enough = count === Math.ceil((PAGE_HEADER + node.size) / pageSize);
    if (
      !enough ||
      readNumber(head, 0) !== first ||
      !(head.readUInt16LE(18) & FLAG_OVERFLOW) ||
      head.readUInt32LE(20) !== count
    ) {
      throw new DamagedPage(`page ${first} does not hold the value that page ${node.page} says`);
    }
  }

  private bigValue(node: Node): Buffer {
    const first = readNumber(node.data, 0) ?? 0;
    return this.read(first * this.meta.pageSize + PAGE_HEADER, node.size);
  }

  private claim(first: number, count: number): void {
    if (first < 2 || count < 1 || first + count > this.end) throw new DamagedPage(`page ${first} is not in the file`);
    for (let page = first; page < first + count; page++) {
      if (this.used[page] === 1) throw new DamagedPage(`page ${page} is used twice`);
      this.used[page] = 1;
    }
  }

  private read(position: number, length: number): Buffer {
    const buffer = Buffer.allocUnsafe(length);
    const bytesRead = readSync(this.file.fd, buffer, 0, length, position);
    if (bytesRead < length) throw new DamagedPage(`page ${Math.floor(position / this.meta.pageSize)} is cut off`);
    return buffer;
  }
}

/** A node of a branch page has a child, one of a leaf page has data (a reference when the value is a big one). */
interface Node {
  readonly page: number;
  readonly key: Buffer;
  readonly flags: number;
  readonly child: number | undefined;
  readonly size: number;
  readonly data: Buffer;
}

function readNode(bytes: Buffer, page: number, offset: number, lower: number, leaf: boolean): Node {
  const at = PAGE_HEADER + offset;
  const bad = () => new DamagedPage(`page ${page} has an entry outside of itself`);
  if (offset < lower || at + NODE_HEADER > bytes.length) throw bad();
  const low = bytes.readUInt32LE(at);
  const flags = bytes.readUInt16LE(at + 4);
  const start = at + NODE_HEADER + bytes.readUInt16LE(at + 6);
  const length = leaf ? (flags & NODE_BIG ? OVERFLOW_REFERENCE : low) : 0;
  if (start + length > bytes.length) throw bad();
  return {
    page,
    key: bytes.subarray(at + NODE_HEADER, start),
    flags: leaf ? flags : 0,
    child: leaf ? undefined : low + flags * 0x100000000,
    size: low,
    data: bytes.subarray(start, start + length),
  };
}
