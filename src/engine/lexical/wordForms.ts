/** Endings of inflected or derived English words, longest first where one ends with another. */
const ENDINGS = ['ation', 'ment', 'able', 'ing', 'ion', 'ed', 'er', 'ly'];
const SHORTEST_STEM = 3;
const VOWEL = /[aeiouy]/;

/**
 * Words that an inflected English word may come from: `stopped` → stopp, stoppe, stop. Not all of them are words; the
 * caller keeps those that occur. For queries only: an index of stems ranks code worse in our measurements.
 */
export function shorterForms(term: string): readonly string[] {
  const ending = ENDINGS.find(suffix => term.endsWith(suffix));
  if (ending === undefined || term.length - ending.length < SHORTEST_STEM) return [];
  const stem = term.slice(0, -ending.length);
  if (!VOWEL.test(stem)) return [];
  const forms = [stem, `${stem}e`];
  if (ending === 'ation') forms.push(`${stem}ate`);
  if (stem.at(-1) === stem.at(-2)) forms.push(stem.slice(0, -1));
  if (ending === 'ed' && stem.endsWith('i')) forms.push(`${stem.slice(0, -1)}y`);
  return forms;
}
