import { compileWild, foldCase, matchesWild, type WildPattern } from './wildPattern';

/** Where a rule stands. */
export interface RuleOrigin {
  /** The rule as it is written. */
  readonly rule: string;
  /** The ignore file, absolute; undefined for a rule from the settings. */
  readonly file?: string;
  /** 1-based. */
  readonly line: number;
}

/** A rule as git reads it (`parse_path_pattern` in git's `dir.c`). Texts are binary strings, folded where case is ignored. */
interface Rule {
  readonly origin: RuleOrigin;
  readonly negated: boolean;
  readonly foldersOnly: boolean;
  /** Without a slash: compared with the last segment alone. */
  readonly byName: boolean;
  /** What a path must begin with: the folder of the ignore file with a slash, '' for the top. */
  readonly base: string;
  /** The beginning without wildcards. */
  readonly literal: string;
  /** The rest; undefined where there is none. */
  readonly wild: WildPattern | undefined;
}

/** The body of a rule without trailing spaces, as git reads it; a space after a backslash stays. */
function trimRule(line: string): string {
  const body = line.endsWith('\r') ? line.slice(0, -1) : line;
  let end = body.length;
  while (body[end - 1] === ' ') end--;
  let backslashes = 0;
  while (body[end - 1 - backslashes] === '\\') backslashes++;
  return body.slice(0, end < body.length && backslashes % 2 === 1 ? end + 1 : end);
}

/** One character a byte of UTF-8, as git compares names. */
function binary(text: string): string {
  // Most names are ASCII and stay as they are.

  return /^[\x00-\x7f]*$/.test(text) ? text : Buffer.from(text, 'utf8').toString('latin1');
}

/** Undefined for comments and what can match nothing. */
function parseRule(
  line: string,
  prefix: string,
  ignoreCase: boolean,
  origin: Omit<RuleOrigin, 'rule'>,
): Rule | undefined {
  if (line.startsWith('#')) return undefined;
  const rule = trimRule(line);
  const negated = rule.startsWith('!');
  const body = negated ? rule.slice(1) : rule;
  const foldersOnly = body.endsWith('/');
  const whole = foldersOnly ? body.slice(0, -1) : body;
  if (whole === '') return undefined;
  const byName = !whole.includes('/');
  const pattern = binary(whole.startsWith('/') ? whole.slice(1) : whole);
  const fold = (text: string): string => (ignoreCase ? foldCase(text) : text);
  const plain = /^[^*?[\\]*/.exec(pattern)?.[0] ?? '';
  return {
    origin: { ...origin, rule },
    negated,
    foldersOnly,
    byName,
    base: prefix === '' ? '' : fold(`${binary(prefix)}/`),
    literal: fold(plain),
    // Git cuts the beginning off before it matches, so that two stars behind it count as if they began a segment.
    wild: plain.length === pattern.length ? undefined : compileWild(pattern.slice(plain.length), ignoreCase),
  };
}

/**
 * An ordered list of rules with git's meaning, later ones over earlier ones, on paths relative to one top folder. Immutable:
 * `with` makes the longer list.
 */
export class IgnorePatterns {
  static empty(ignoreCase: boolean): IgnorePatterns {
    return new IgnorePatterns(ignoreCase, []);
  }

  private constructor(
    private readonly ignoreCase: boolean,
    private readonly rules: readonly Rule[],
  ) {}

  /** This list and the rules of one ignore file's text. `prefix`: the file's folder relative to the top, '' for the top. */
  with(text: string, prefix: string, file?: string): IgnorePatterns {
    const lines = text.replace(/^\ufeff/, '').split('\n');
    const added = lines.flatMap((line, at) => parseRule(line, prefix, this.ignoreCase, { file, line: at + 1 }) ?? []);
    return added.length === 0 ? this : new IgnorePatterns(this.ignoreCase, [...this.rules, ...added]);
  }

  /**
   * The rule that leaves out a path relative to the top, forward slashes; undefined where none does or a negated one has
   * the last word. Nothing below an ignored folder comes back in.
   */
  test(path: string, isFolder: boolean): RuleOrigin | undefined {
    if (this.rules.length === 0) return undefined;
    for (let slash = path.indexOf('/'); slash >= 0; slash = path.indexOf('/', slash + 1)) {
      const rule = this.testEntry(path.slice(0, slash), true);
      if (rule !== undefined) return rule;
    }
    return this.testEntry(path, isFolder);
  }

  /** The same for a path whose folder is known not to be left out. */
  testEntry(path: string, isFolder: boolean): RuleOrigin | undefined {
    if (this.rules.length === 0) return undefined;
    const text = this.ignoreCase ? foldCase(binary(path)) : binary(path);
    const name = text.slice(text.lastIndexOf('/') + 1);
    for (let at = this.rules.length - 1; at >= 0; at--) {
      const rule = this.rules[at];
      if (rule !== undefined && matches(rule, text, name, isFolder)) return rule.negated ? undefined : rule.origin;
    }
    return undefined;
  }
}

function matches(rule: Rule, path: string, name: string, isFolder: boolean): boolean {
  if ((rule.foldersOnly && !isFolder) || !path.startsWith(rule.base)) return false;
  const { literal, wild } = rule;
  const text = rule.byName ? name : path.slice(rule.base.length);
  if (wild === undefined) return text === literal;
  return text.startsWith(literal) && matchesWild(wild, text.slice(literal.length));
}
