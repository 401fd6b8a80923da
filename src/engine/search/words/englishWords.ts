import { dictionaries } from './dictionary';

/** English words of grammar: what they stand in is hardly anything else. */
const GRAMMAR = new Set(
  `the of is are was were be been being and or not for from with without when where how what which why who whose that
  this these those it its to into onto by does do did can could should would will must may has have had if then else than
  so but as at in on an a we you they i there here only also after before between all any each some no yes our your their
  them us me about over under again while until because don't doesn't isn't can't won't didn't it's that's what's`.split(
    /\s+/,
  ),
);

/**
 * Words of the other languages that English texts about code have as well, as words, as abbreviations or as names of
 * languages.
 */
const AMBIGUOUS = new Set(
  `ai am an as at bin but car ce com comment con den die do dont dos du e el en es est et fin for had hat hin her
  in la le lo mais man mes mi mit mon na ne ni no non nos nun o on os ou par per plus pour por qua qui quo se
  sei sera si sin so soit sol son sou sous sur te ton tu tun um un una uns us van via von war was will wir y ya zum
  a i main todo red pain sale once coin pool pause sort rate date data chat final error actual sensible
  fast art rest list hell gut kind tag wand brand gift arm link bad rat ende text welt boot handy`.split(/\s+/),
);

let known: ReadonlySet<string> | undefined;

/** Is this folded word an English one that code or questions about it are likely to have? */
export function looksEnglish(folded: string): boolean {
  known ??= new Set(dictionaries().flatMap(dictionary => [...dictionary.english()]));
  if (AMBIGUOUS.has(folded) || GRAMMAR.has(folded)) return true;
  const words = known;
  return englishForms(folded).some(form => words.has(form));
}

/** Says that a text is English. */
export function isEnglishGrammar(folded: string): boolean {
  return GRAMMAR.has(folded);
}

/** A word, and what it is the inflected form of, by the usual endings. */
function englishForms(word: string): string[] {
  const forms = [word];
  for (const ending of ['s', 'es', 'd', 'ed', 'r', 'er', 'ing', 'ly']) {
    if (!word.endsWith(ending)) continue;
    const stem = word.slice(0, -ending.length);
    if (stem.length < 3) continue;
    forms.push(stem, `${stem}e`, ...(stem.at(-1) === stem.at(-2) ? [stem.slice(0, -1)] : []));
    if (stem.endsWith('i')) forms.push(`${stem.slice(0, -1)}y`);
  }
  return forms;
}
