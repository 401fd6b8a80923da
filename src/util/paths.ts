/** Is the path one of the given ones, or below one that is a folder? `a` has `a/b`, not `ab`; '' has everything. */
export function isBelowAny(path: string, folders: readonly string[]): boolean {
  return folders.some(folder => folder === '' || path === folder || path.startsWith(`${folder}/`));
}
