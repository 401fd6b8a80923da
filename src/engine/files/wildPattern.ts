/**
 * Git's wildcards (`wildmatch.c` of git 2.47 with WM_PATHNAME: `?`, `*`, `**`, `[…]`, backslash), on binary strings: one
 * character a byte, as git sees a name. Compiled to a small automaton, so that no pattern is slow on any path.
 */

/** What one step of a pattern takes. */
type Step =
  /** Exactly one byte, out of the set. */
  | { readonly kind: 'one'; readonly set: Uint8Array }
  /** Any run of bytes without a slash. */
  | { readonly kind: 'run' }
  /** Any run of bytes. */
  | { readonly kind: 'all' }
  /** Nothing, or what the following step `inFolders` takes. */
  | { readonly kind: 'folders' }
  /** Any run of bytes that ends in a slash. */
  | { readonly kind: 'inFolders' };

export type WildPattern = readonly Step[];

const SLASH = 47;
const BYTES = 256;

const setOf = (holds: (code: number) => boolean): Uint8Array =>
  Uint8Array.from({ length: BYTES }, (_, code) => (holds(code) ? 1 : 0));
const single = (code: number): Step => ({ kind: 'one', set: setOf(other => other === code) });
const NOT_SLASH: Step = { kind: 'one', set: setOf(code => code !== SLASH) };
/** Of a pattern that git gives up: it matches nothing. */
const NEVER: Step = { kind: 'one', set: new Uint8Array(BYTES) };

/** Lower case of ASCII letters only, as git folds names. */
export function foldCase(text: string): string {
  return text.replace(/[A-Z]+/g, letters => letters.toLowerCase());
}

/** @param ignoreCase texts to match are folded beforehand. */
export function compileWild(pattern: string, ignoreCase: boolean): WildPattern {
  const steps: Step[] = [];
  for (let at = 0; at < pattern.length; at++) {
    const character = pattern[at] ?? '';
    if (character === '*') {
      const end = endOfStars(pattern, at);
      const alone = at === 0 || pattern[at - 1] === '/';
      const isWide = end - at > 1 && alone && (end === pattern.length || /^\\?\//.test(pattern.slice(end, end + 2)));
      if (isWide && pattern[end] === '/') steps.push({ kind: 'folders' }, { kind: 'inFolders' });
      else steps.push({ kind: isWide ? 'all' : 'run' });
      at = isWide && pattern[end] === '/' ? end : end - 1;
    } else if (character === '?') {
      steps.push(NOT_SLASH);
    } else if (character === '[') {
      const bracket = readBracket(pattern, at, ignoreCase);
      if (bracket === undefined) return [NEVER];
      steps.push({ kind: 'one', set: bracket.set });
      at = bracket.end;
    } else if (character === '\\') {
      at++;
      if (at === pattern.length) return [NEVER];
      // Git does not fold what a backslash protects, so a capital letter behind one matches nothing then.
      steps.push(single(pattern.charCodeAt(at)));
    } else {
      steps.push(single((ignoreCase ? foldCase(character) : character).charCodeAt(0)));
    }
  }
  return steps;
}

function endOfStars(pattern: string, at: number): number {
  let end = at;
  while (pattern[end] === '*') end++;
  return end;
}

/** True where the pattern takes the whole text. Time grows with the product of their lengths. */
export function matchesWild(steps: WildPattern, text: string): boolean {
  let now = new Uint8Array(steps.length + 1);
  let next = new Uint8Array(steps.length + 1);
  now[0] = 1;
  for (let at = 0; at <= text.length; at++) {
    passOver(steps, now);
    if (at === text.length) break;
    if (!advance(steps, now, next, text.charCodeAt(at))) return false;
    [now, next] = [next, now];
    next.fill(0);
  }
  return now[steps.length] === 1;
}

/** Marks the steps that are reached without taking a byte. */
function passOver(steps: WildPattern, reached: Uint8Array): void {
  for (const [at, { kind }] of steps.entries()) {
    if (reached[at] === 0) continue;
    if (kind === 'run' || kind === 'all' || kind === 'folders') reached[at + 1] = 1;
    if (kind === 'folders') reached[at + 2] = 1;
  }
}

/** Takes one byte; false when no step could. */
function advance(steps: WildPattern, now: Uint8Array, next: Uint8Array, code: number): boolean {
  let alive = false;
  const reach = (at: number): void => {
    next[at] = 1;
    alive = true;
  };
  for (const [at, step] of steps.entries()) {
    if (now[at] === 0) continue;
    if (step.kind === 'one') {
      if (step.set[code] === 1) reach(at + 1);
    } else if (step.kind === 'run') {
      if (code !== SLASH) reach(at);
    } else if (step.kind !== 'folders') {
      reach(at);
      if (step.kind === 'inFolders' && code === SLASH) reach(at + 1);
    }
  }
  return alive;
}

/** `[[:name:]]`, of ASCII characters alone. */
const CLASSES: Readonly<Record<string, RegExp>> = {
  alnum: /[A-Za-z0-9]/,
  alpha: /[A-Za-z]/,
  blank: /[ \t]/,

  cntrl: /[\x00-\x1f\x7f]/,
  digit: /[0-9]/,
  graph: /[!-~]/,
  lower: /[a-z]/,
  print: /[ -~]/,
  punct: /[!-/:-@[-`{-~]/,
  space: /[ \t\n\v\f\r]/,
  upper: /[A-Z]/,
  xdigit: /[A-Fa-f0-9]/,
};

/** A bracket expression that begins at `start`; undefined where it has no end or an unknown class. */
function readBracket(
  pattern: string,
  start: number,
  ignoreCase: boolean,
): { readonly set: Uint8Array; readonly end: number } | undefined {
  const set = new Uint8Array(BYTES);
  let at = start + 1;
  const negated = pattern[at] === '!' || pattern[at] === '^';
  if (negated) at++;
  /** The code that a range may begin with. */
  let first: number | undefined;
  // A closing bracket in the first place is one of the members.
  for (let isFirst = true; isFirst || pattern[at] !== ']'; isFirst = false, at++) {
    if (at >= pattern.length) return undefined;
    const name = pattern.startsWith('[:', at) ? className(pattern, at) : undefined;
    if (name?.kind === 'unknown') return undefined;
    if (name?.kind === 'class') {
      addClass(set, name.members, ignoreCase && name.name === 'upper');
      at = name.end;
      first = undefined;
    } else if (pattern[at] === '-' && first !== undefined && at + 1 < pattern.length && pattern[at + 1] !== ']') {
      at += pattern[at + 1] === '\\' ? 2 : 1;
      if (at >= pattern.length) return undefined;
      addRange(set, first, pattern.charCodeAt(at), ignoreCase);
      first = undefined;
    } else {
      if (pattern[at] === '\\') at++;
      if (at >= pattern.length) return undefined;
      first = pattern.charCodeAt(at);
      set[first] = 1;
    }
  }
  if (negated) for (let code = 0; code < BYTES; code++) set[code] = 1 - (set[code] ?? 0);
  // No bracket takes a slash.
  set[SLASH] = 0;
  return { set, end: at };
}

type ClassName =
  | { readonly kind: 'class'; readonly name: string; readonly members: RegExp; readonly end: number }
  | { readonly kind: 'unknown' };

/** The class named at `at`; undefined where the bracket is an ordinary member. */
function className(pattern: string, at: number): ClassName | undefined {
  const close = pattern.indexOf(']', at + 2);
  if (close < 0) return { kind: 'unknown' };
  if (close < at + 3 || pattern[close - 1] !== ':') return undefined;
  const name = pattern.slice(at + 2, close - 1);
  const members = Object.hasOwn(CLASSES, name) ? CLASSES[name] : undefined;
  return members === undefined ? { kind: 'unknown' } : { kind: 'class', name, members, end: close };
}

function addClass(set: Uint8Array, members: RegExp, lowerToo: boolean): void {
  for (let code = 0; code < 128; code++) {
    const character = String.fromCharCode(code);
    if (members.test(character) || (lowerToo && /[a-z]/.test(character))) set[code] = 1;
  }
}

function addRange(set: Uint8Array, from: number, to: number, ignoreCase: boolean): void {
  for (let code = from; code <= to; code++) set[code] = 1;
  if (!ignoreCase) return;
  // Texts come folded: a small letter counts where its capital is in the range.
  for (let code = Math.max(from, 65); code <= Math.min(to, 90); code++) set[code + 32] = 1;
}
