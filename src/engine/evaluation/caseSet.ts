import { throwIfAborted } from '../../util/errors';
import { CommitReader } from './commitReader';
import { type CaseWithoutLines, capCases, collectCases, type HistoryCase, withChangedLines } from './historyCases';

/** A repository's cases with the files they are asked of. */
export interface CaseSet {
  readonly snapshot: string;
  readonly head: string;
  readonly cases: readonly HistoryCase[];
  /** Path to content of every file of the corpus. */
  readonly files: ReadonlyMap<string, Buffer>;
}

export interface CaseSetOptions {
  /** Folders of the corpus; none: all. */
  readonly roots?: readonly string[];
  readonly mostCases?: number;
  readonly leastWithoutName?: number;
}

export const MOST_CASES = 120;
export const LEAST_WITHOUT_NAME = 40;

/**
 * The cases of the commits after `snapshot` up to `head`, asked of the files as they were at `snapshot`. Deterministic:
 * the same repository gives the same cases.
 * @param directory a git directory or the top of a work tree.
 * @throws LandmarkError `not-found`, `runtime-unavailable`, `cancelled`.
 */
export async function buildCaseSet(
  directory: string,
  snapshot: string,
  head: string,
  options: CaseSetOptions = {},
  signal?: AbortSignal,
): Promise<CaseSet> {
  const reader = await CommitReader.open(directory, signal);
  const from = await reader.commitId(snapshot);
  const to = await reader.commitId(head);
  const files = await reader.corpus(from, options.roots ?? []);
  const cases = await collectCases(reader, await reader.commitsBetween(from, to), files);
  return completeCaseSet({ reader, snapshot: from, head: to, files, cases }, options, () => {}, signal);
}

export interface FoundCases {
  readonly reader: CommitReader;
  readonly snapshot: string;
  readonly head: string;
  readonly files: ReadonlyMap<string, Buffer>;
  readonly cases: readonly CaseWithoutLines[];
}

/** Keeps the cases nearest to the snapshot and finds the lines of each. */
export async function completeCaseSet(
  found: FoundCases,
  { mostCases = MOST_CASES, leastWithoutName = LEAST_WITHOUT_NAME }: CaseSetOptions,
  onProgress: (done: number, total: number) => void,
  signal?: AbortSignal,
): Promise<CaseSet> {
  const { reader, snapshot, head, files } = found;
  const kept = capCases(found.cases, mostCases, leastWithoutName);
  const cases: HistoryCase[] = [];
  for (const one of kept) {
    throwIfAborted(signal);
    cases.push(await withChangedLines(reader, snapshot, one, files));
    onProgress(cases.length, kept.length);
  }
  return { snapshot, head, cases, files };
}
