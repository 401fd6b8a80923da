import { setImmediate } from 'node:timers/promises';
import type { EvaluationCase } from '../folderEngine';
import { changedLines, type LineSpan, parseHunkHeads } from './changedLines';
import { pathsWithChangedCode } from './changedCode';
import type { CommitChange, CommitReader } from './commitReader';
import { questionOf } from './commitQuestion';
import { isSourcePath } from './corpusRule';
import { givesNameAway, holdsIdentifier } from './nameLeak';

/** A commit as a question: what it says it does, and the files of the snapshot that it changed. */
export interface HistoryCase extends EvaluationCase {
  /** The question holds the name of a right file. */
  readonly leaks_name: boolean;
  /** The question holds an identifier, an option or a call. */
  readonly has_ident: boolean;
  readonly hunks: Readonly<Record<string, readonly LineSpan[]>>;
}

export type CaseWithoutLines = Omit<HistoryCase, 'hunks'>;

/** A commit of more paths is about everything. */
const MAX_PATHS = 25;
const MAX_RELEVANT = 4;
const MAX_ADDED = 2;
/** Cases with the very same right files. */
const MOST_ALIKE = 8;

/**
 * The cases of a repository between two commits, oldest first: every source file that the commit changed is there at the
 * snapshot, one to four of them with a change of code, and its message makes a question.
 * @param files paths of the snapshot's corpus.
 * @param known where each commit changes code; filled here, for the next call over the same repository.
 */
export async function collectCases(
  reader: CommitReader,
  commits: readonly CommitChange[],
  files: { has(path: string): boolean },
  known = new Map<string, ReadonlySet<string>>(),
): Promise<CaseWithoutLines[]> {
  const cases: CaseWithoutLines[] = [];
  const asked = new Set<string>();
  const alike = new Map<string, number>();
  for (const [at, commit] of commits.entries()) {
    if (at % 100 === 99) await setImmediate();
    const changed = changedFiles(commit, files);
    const query = changed === undefined ? undefined : questionOf(commit.message);
    if (changed === undefined || query === undefined || changed.some(path => query.includes(path))) continue;
    const words = query
      .toLowerCase()
      .replace(/[^\p{L}\p{N}_]+/gu, ' ')
      .trim();
    if (asked.has(words)) continue;
    const code = known.get(commit.id) ?? pathsWithChangedCode(await reader.changeOf(commit.id, changed), changed);
    known.set(commit.id, code);
    const relevant = changed.filter(path => code.has(path));
    if (relevant.length === 0) continue;
    asked.add(words);
    const key = relevant.join('\0');
    const count = (alike.get(key) ?? 0) + 1;
    alike.set(key, count);
    if (count > MOST_ALIKE) continue;
    const marks = { leaks_name: givesNameAway(query, relevant), has_ident: holdsIdentifier(query) };
    cases.push({ id: commit.id, query, relevant, ...marks });
  }
  return cases;
}

/** The corpus files that a commit changed, sorted; undefined where it does not make a case. */
function changedFiles({ paths }: CommitChange, files: { has(path: string): boolean }): string[] | undefined {
  if (paths.length > MAX_PATHS) return undefined;
  const sources = paths.filter(({ path }) => isSourcePath(path));
  const before = new Set(sources.filter(({ status }) => 'MRDT'.includes(status)).map(({ path }) => path));
  const inCorpus = [...before].filter(path => files.has(path)).sort();
  const count = (letters: string): number => sources.filter(({ status }) => letters.includes(status)).length;
  if (inCorpus.length < 1 || inCorpus.length > MAX_RELEVANT || inCorpus.length !== before.size) return undefined;
  if (count('AC') > MAX_ADDED || count('R') > 1 || count('D') > 1) return undefined;
  return inCorpus;
}

/**
 * The first `most` cases; where fewer than `leastWithoutName` of them keep the names to themselves, later ones that do
 * replace the last that do not.
 */
export function capCases<T extends { readonly leaks_name: boolean }>(
  cases: readonly T[],
  most: number,
  leastWithoutName: number,
): T[] {
  const kept = cases.slice(0, most);
  const missing = Math.max(0, leastWithoutName - kept.filter(one => !one.leaks_name).length);
  const added = cases
    .slice(most)
    .filter(one => !one.leaks_name)
    .slice(0, missing);
  for (let at = kept.length - 1, left = added.length; at >= 0 && left > 0; at--) {
    if (kept[at]?.leaks_name !== true) continue;
    kept.splice(at, 1);
    left--;
  }
  return [...kept, ...added];
}

/** The case with the lines of the snapshot's files that its commit changed. */
export async function withChangedLines(
  reader: CommitReader,
  snapshot: string,
  one: CaseWithoutLines,
  files: ReadonlyMap<string, Buffer>,
): Promise<HistoryCase> {
  const hunks: Record<string, readonly LineSpan[]> = {};
  for (const path of one.relevant) {
    const parent = `${one.id}^`;
    const since = parseHunkHeads(await reader.diff(snapshot, parent, path));
    const change = parseHunkHeads(await reader.diff(parent, one.id, path));
    hunks[path] = changedLines(since, change, files.get(path) ?? Buffer.alloc(0));
  }
  return { ...one, hunks };
}
