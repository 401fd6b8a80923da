export type LanguageCode = 'fr' | 'pt' | 'es' | 'de';

/**
 * What an inflected ending may stand for: a line is `endings > endings of the entry`, `-` = none, tried in order. Of
 * folded words. Not all that comes out is a word; the dictionary decides.
 */
const ENDINGS: Readonly<Record<LanguageCode, readonly string[]>> = {
  fr: [
    's x e es > -',
    'aux > al',
    'eaux > eau',
    'e ee es ees ent ant ants ante antes ons ez eant eons ait aient eait era eront erait eraient > er',
    'oie oies oient > oyer',
    'uie uient > uyer',
    'elle ellent > eler',
    'ette ettent > eter',
    'i ie is ies it issent issant issait ira > ir',
    'uit uite uits uites uisent uisait > uire',
    '- s u ue us ues ent ant ait aient ons ra ront > re',
    'trice trices > teur',
    'euse euses > eur',
    'ive ives > if',
    'elle elles > el',
    'enne ennes > en',
    'ement ements age ages ation ations ateur eur eurs able ables > er',
    'ement > - e',
    'ment > -',
  ],
  pt: [
    's es > -',
    'a as os > o',
    'oes aes > ao',
    'ais > al',
    'eis > el',
    'ns > m',
    'a o e am em ou as aram arem ado ada ados adas ando ava avam ara arao aria > ar',
    'que quem > car',
    'gue guem > gar',
    'ce cem > car',
    'e o a em am eu ido ida idos idas endo ia iam era erao > er',
    'e a em am iu ido ida idos idas indo ia iam ira irao > ir',
    'dor dora dores > r',
    'acao acoes amento amentos avel aveis > ar',
    'imento imentos > er ir',
    'amente > o',
    'mente > -',
  ],
  es: [
    's es > -',
    'a as os > o',
    'ces > z',
    'a o e an en as aron ado ada ados adas ando aba aban ara aran aria arse arlo arla arlos arlas > ar',
    'que quen > car',
    'gue guen > gar',
    'ce cen > zar',
    'e o a en an io ieron ido ida idos idas iendo ia ian era eran erse erlo erla > er',
    'e o a en an io ieron ido ida idos idas iendo ia ian ira iran irse irlo irla > ir',
    'dor dora dores > r',
    'acion aciones amiento amientos able ables > ar',
    'imiento imientos > er ir',
    'amente > o',
    'mente > -',
  ],
  de: [
    'e en n er ern es em s ens > -',
    'nisse nissen > nis',
    'ste sten ster este esten ester > -',
    't st e et te ten tet ete eten end ende enden ender endes > en n',
    'ung ungen er ern bar bare > en n',
  ],
};

const SHORTEST_STEM = 3;

interface EndingRule {
  readonly ending: string;
  readonly entries: readonly string[];
}

function rulesOf(language: LanguageCode): EndingRule[] {
  return ENDINGS[language].flatMap(line => {
    const [from, to] = line.split(' > ').map(side => side.split(' ').map(ending => (ending === '-' ? '' : ending)));
    return (from ?? []).map(ending => ({ ending, entries: to ?? [] }));
  });
}

const RULES: Readonly<Record<LanguageCode, readonly EndingRule[]>> = {
  fr: rulesOf('fr'),
  pt: rulesOf('pt'),
  es: rulesOf('es'),
  de: rulesOf('de'),
};

/** German prefixes that stand apart from their verb, and take `ge` and `zu` between: `hochgeladen`, `hochzuladen`. */
const SEPARABLE =
  /^(ab|an|auf|aus|bei|durch|ein|fest|frei|her|hin|hoch|herunter|hinzu|los|mit|nach|um|vor|weg|weiter|wieder|zu|zuruck|zusammen|uber)(?:ge|zu)(?=.{3})/;

/** `redessiner`, `redesenhar`: to do once more what the rest says. */
const AGAIN = /^re(.{4,})/;

/** A French participle: folded, `vidé` (emptied) is the same as `vide` (empty). */
const FRENCH_PARTICIPLE = /é(?:e?s?)$/u;

/**
 * The forms that a word may have in its dictionary, the likely ones first.
 * @param word folded.
 * @param written with its accents.
 */
export function* dictionaryForms(word: string, written: string, language: LanguageCode): Generator<string> {
  const stems = [word];
  const again = language === 'de' ? undefined : AGAIN.exec(word)?.[1];
  if (again !== undefined) stems.push(again);
  if (language === 'fr' && FRENCH_PARTICIPLE.test(written)) yield word.replace(/e(?:e?s?)$/, 'er');
  if (language === 'de') stems.push(...germanStems(word));
  for (const stem of stems) {
    yield stem;
    for (const { ending, entries } of RULES[language]) {
      if (!stem.endsWith(ending) || stem.length - ending.length < SHORTEST_STEM) continue;
      for (const entry of entries) {
        const form = stem.slice(0, stem.length - ending.length) + entry;
        yield form;
        if (language === 'es') yield* withoutDiphthong(form);
      }
    }
  }
}

/** Without the `ge` of a participle or the `zu` of an infinitive, and with `ae`, `oe`, `ue` as umlauts are folded. */
function germanStems(word: string): string[] {
  const stems: string[] = [];
  const plain = word.replace(/([aou])e/g, '$1');
  if (plain !== word) stems.push(plain);
  const joined = word.replace(SEPARABLE, '$1');
  if (joined !== word) stems.push(joined);
  if (word.startsWith('ge') && word.length > 5) stems.push(word.slice(2));
  return stems;
}

/** `encuentra` → encontrar, `cierra` → cerrar: a stressed vowel that the infinitive does not have. */
function* withoutDiphthong(form: string): Generator<string> {
  if (!/[aei]r$/.test(form)) return;
  for (const [diphthong, vowel] of [
    ['ie', 'e'],
    ['ue', 'o'],
  ] as const) {
    const at = form.lastIndexOf(diphthong, form.length - 4);
    if (at > 0) yield form.slice(0, at) + vowel + form.slice(at + 2);
  }
}

/** Endings that are an English word's with another spelling; of words with their accents. */
const COGNATES: Readonly<Record<LanguageCode, readonly (readonly [RegExp, string])[]>> = {
  fr: [
    [/tions?$/, 'tion'],
    [/sions?$/, 'sion'],
    [/ités?$/, 'ity'],
    [/iques?$/, 'ic'],
    [/logies?$/, 'logy'],
    [/ismes?$/, 'ism'],
  ],
  pt: [
    [/(?:ção|ções)$/, 'tion'],
    [/(?:são|sões)$/, 'sion'],
    [/dades?$/, 'ty'],
    [/âncias?$/, 'ance'],
    [/ências?$/, 'ence'],
    [/logias?$/, 'logy'],
    [/ismos?$/, 'ism'],
  ],
  es: [
    [/(?:ción|ciones)$/, 'tion'],
    [/(?:sión|siones)$/, 'sion'],
    [/dad(?:es)?$/, 'ty'],
    [/ancias?$/, 'ance'],
    [/encias?$/, 'ence'],
    [/logías?$/, 'logy'],
    [/ismos?$/, 'ism'],
  ],
  de: [
    [/tion(?:en)?$/, 'tion'],
    [/ität(?:en)?$/, 'ity'],
    [/logien?$/, 'logy'],
    [/ismus$/, 'ism'],
  ],
};

/** An English word by its ending alone: `autonomía` has none, `iteração` is iteration. Undefined where no ending fits. */
export function cognate(word: string, language: LanguageCode): string | undefined {
  const lower = word.toLowerCase().normalize('NFC');
  for (const [ending, english] of COGNATES[language]) {
    const at = lower.search(ending);
    if (at >= SHORTEST_STEM) return lower.slice(0, at).normalize('NFD').replace(/\p{M}/gu, '') + english;
  }
  return undefined;
}
