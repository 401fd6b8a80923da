import type { DefinitionKind } from '../store/records';
import type { Corpus } from './corpus';
import type { Scores } from './fusion';

/** One name and nothing else, as it is written in code, perhaps with the brackets of a call. */
const ONE_NAME = /^\s*([\p{L}_$][\p{L}\p{N}_$]*[!?]?)\s*(?:\(\s*\))?\s*$/u;
/** More than all arms together can give: whoever asks for a name wants its definition. */
const BONUS = 100;
/** Tells definers apart: types before functions before the rest, and the very same letters before another case. */
const KIND_BONUS: Readonly<Record<DefinitionKind, number>> = { type: 3, function: 2, variable: 1, macro: 1 };
const SAME_CASE_BONUS = 10;

/** Lifts the files that define the name which the query consists of, in place. */
export function exactNameBonus(query: string, corpus: Corpus, allowed: Uint8Array | undefined, sum: Scores): void {
  const name = ONE_NAME.exec(query)?.[1];
  if (name === undefined) return;
  for (const { doc, names } of corpus.definitionsOf(name)) {
    if (allowed?.[doc] === 0) continue;
    let best = 0;
    for (const definition of names) {
      const same = definition.name === name ? SAME_CASE_BONUS : 0;
      best = Math.max(best, BONUS + KIND_BONUS[definition.kind] + same);
    }
    sum[doc] = (sum[doc] ?? 0) + best;
  }
}
