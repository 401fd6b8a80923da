/**
 * Words that say nothing about code; left out as parts, kept inside the whole of a compound identifier (`isNotEmpty`).
 */
const STOP_WORDS: ReadonlySet<string> = new Set(
  'a an the of to in on for and or with when if is are be by from as at it its this that not'.split(' '),
);

/** A longer part is cut here: no word is that long, but an encoded blob can be one "word" of a whole file. */
const MAX_PART_LENGTH = 64;
/** A longer compound gets its parts only. */
const MAX_WHOLE_LENGTH = 128;

/** What a character is to the splitting. `Ideograph` stands for every script that is written without spaces. */
const enum Kind {
  Unknown,
  Other,
  /** Letters in lower case or without case, and marks. */
  Letter,
  Upper,
  /** `_` and `$`. */
  Joiner,
  Digit,
  Ideograph,
}

const LETTER = /[\p{L}\p{M}]/u;
const UPPER = /\p{Lu}/u;
const DIGIT = /\p{Nd}/u;
const IDEOGRAPH =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
/** The accents of Latin, Greek and Cyrillic; the vowel signs of other scripts are letters to their readers and stay. */
const ACCENTS = /[\u0300-\u036f]/g;

/** Kinds of the characters of the basic plane, filled as they are met. */
const kinds = new Uint8Array(0x10000);
for (let code = 0; code < 128; code++) kinds[code] = classify(String.fromCharCode(code));

function classify(character: string): Kind {
  if (character === '_' || character === '$') return Kind.Joiner;
  if (DIGIT.test(character)) return Kind.Digit;
  if (!LETTER.test(character)) return Kind.Other;
  if (IDEOGRAPH.test(character)) return Kind.Ideograph;
  return UPPER.test(character) ? Kind.Upper : Kind.Letter;
}

function kindAt(text: string, at: number): Kind {
  const code = text.charCodeAt(at);
  if (code >= 0xd800 && code <= 0xdfff) return surrogateKind(text, at, code);
  const known: Kind = kinds[code] ?? Kind.Unknown;
  if (known !== Kind.Unknown) return known;
  return (kinds[code] = classify(text.charAt(at)));
}

/** Both halves of a pair have the kind of the whole character; a half alone is no character. */
function surrogateKind(text: string, at: number, code: number): Kind {
  const start = code < 0xdc00 ? at : at - 1;
  const whole = start < 0 ? 0 : (text.codePointAt(start) ?? 0);
  return whole > 0xffff ? classify(String.fromCodePoint(whole)) : Kind.Other;
}

/**
 * Calls `visit` with every identifier, number and run of ideographs of a text, in order. Linear, whatever the text.
 * An identifier starts at a letter, `_` or `$`; digits in front of it are a run of their own.
 */
export function eachIdentifier(text: string, visit: (identifier: string) => void): void {
  const length = text.length;
  let at = 0;
  while (at < length) {
    const kind = kindAt(text, at);
    if (kind === Kind.Other) {
      at++;
      continue;
    }
    const start = at++;
    while (at < length && continues(kind, kindAt(text, at))) at++;
    visit(text.slice(start, at));
  }
}

function continues(first: Kind, next: Kind): boolean {
  if (next === Kind.Other) return false;
  if (first === Kind.Digit || first === Kind.Ideograph) return next === first;
  return next !== Kind.Ideograph;
}

/**
 * The search terms of one run of `eachIdentifier`: its parts in lower case without plural endings and, when it has more
 * than one, the whole in lower case without separators. Runs of ideographs become overlapping pairs.
 */
export function splitIdentifier(identifier: string): string[] {
  const plain = isAscii(identifier) ? identifier : withoutAccents(identifier);
  if (kindAt(plain, 0) === Kind.Ideograph) return characterPairs(plain);
  const parts = identifierParts(plain);
  const terms: string[] = [];
  for (const part of parts) {
    if (part.length > 1 && !STOP_WORDS.has(part)) terms.push(withoutPlural(part));
  }
  if (parts.length > 1 && plain.length <= MAX_WHOLE_LENGTH) terms.push(parts.join(''));
  return terms;
}

/** All search terms of a text in order, see `splitIdentifier`. */
export function tokenize(text: string): string[] {
  const terms: string[] = [];
  eachIdentifier(text, identifier => {
    for (const term of splitIdentifier(identifier)) terms.push(term);
  });
  return terms;
}

function isAscii(text: string): boolean {
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) > 127) return false;
  return true;
}

function withoutAccents(text: string): string {
  const plain = text.normalize('NFD').replace(ACCENTS, '').normalize('NFC');
  return plain === '' ? text : plain;
}

function characterPairs(run: string): string[] {
  const characters = Array.from(run);
  if (characters.length === 1) return [run];
  return characters.slice(1).map((character, before) => (characters[before] ?? '') + character);
}

/** `parseHTTPHeaders2` → parse, http, headers, 2. The last capital of a run belongs to the word that follows it. */
function identifierParts(identifier: string): string[] {
  const parts: string[] = [];
  const length = identifier.length;
  let at = 0;
  while (at < length) {
    const start = at;
    const kind = kindAt(identifier, at);
    // What ends a run does not stand in one; any text is got through, though.
    if (kind === Kind.Joiner || kind === Kind.Ideograph || kind === Kind.Other) {
      at++;
      continue;
    }
    if (kind === Kind.Digit) {
      at = endOfRun(identifier, at, Kind.Digit);
    } else {
      const capitals = endOfRun(identifier, at, Kind.Upper);
      at = endOfRun(identifier, capitals, Kind.Letter);
      const last = capitals - characterBefore(identifier, capitals);
      if (at > capitals && last > start) {
        parts.push(asPart(identifier, start, last));
        parts.push(asPart(identifier, last, at));
        continue;
      }
    }
    parts.push(asPart(identifier, start, at));
  }
  return parts;
}

function endOfRun(text: string, from: number, kind: Kind): number {
  let at = from;
  while (at < text.length && kindAt(text, at) === kind) at++;
  return at;
}

/** Length in code units of the character that ends at `end`. */
function characterBefore(text: string, end: number): number {
  const code = text.charCodeAt(end - 1);
  return code >= 0xdc00 && code <= 0xdfff ? 2 : 1;
}

function asPart(identifier: string, start: number, end: number): string {
  return identifier.slice(start, Math.min(end, start + MAX_PART_LENGTH)).toLowerCase();
}

/** Takes a plural ending away, and nothing else: stronger stemming ranks code worse in our measurements. */
function withoutPlural(word: string): string {
  const length = word.length;
  if (!word.endsWith('s') || length <= 3) return word;
  if (length > 5 && word.endsWith('ies')) return word.slice(0, -3) + 'y';
  if (length > 5 && word.endsWith('es') && 'sxzh'.includes(word.charAt(length - 3))) return word.slice(0, -2);
  return word.endsWith('ss') ? word : word.slice(0, -1);
}
