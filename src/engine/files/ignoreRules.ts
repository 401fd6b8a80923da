import { readdir } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { LandmarkError, throwIfAborted } from '../../util/errors';
import type { FailedFile } from '../types';
import { isAlwaysExcluded, isBuildOutput } from './builtInExcludes';
import { failedFile } from './fileFailure';
import { baseOf, isInside, isPlainRelative, joinPath, parentOf, withForwardSlashes } from './filePaths';
import { type GitRepository, isRepeatedWorkTree, repositoryAt } from './gitRepository';
import type { IgnorePatterns, RuleOrigin } from './ignorePatterns';
import { isThere, ownName } from './realPath';
import {
  type IgnoreOptions,
  openRuleSources,
  readIgnoreFile,
  repositoryPatterns,
  type RuleSources,
} from './ruleSources';

/** Why a path is left out: by which kind of rule, in a sentence and, for a rule out of a file, where it stands. */
export interface IgnoredVerdict {
  readonly ignored: true;
  /** `git` rules do not hold for files that git tracks; the others always hold. */
  readonly source: 'built-in' | 'setting' | 'git';
  readonly reason: string;
  readonly rule: string;
  /** Relative to the indexed folder where it lies inside, else absolute; forward slashes. */
  readonly ruleFile?: string;
  readonly ruleLine?: number;
  /** The folder, relative to the indexed one, whose entry is left out: the path itself or one above it. */
  readonly decidedIn: string;
}
export type IgnoreVerdict = IgnoredVerdict | { readonly ignored: false };

/** What decides about the entries of one folder. */
export interface FolderRules {
  readonly ignored: false;
  /** Relative to the indexed folder, '' for itself. */
  readonly path: string;
  /** All names in it. */
  readonly names: ReadonlySet<string>;
  /** The repository whose rules hold here; undefined outside of git. */
  readonly repository: GitRepository | undefined;
  /** The folder relative to the top that the patterns are relative to. */
  readonly prefix: string;
  readonly patterns: IgnorePatterns;
}

const NOT_IGNORED: IgnoreVerdict = { ignored: false };

const builtIn = (decidedIn: string, rule: string, reason: string): IgnoredVerdict => ({
  ignored: true,
  source: 'built-in',
  reason,
  rule,
  decidedIn,
});
const neverSource = (decidedIn: string, name: string): IgnoredVerdict =>
  builtIn(decidedIn, name, `It is left out because ${name} never holds hand-written source.`);
const bySetting = (decidedIn: string, { rule }: RuleOrigin): IgnoredVerdict => ({
  ignored: true,
  source: 'setting',
  reason: `It is left out by “${rule}” in the setting landmark.exclude.`,
  rule,
  decidedIn,
});

/** True for the names of a git directory's own entries: a bare repository holds no source. */
const isBareRepository = (names: ReadonlySet<string>): boolean =>
  names.has('HEAD') && names.has('objects') && names.has('refs') && names.has('config');

/**
 * The ignore rules of a folder: built-in ones, the user's setting, and git's (nested .gitignore files, `info/exclude`, the
 * user's own file, those of the repository around the folder). A folder's .gitignore is read when the folder is entered
 * and not kept, so that an edited one counts at once; open the rules anew when one of the other files may have changed.
 */
export class IgnoreRules {
  private constructor(
    /** Absolute. */
    readonly folder: string,
    /** Ignore files that could not be read. */
    readonly problems: FailedFile[],
    private readonly sources: RuleSources,
    private readonly onDenied: (file: string) => void,
  ) {}

  /** @param folder a real path (see `checkFolder`). */
  static async open(folder: string, options: IgnoreOptions = {}, signal?: AbortSignal): Promise<IgnoreRules> {
    const problems: FailedFile[] = [];
    const onDenied = (file: string): void => {
      const path = shownPath(folder, file);
      problems.push(failedFile(path, { kind: 'rules-unread' }));
    };
    return new IgnoreRules(folder, problems, await openRuleSources(folder, options, onDenied, signal), onDenied);
  }

  /**
   * The rules inside a folder, or why it is left out after all, which only its content tells.
   * @param parent the rules of the folder around it, undefined for the indexed folder itself
   * @param names all names in it
   */
  async enter(
    parent: FolderRules | undefined,
    path: string,
    names: ReadonlySet<string>,
  ): Promise<FolderRules | IgnoredVerdict> {
    let { repository, prefix, patterns } = parent ?? this.sources;
    if (parent) {
      prefix = joinPath(prefix, baseOf(path));
      if (isBareRepository(names))
        return builtIn(parent.path, path, `${path} is left out: it is a bare git repository.`);
      const nested = names.has('.git') ? await repositoryAt(join(this.folder, path)) : undefined;
      if (nested && isRepeatedWorkTree(nested, this.folder, this.sources.repository)) {
        const reason = `${path} is left out: it is one more work tree of a repository that is indexed already.`;
        return builtIn(parent.path, path, reason);
      }
      if (nested) {
        repository = nested;
        prefix = '';
        patterns = await repositoryPatterns(nested, this.sources.user, this.onDenied);
      }
    }
    if (names.has('.gitignore')) {
      const file = join(this.folder, path, '.gitignore');
      patterns = patterns.with(await readIgnoreFile(file, false, this.onDenied), prefix, file);
    }
    return { ignored: false, path, names, repository, prefix, patterns };
  }

  /** The verdict on one entry of a folder that is not ignored itself. */
  judge(rules: FolderRules, name: string, isFolder: boolean): IgnoreVerdict {
    if (isFolder ? isAlwaysExcluded(name) : name === '.git') return neverSource(rules.path, name);
    const setting = this.sources.setting.testEntry(joinPath(rules.path, name), isFolder);
    if (setting) return bySetting(rules.path, setting);
    if (isFolder && !rules.repository && isBuildOutput(name, rules.names)) {
      return builtIn(rules.path, name, `It is left out because ${name} is what a build tool writes here.`);
    }
    const origin = rules.patterns.testEntry(joinPath(rules.prefix, name), isFolder);
    return origin ? this.byGit(rules.path, origin) : NOT_IGNORED;
  }

  /** The verdict on a file that git tracks: ignore files do not hold for it, the other rules do. */
  judgeTracked(path: string): IgnoreVerdict {
    const excluded = parentOf(path).split('/').find(isAlwaysExcluded);
    if (excluded !== undefined) return neverSource(parentOf(path), excluded);
    const setting = this.sources.setting.test(path, false);
    return setting ? bySetting(parentOf(path), setting) : NOT_IGNORED;
  }

  /**
   * The name of an entry as its folder lists it: where upper and lower case are the same, a path may be given in other
   * letters than stand on disk.
   */
  async listed(rules: FolderRules, name: string): Promise<string> {
    if (rules.names.has(name) || !(await isThere(join(this.folder, rules.path, name)))) return name;
    return ownName(name, rules.names);
  }

  /** The rules inside a folder given by its path, or the verdict on it or on the folder above it that is left out. */
  async folderAt(path: string, signal?: AbortSignal): Promise<FolderRules | IgnoredVerdict> {
    let rules = await this.enter(undefined, '', await this.namesIn(''));
    for (const given of path === '' ? [] : path.split('/')) {
      if (rules.ignored) return rules;
      const segment = await this.listed(rules, given);
      const verdict = this.judge(rules, segment, true);
      if (verdict.ignored) return verdict;
      const below = joinPath(rules.path, segment);
      rules = await this.enter(rules, below, await this.namesIn(below));
      throwIfAborted(signal);
    }
    return rules;
  }

  /**
   * Whether a file is left out and by which rule, whether or not it exists. Rules only: a file that git tracks although a
   * rule names it is indexed (see `inspectPath`). `path` is relative to the folder.
   * @throws LandmarkError `invalid-argument` for a path that leads out of the folder.
   */
  async explain(path: string, signal?: AbortSignal): Promise<IgnoreVerdict> {
    const plain = withForwardSlashes(path);
    if (!isPlainRelative(plain)) {
      throw new LandmarkError('invalid-argument', `${path} is not a path inside ${this.folder}: give a relative path.`);
    }
    const rules = await this.folderAt(parentOf(plain), signal);
    return rules.ignored ? rules : this.judge(rules, baseOf(plain), false);
  }

  private byGit(decidedIn: string, { rule, file, line }: RuleOrigin): IgnoredVerdict {
    const ruleFile = file === undefined ? undefined : shownPath(this.folder, file);
    const reason = `It is left out by the rule “${rule}” in ${ruleFile}, line ${line}.`;
    return { ignored: true, source: 'git', reason, rule, ruleFile, ruleLine: line, decidedIn };
  }

  private async namesIn(path: string): Promise<ReadonlySet<string>> {
    return new Set(await readdir(join(this.folder, path)).catch(() => []));
  }
}

function shownPath(folder: string, file: string): string {
  return withForwardSlashes(isInside(folder, file) ? relative(folder, file) : file);
}
