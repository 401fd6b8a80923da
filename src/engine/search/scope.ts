import { IgnorePatterns } from '../files/ignorePatterns';

/**
 * Makes a test for paths of a folder, a file or a glob. A scope that names an existing folder or file is that one,
 * whatever special characters it has; else it is a pattern with the meaning it has in a .gitignore file (`*.ts` is at
 * any depth, `src/*.ts` is not).
 * @param paths all searchable paths.
 */
export function scopeFilter(scope: string, paths: Iterable<string>): (path: string) => boolean {
  const plain = scope.replaceAll('\\', '/').replace(/^\.\//, '').replace(/\/+$/, '');
  if (plain === '' || plain === '.') return () => true;
  const folder = `${plain}/`;
  for (const path of paths) {
    if (path === plain || path.startsWith(folder))
      return candidate => candidate === plain || candidate.startsWith(folder);
  }
  const patterns = IgnorePatterns.empty(false).with(plain, '');
  return path => patterns.test(path, false) !== undefined;
}
