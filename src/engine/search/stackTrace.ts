import type { Corpus } from './corpus';
import type { Scores } from './fusion';

/**
 * A file with a line, as stack traces, compilers and people write it: `src/a.ts:12:5`, `(Foo.java:12)`, `/a/b.php(12)`,
 * `File "a.py", line 12`, `in C:\a\b.cs:line 12`.
 */
const FRAME = /([^\s"'`()<>|:,;=]+\.[A-Za-z][\w+]{0,9})(?:"?, line |:line |:|\()(\d{1,7})\b/g;
/** Python prints the innermost frame last. */
const INNERMOST_LAST = /most recent call last/i;
const MAX_FRAMES = 10;
/** More than all arms together can give, less than an exact name: who pastes a trace asks for its files. */
const BONUS = 50;

/** A file that a query names together with a line. */
export interface NamedLine {
  readonly doc: number;
  /** 1-based, as the query says; the file may have changed since. */
  readonly lines: readonly number[];
}

/** The files that a query names with a line and that the corpus has, innermost frame first, at most ten. */
export function namedLines(query: string, corpus: Corpus): NamedLine[] {
  const frames = [...query.matchAll(FRAME)].map(([, path = '', line = '']) => ({
    segments: path
      .replaceAll('\\', '/')
      .split('/')
      .filter(segment => segment !== '' && segment !== '.'),
    line: Number(line),
  }));
  if (frames.length === 0) return [];
  if (INNERMOST_LAST.test(query)) frames.reverse();
  const linesOf = new Map<number, number[]>();
  const byName = documentsByName(corpus, new Set(frames.map(({ segments }) => segments.at(-1) ?? '')));
  for (const { segments, line } of frames) {
    for (const doc of meant(segments, byName.get(segments.at(-1) ?? '') ?? [])) {
      const lines = linesOf.get(doc) ?? [];
      lines.push(line);
      linesOf.set(doc, lines);
    }
  }
  return [...linesOf].slice(0, MAX_FRAMES).map(([doc, lines]) => ({ doc, lines }));
}

/** Lifts the named files above all others, the first most (1 / rank as in BRTracer, Wong et al. 2014), in place. */
export function namedLineBonus(named: readonly NamedLine[], allowed: Uint8Array | undefined, sum: Scores): void {
  for (const [at, { doc }] of named.entries()) {
    if (allowed?.[doc] !== 0) sum[doc] = (sum[doc] ?? 0) + BONUS * (1 + 1 / (at + 1));
  }
}

interface Candidate {
  readonly doc: number;
  readonly segments: readonly string[];
}

function documentsByName(corpus: Corpus, names: ReadonlySet<string>): Map<string, Candidate[]> {
  const found = new Map<string, Candidate[]>();
  for (const { doc, path } of corpus.documents()) {
    const segments = path.split('/');
    const name = segments.at(-1) ?? '';
    if (!names.has(name)) continue;
    const list = found.get(name);
    if (list === undefined) found.set(name, [{ doc, segments }]);
    else list.push({ doc, segments });
  }
  return found;
}

/**
 * The documents that share the longest end with a path as it was written. A name alone is enough where the writer or the
 * document has no more than that: `/usr/lib/node/loader.js` is not our `src/loader.js`.
 */
function meant(written: readonly string[], candidates: readonly Candidate[]): number[] {
  const shared = candidates.map(({ segments }) => sharedEnd(written, segments));
  const longest = Math.max(0, ...shared);
  return candidates
    .filter(({ segments }, at) => {
      const isEnough = longest > 1 || written.length === 1 || segments.length === 1;
      return isEnough && shared[at] === longest;
    })
    .map(({ doc }) => doc);
}

function sharedEnd(a: readonly string[], b: readonly string[]): number {
  let count = 0;
  while (count < a.length && count < b.length && a.at(-1 - count) === b.at(-1 - count)) count++;
  return count;
}
