import ignore, { type Ignore } from 'ignore';

/** Where a rule stands. */
export interface RuleOrigin {
  /** The rule as it is written. */
  readonly rule: string;
  /** The ignore file, absolute; undefined for a rule from the settings. */
  readonly file?: string;
  /** 1-based. */
  readonly line: number;
}

/** The body of a rule without line end and trailing spaces, as git reads it; a space after a backslash stays. */
function trimRule(line: string): string {
  const body = line.endsWith('\r') ? line.slice(0, -1) : line;
  return body.replace(/(?<!\\)((?:\\\\)*) +$/, '$1');
}

/**
 * A rule of an ignore file in the folder `prefix` as the same rule at the top: rules without a slash hold at any depth
 * below their folder, the others from there. Undefined for comments and blank lines.
 */
function rebase(line: string, prefix: string): string | undefined {
  if (line.startsWith('#')) return undefined;
  const rule = trimRule(line);
  const negation = rule.startsWith('!') ? '!' : '';
  const body = rule.slice(negation.length);
  if (body === '' || body === '/') return undefined;
  // The special characters of a pattern, which in a folder's name are plain.
  const folder = prefix.replace(/[\\*?[\]]/g, '\\$&');
  const anchored = body.slice(0, -1).includes('/');
  return `${negation}/${folder}/${anchored ? '' : '**/'}${body.replace(/^\//, '')}`;
}

/**
 * An ordered list of rules with git's meaning, later ones over earlier ones, on paths relative to one top folder. Immutable:
 * `with` makes the longer list. The only place that knows the library which matches the patterns.
 */
export class IgnorePatterns {
  static empty(ignoreCase: boolean): IgnorePatterns {
    return new IgnorePatterns(ignoreCase, ignore({ ignorecase: ignoreCase }), []);
  }

  private constructor(
    private readonly ignoreCase: boolean,
    private readonly matcher: Ignore,
    private readonly origins: readonly RuleOrigin[],
  ) {}

  /** This list and the rules of one ignore file's text. `prefix`: the file's folder relative to the top, '' for the top. */
  with(text: string, prefix: string, file?: string): IgnorePatterns {
    const origins = [...this.origins];
    const patterns: { pattern: string; mark: string }[] = [];
    const lines = text.replace(/^\ufeff/, '').split('\n');
    for (const [index, line] of lines.entries()) {
      const pattern = prefix === '' ? line : rebase(line, prefix);
      if (pattern === undefined || pattern === '') continue;
      patterns.push({ pattern, mark: String(origins.length) });
      origins.push({ rule: trimRule(line), file, line: index + 1 });
    }
    if (patterns.length === 0) return this;
    return new IgnorePatterns(
      this.ignoreCase,
      ignore({ ignorecase: this.ignoreCase }).add(this.matcher).add(patterns),
      origins,
    );
  }

  /**
   * The rule that leaves out a path relative to the top, forward slashes; undefined where none does or a negated one has
   * the last word. Nothing below an ignored folder comes back in.
   */
  test(path: string, isFolder: boolean): RuleOrigin | undefined {
    if (this.origins.length === 0) return undefined;
    const { rule } = this.matcher.test(isFolder ? `${path}/` : path);
    return rule?.mark === undefined ? undefined : this.origins[Number(rule.mark)];
  }
}
