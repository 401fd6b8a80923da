/**
 * The editor's exclude globs (`files.exclude`, `search.exclude`) as rules in the syntax of .gitignore.
 * A glob is anchored at the folder unless it begins with two stars; a rule without a slash would match at any depth.
 * Globs with a condition (`{ "when": … }`) hide files beside others and say nothing about indexing: they are left out.
 */
export function rulesFromGlobs(globs: Readonly<Record<string, unknown>> | undefined): string[] {
  return Object.entries(globs ?? {})
    .filter(([glob, on]) => on === true && glob !== '')
    .flatMap(([glob]) => expandBraces(glob))
    .map(glob => (glob.startsWith('**/') || glob.startsWith('/') ? glob : `/${glob}`));
}

/** `a.{b,c}` becomes `a.b` and `a.c`; .gitignore has no braces. */
export function expandBraces(glob: string): string[] {
  const open = glob.indexOf('{');
  if (open < 0) return [glob];
  let depth = 0;
  const cuts = [open];
  for (let at = open; at < glob.length; at++) {
    const character = glob[at];
    if (character === '{') depth++;
    else if (character === ',' && depth === 1) cuts.push(at);
    else if (character === '}' && --depth === 0) {
      cuts.push(at);
      const before = glob.slice(0, open);
      const after = glob.slice(at + 1);
      return cuts
        .slice(0, -1)
        .flatMap((cut, index) => expandBraces(before + glob.slice(cut + 1, cuts[index + 1]) + after));
    }
  }
  return [glob];
}
