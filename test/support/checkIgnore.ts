import { execFileSync } from 'node:child_process';
import type { IgnoreVerdict } from '../../src/engine/files/ignoreRules';
import { plainGitEnvironment } from './git';

/**
 * What `git check-ignore --no-index` says of paths below `top`: `file:line:rule` for ignored ones, '' for the others.
 * @param globalExcludes the user's own ignore file, '' for none
 */
export function gitVerdicts(top: string, paths: readonly string[], globalExcludes = ''): Map<string, string> {
  const flags = ['-c', `core.excludesFile=${globalExcludes}`, '-C', top];
  const run = ['check-ignore', '--no-index', '-v', '-n', '-z', '--stdin'];
  let output: string;
  try {
    output = execFileSync('git', [...flags, ...run], {
      encoding: 'utf8',
      env: plainGitEnvironment,
      input: paths.map(path => `${path}\0`).join(''),
    });
  } catch (error) {
    // Status 1 says that no path is ignored; it is an answer all the same.
    if (!(error instanceof Error && 'status' in error && error.status === 1 && 'stdout' in error)) throw error;
    output = String(error.stdout);
  }
  const fields = output.split('\0');
  const verdicts = new Map<string, string>();
  for (let i = 0; i + 3 < fields.length; i += 4) {
    const [source = '', line = '', rule = '', path = ''] = fields.slice(i, i + 4);
    verdicts.set(path, rule === '' || rule.startsWith('!') ? '' : `${source}:${line}:${rule}`);
  }
  return verdicts;
}

/** A verdict of ours in the same form. */
export const shownVerdict = (verdict: IgnoreVerdict): string =>
  verdict.ignored ? `${verdict.ruleFile}:${verdict.ruleLine}:${verdict.rule}` : '';
