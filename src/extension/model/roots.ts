import { relative, sep } from 'node:path';

/** A file or folder below a workspace root. */
export interface RootedPath {
  readonly root: string;
  /** With forward slashes; empty for the root itself. */
  readonly path: string;
}

/** The deepest root that holds the file, or undefined when none does: every file belongs to one root. */
export function deepestRoot(file: string, roots: readonly string[]): RootedPath | undefined {
  let best: RootedPath | undefined;
  for (const root of roots) {
    const path = pathBelow(root, file);
    if (path !== undefined && (best === undefined || path.length < best.path.length)) best = { root, path };
  }
  return best;
}

/** The way from a folder down to something in it, with forward slashes; undefined when it is not in the folder. */
export function pathBelow(folder: string, file: string): string | undefined {
  const path = relative(folder, file);
  // On Windows a file on another drive keeps its absolute path.
  if (path === '..' || path.startsWith(`..${sep}`) || /^([A-Za-z]:|\\\\|\/)/.test(path)) return undefined;
  return sep === '\\' ? path.replaceAll('\\', '/') : path;
}

/** The folder of a path with forward slashes, '' at the top. */
export function parentOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')));
}

/** The last part of a path with forward slashes. */
export function baseOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** Rules that leave the roots inside `root` to themselves, in the syntax of .gitignore. */
export function nestedRootRules(root: string, roots: readonly string[]): string[] {
  return roots
    .map(other => pathBelow(root, other))
    .filter(path => path !== undefined && path !== '')
    .map(path => `/${escapeRule(String(path))}/`)
    .sort();
}

/** Takes the meaning of pattern characters away. */
function escapeRule(path: string): string {
  return path.replace(/[\\*?[\]!#]/g, '\\$&').replace(/ $/, '\\ ');
}
