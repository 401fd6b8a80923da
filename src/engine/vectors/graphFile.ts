import { createHash } from 'node:crypto';
import { open, type FileHandle } from 'node:fs/promises';
import type { CacheFiles } from '../store/cacheFile';

/** `HierarchicalNSW::saveIndex` of hnswlib: thirteen fields, then all elements, then the upper layers' link lists. */
const HEADER = 96;
const AT_COUNT = 16;
const AT_ELEMENT_SIZE = 24;
const PORTION = 1 << 20;

/** What has to agree before the native library may see a graph file. */
export interface GraphFileInfo {
  readonly bytes: number;
  readonly sha256: string;
}

/** Files of the graph of this name. */
export function graphFiles(name: string): CacheFiles {
  return { name, ending: '.graph' };
}

/** Reads the whole file. Rejects with Node's own error when it cannot be read. */
export async function graphFileInfo(path: string): Promise<GraphFileInfo> {
  const file = await open(path, 'r');
  try {
    const hash = createHash('sha256');
    const buffer = Buffer.allocUnsafe(PORTION);
    let bytes = 0;
    for (;;) {
      const { bytesRead } = await file.read(buffer, 0, PORTION, bytes);
      if (bytesRead === 0) return { bytes, sha256: hash.digest('hex') };
      hash.update(buffer.subarray(0, bytesRead));
      bytes += bytesRead;
    }
  } finally {
    await file.close();
  }
}

/** Whether the file has the length that its own counts say: the library writes on when the disk is full. */
export async function isWholeGraphFile(path: string): Promise<boolean> {
  const file = await open(path, 'r');
  try {
    const { size } = await file.stat();
    const header = await readAt(file, 0, HEADER);
    if (header.length < HEADER) return false;
    const count = Number(header.readBigUInt64LE(AT_COUNT));
    const start = HEADER + count * Number(header.readBigUInt64LE(AT_ELEMENT_SIZE));
    if (!(start + count * 4 <= size)) return false;
    const lists = await readAt(file, start, size - start);
    let at = 0;
    for (let element = 0; element < count; element++) {
      if (at + 4 > lists.length) return false;
      at += 4 + lists.readUInt32LE(at);
    }
    return at === lists.length;
  } finally {
    await file.close();
  }
}

async function readAt(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const buffer = Buffer.alloc(length);
  const { bytesRead } = await file.read(buffer, 0, length, position);
  return buffer.subarray(0, bytesRead);
}
