/**
 * Known files and folders that are called as one of the given paths but for the case of letters. Where the file system
 * does not tell cases apart, an event may name a file otherwise than the index does, and after `foo.ts` became `Foo.ts`
 * the former name still leads to a file; looking at these too finds out. Elsewhere they are files of their own, and
 * looking at them costs little.
 */
export function otherSpellings(paths: readonly string[], known: Iterable<string>): string[] {
  const given = new Set(paths);
  const folded = new Set(paths.map(fold));
  const others = new Set<string>();
  for (const path of known) {
    const lower = fold(path);
    // Folding may change lengths, so the segments are counted and not the letters.
    const segments = path.split('/');
    for (let end = lower.indexOf('/'), count = 1; count <= segments.length; count++) {
      const way = end < 0 ? lower : lower.slice(0, end);
      if (folded.has(way)) others.add(segments.slice(0, count).join('/'));
      end = end < 0 ? -1 : lower.indexOf('/', end + 1);
    }
  }
  return [...others].filter(path => !given.has(path));
}

function fold(path: string): string {
  return path.toLowerCase();
}
