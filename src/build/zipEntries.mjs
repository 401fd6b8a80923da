import { inflateRawSync } from 'node:zlib';

const END_OF_DIRECTORY = 0x06054b50;
const DIRECTORY_ENTRY = 0x02014b50;
const LOCAL_ENTRY = 0x04034b50;
const ENTRY_BYTES = 46;
const LOCAL_BYTES = 30;
const END_BYTES = 22;
const STORED = 0;
const DEFLATED = 8;

/**
 * The entries of a ZIP archive by its central directory (PKWARE APPNOTE 4.3.12): [{ name, size, read }], size unpacked,
 * `read()` gives the content. Archives of more than 4 GB are not meant.
 */
export function zipEntries(archive) {
  let end = archive.length - END_BYTES;
  while (end >= 0 && archive.readUInt32LE(end) !== END_OF_DIRECTORY) end--;
  if (end < 0) throw new Error('this is no ZIP archive');
  const entries = [];
  let at = archive.readUInt32LE(end + 16);
  for (let left = archive.readUInt16LE(end + 10); left > 0; left--) {
    if (archive.readUInt32LE(at) !== DIRECTORY_ENTRY) throw new Error('the directory of the ZIP archive is damaged');
    const nameBytes = archive.readUInt16LE(at + 28);
    const name = archive.toString('utf8', at + ENTRY_BYTES, at + ENTRY_BYTES + nameBytes);
    const place = {
      method: archive.readUInt16LE(at + 10),
      packed: archive.readUInt32LE(at + 20),
      start: archive.readUInt32LE(at + 42),
    };
    entries.push({ name, size: archive.readUInt32LE(at + 24), read: () => contentOf(archive, name, place) });
    at += ENTRY_BYTES + nameBytes + archive.readUInt16LE(at + 30) + archive.readUInt16LE(at + 32);
  }
  return entries;
}

function contentOf(archive, name, { method, packed, start }) {
  if (archive.readUInt32LE(start) !== LOCAL_ENTRY) throw new Error(`${name} is not where the ZIP archive says`);
  const from = start + LOCAL_BYTES + archive.readUInt16LE(start + 26) + archive.readUInt16LE(start + 28);
  const bytes = archive.subarray(from, from + packed);
  if (method === STORED) return bytes;
  if (method === DEFLATED) return inflateRawSync(bytes);
  throw new Error(`${name} is packed by an unknown method`);
}
