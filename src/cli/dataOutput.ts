import type { DataReport, StoredFolder } from '../engine/types';
import { formatBytes } from './output';
import { printable } from '../util/text';

const NOTES: Readonly<Record<StoredFolder['state'], string>> = {
  here: '',
  gone: '  (gone)',
  unreachable: '  (cannot be reached)',
};

/** A line for each index, one for what they share, one for all together. */
export function dataText({ dataDir, folders, vectors, putAside, bytes, removed }: DataReport): string {
  const rows: [string, string][] = folders.map(({ folder, bytes: size, usedAt, state }) => [
    formatBytes(size),
    `${new Date(usedAt).toISOString().slice(0, 10)}  ${printable(folder)}${NOTES[state]}`,
  ]);
  if (vectors > 0) rows.push([formatBytes(vectors), 'vectors, shared by all folders']);
  if (putAside > 0) rows.push([formatBytes(putAside), 'of these in damaged files that were put aside']);
  rows.push([formatBytes(bytes), `altogether in ${printable(dataDir)}`]);
  const width = Math.max(...rows.map(([size]) => size.length));
  const lines = rows.map(([size, what]) => `${size.padStart(width)}  ${what}`);
  if (removed !== undefined) {
    const indexes = `${removed.folders.length} index${removed.folders.length === 1 ? '' : 'es'}`;
    const windows = `${removed.windows} window${removed.windows === 1 ? '' : 's'}`;
    lines.push(`Deleted: ${indexes} of folders that are gone, ${windows}; ${formatBytes(removed.bytes)} given back.`);
    for (const folder of removed.folders) lines.push(`  ${printable(folder)}`);
  } else if (putAside > 0 || folders.some(({ state }) => state === 'gone')) {
    lines.push('"landmark data clean" deletes what belongs to folders that are gone, and what was put aside.');
  }
  return `${lines.join('\n')}\n`;
}
