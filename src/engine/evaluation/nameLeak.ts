/** Words in a row that may make up a file's name. */
const LONGEST_RUN = 7;
/** Names that say nothing; there the folder's name counts. */
const GENERIC_STEMS = new Set(['index', 'mod', 'init', 'lib', 'main']);
const IDENTIFIER =
  /[a-z0-9][A-Z]|[A-Za-z0-9]_[A-Za-z0-9]|__|::|->|[\p{L}\p{N}_]\(|[\p{L}\p{N}_]\.[A-Za-z_]|[\p{L}\p{N}_]#[\p{L}\p{N}_]|(?:^|\s)--?[a-z][\p{L}\p{N}_-]*|\$[\p{L}\p{N}_]/u;

/** The parts of a name in lower case, cut at changes of case and at everything that is neither letter nor digit. */
function nameParts(text: string): string[] {
  const cut = text.replace(/([a-z0-9])([A-Z])/g, '$1 $2').replace(/([A-Z]+)([A-Z][a-z])/g, '$1 $2');
  return (cut.match(/[A-Za-z]+|[0-9]+/g) ?? []).map(part => part.toLowerCase());
}

/**
 * Whether a question gives a file away: some run of its words, joined, is the stem of the file (in any case, camel, snake
 * or apart, a plural s more or less). For `index`, `mod`, `__init__`, `lib` and `main` the folder's name counts. Strict on
 * purpose: "effect" gives `effect.ts` away.
 */
export function givesNameAway(question: string, paths: readonly string[]): boolean {
  const words = nameParts(question);
  const runs = new Set<string>();
  for (let from = 0; from < words.length; from++) {
    for (let to = from + 1; to <= Math.min(from + LONGEST_RUN, words.length); to++)
      runs.add(words.slice(from, to).join(''));
  }
  return paths.some(path => {
    const stem = stemOf(path);
    return (
      stem !== '' && (runs.has(stem) || runs.has(`${stem}s`) || (stem.endsWith('s') && runs.has(stem.slice(0, -1))))
    );
  });
}

/** Whether a question holds an identifier, an option or a call. */
export function holdsIdentifier(question: string): boolean {
  return IDENTIFIER.test(question);
}

function stemOf(path: string): string {
  const segments = path.split('/');
  const name = segments.at(-1) ?? '';
  const dot = name.lastIndexOf('.');
  const stem = nameParts((dot < 0 ? name : name.slice(0, dot)).split('.')[0] ?? '').join('');
  const folder = segments.at(-2);
  return GENERIC_STEMS.has(stem) && folder !== undefined ? nameParts(folder).join('') : stem;
}
