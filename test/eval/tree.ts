import { copyFileSync, lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { isCorpusContent, isSourcePath } from '../../src/engine/evaluation/corpusRule';

/** Copies the files of a folder that belong to the corpus, by the same rule as for repositories, into an empty one. */
export function copyCorpus(from: string, to: string, roots: readonly string[]): number {
  rmSync(to, { recursive: true, force: true });
  let count = 0;
  for (const entry of readdirSync(from, { recursive: true })) {
    const path = String(entry).split(sep).join('/');
    const full = join(from, path);
    if (!isSourcePath(path, roots) || !lstatSync(full).isFile() || !isCorpusContent(readFileSync(full))) continue;
    mkdirSync(dirname(join(to, path)), { recursive: true });
    copyFileSync(full, join(to, path));
    count++;
  }
  return count;
}

/** Writes a corpus into an empty folder. */
export function writeCorpus(files: ReadonlyMap<string, Buffer>, folder: string): void {
  rmSync(folder, { recursive: true, force: true });
  for (const [path, content] of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
}
