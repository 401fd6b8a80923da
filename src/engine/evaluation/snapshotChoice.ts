import { throwIfAborted } from '../../util/errors';
import { type FoundCases, LEAST_WITHOUT_NAME, MOST_CASES } from './caseSet';
import type { CommitReader } from './commitReader';
import { collectCases } from './historyCases';

/** Commits of the first-parent line back from the newest: where the search begins, and where it ends. */
const NEAREST = 150;
const FARTHEST = 4000;
/** How much farther each next try is: the longer step while far from enough. */
const LONG_STEP = 1.6;
const SHORT_STEP = 1.25;
const FAR_FROM_ENOUGH = 0.6;
/** Of a history shorter than the nearest try, so much lies behind the snapshot. */
const SHORT_HISTORY_SHARE = 2 / 3;

/**
 * The cases after the nearest snapshot that gives enough of them, enough of those without a right file's name; where
 * none does, those of the try with the most.
 * @returns undefined where there is no commit before the newest.
 */
export async function chooseSnapshot(
  reader: CommitReader,
  head: string,
  onTry: (cases: number) => void,
  signal?: AbortSignal,
): Promise<FoundCases | undefined> {
  const line = await reader.firstParents(head, FARTHEST + 1);
  const last = line.length - 1;
  const known = new Map<string, ReadonlySet<string>>();
  let best: FoundCases | undefined;
  let back = last < NEAREST ? Math.floor(last * SHORT_HISTORY_SHARE) : NEAREST;
  while (back > 0 && back <= last) {
    throwIfAborted(signal);
    const snapshot = line[back] ?? head;
    const files = await reader.corpus(snapshot, []);
    const cases = await collectCases(reader, await reader.commitsBetween(snapshot, head), files, known);
    if (best === undefined || cases.length > best.cases.length) best = { reader, snapshot, head, files, cases };
    onTry(cases.length);
    const withoutName = cases.filter(one => !one.leaks_name).length;
    if (cases.length >= MOST_CASES && withoutName >= LEAST_WITHOUT_NAME) break;
    back = Math.floor(back * (cases.length < MOST_CASES * FAR_FROM_ENOUGH ? LONG_STEP : SHORT_STEP));
  }
  return best;
}
