/**
 * Words that make a question out of what is asked for, as the index spells them (without plural endings). In code they
 * are rare, so that by their rarity alone they would outweigh what is asked for.
 */
const FUNCTION_WORDS: ReadonlySet<string> = new Set(
  (
    'how what where why when which who whom whose do doe did can could should would will shall may might must ' +
    'i me my we our us you your they them their he she his her there here have has had been being was were am ' +
    'so than then too very any some someone somebody something thing happen happening let s t d ll ve re'
  ).split(' '),
);

/** The terms of a query without the words of its grammar; all of them where nothing else would be left. */
export function withoutFunctionWords(terms: readonly string[]): readonly string[] {
  const kept = terms.filter(term => !FUNCTION_WORDS.has(term));
  return kept.length > 0 ? kept : terms;
}
