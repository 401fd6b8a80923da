import { isAbsolute, relative, sep } from 'node:path';

/** A path with forward slashes, whatever the system's separator is. On Linux a backslash is part of a name and stays. */
export function withForwardSlashes(path: string, separator: string = sep): string {
  return separator === '\\' ? path.replaceAll('\\', '/') : path;
}

/** True where `path` is `folder` or lies in it, by whole segments: `/foobar` is not in `/foo`. Both absolute. */
export function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}

/** True for a path that names something below its folder: not absolute, not empty, no `.` or `..` among its segments. */
export function isPlainRelative(path: string): boolean {
  return path.split('/').every(segment => segment !== '' && segment !== '.' && segment !== '..');
}

/** `folder` and `name` with a slash between, where the top folder is the empty path. */
export function joinPath(folder: string, name: string): string {
  return folder === '' ? name : `${folder}/${name}`;
}

/** The path of the folder that a path is in, '' at the top. */
export function parentOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')));
}

/** The last segment of a path. */
export function baseOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** The order of paths everywhere: by code unit, the same on every machine. */
export function comparePaths(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
