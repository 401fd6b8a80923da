import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Source code of the installed packages, which package-lock.json pins: the same text wherever it is installed. */
const FOLDER = join(process.cwd(), 'node_modules');
const SOURCE = /\.(ts|mts|cts|tsx|js|mjs|cjs|jsx|c|cc|cpp|h|py)$/;
const LEAST_BYTES = 200;
const MOST_BYTES = 500_000;
/** Longer lines on average are written by programs. */
const MOST_LINE = 120;
/** A shorter line says nothing about where it comes from. */
const TELLING_LINE = 16;
/** Packages ship the same code several times, for several systems of modules: a file of which more was seen is left out. */
const MOST_SEEN = 0.4;

export interface SourceFile {
  readonly path: string;
  readonly text: string;
  readonly lines: number;
}

/**
 * Files without near copies until there are so many lines, at most about a million, in an order that mixes the packages
 * and is always the same.
 */
export function pinnedSources(lines: number): SourceFile[] {
  const seen = new Set<string>();
  const chosen: SourceFile[] = [];
  let sum = 0;
  for (const path of mixed(sourcePaths(''))) {
    if (sum >= lines) break;
    const file = readNew(path, seen);
    if (file === undefined) continue;
    chosen.push(file);
    sum += file.lines;
  }
  return chosen;
}

export function writeSources(folder: string, files: readonly SourceFile[]): void {
  rmSync(folder, { recursive: true, force: true });
  for (const { path, text } of files) {
    const full = join(folder, path);
    mkdirSync(dirname(full), { recursive: true });
    writeFileSync(full, text);
  }
}

/** Tells one text from another: the first digits of a sha256 over paths and contents. */
export function digestOfSources(files: readonly SourceFile[]): string {
  const hash = createHash('sha256');
  for (const { path, text } of files) hash.update(`${path}\0${text}\0`);
  return hash.digest('hex').slice(0, 12);
}

export function bytesOf(files: readonly SourceFile[]): number {
  return files.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0);
}

export function linesOf(files: readonly SourceFile[]): number {
  return files.reduce((sum, { lines }) => sum + lines, 0);
}

/** Undefined for a file of another kind than hand-written source, and for one whose lines were seen for the most part. */
function readNew(path: string, seen: Set<string>): SourceFile | undefined {
  const full = join(FOLDER, path);
  const { size } = statSync(full);
  if (size < LEAST_BYTES || size > MOST_BYTES) return undefined;
  const text = readFileSync(full, 'utf8');
  const lines = text.split('\n');
  if (text.length / lines.length > MOST_LINE) return undefined;
  const telling = lines.map(line => line.trim()).filter(line => line.length >= TELLING_LINE);
  const known = telling.filter(line => seen.has(line)).length;
  if (telling.length === 0 || known > MOST_SEEN * telling.length) return undefined;
  for (const line of telling) seen.add(line);
  return { path, text, lines: lines.length };
}

function mixed(paths: readonly string[]): string[] {
  const order = (path: string): string => createHash('sha256').update(path).digest('hex');
  return paths
    .map(path => ({ path, order: order(path) }))
    .sort((one, other) => (one.order < other.order ? -1 : 1))
    .map(({ path }) => path);
}

/** Sorted by name, folder by folder. */
function sourcePaths(below: string): string[] {
  return readdirSync(join(FOLDER, below), { withFileTypes: true })
    .filter(({ name }) => !name.startsWith('.'))
    .sort((one, other) => (one.name < other.name ? -1 : 1))
    .flatMap(entry => {
      const path = below === '' ? entry.name : `${below}/${entry.name}`;
      if (entry.isDirectory()) return sourcePaths(path);
      return entry.isFile() && SOURCE.test(entry.name) ? [path] : [];
    });
}
