import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { TestContext } from 'node:test';

/** Relative paths with forward slashes → content; a path that ends in a slash is an empty folder. */
export type FileTree = Readonly<Record<string, string | Uint8Array>>;

/** Writes files below a folder that is there already. */
export function writeFileTree(folder: string, tree: FileTree): void {
  for (const [path, content] of Object.entries(tree)) {
    const full = join(folder, path);
    mkdirSync(path.endsWith('/') ? full : dirname(full), { recursive: true });
    if (!path.endsWith('/')) writeFileSync(full, content);
  }
}

/**
 * Makes a temporary folder with the given files, gives its real path and removes it when the test is over.
 * @param parent where; else where the system keeps such folders.
 */
export function makeFileTree(context: TestContext, tree: FileTree = {}, parent = tmpdir()): string {
  const folder = realpathSync(mkdtempSync(join(parent, 'landmark-test-')));
  context.after(() => rmSync(folder, { recursive: true, force: true }));
  writeFileTree(folder, tree);
  return folder;
}
