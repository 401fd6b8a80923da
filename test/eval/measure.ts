import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { EvaluationReport } from '../../src/engine/folderEngine';
import type { IndexReport } from '../../src/engine/types';

const CLI = join(process.cwd(), 'dist/cli.js');

export interface Measured {
  readonly report: EvaluationReport;
  readonly files: number;
}

/**
 * Indexes a tree with the built program and asks it the cases. Vectors that are known are reused, words are read anew:
 * they may be read by other rules than last time.
 * @param history a git directory and the newest commit that may be read.
 */
export function measure(
  tree: string,
  cases: string,
  data: string,
  history?: { readonly gitDir: string; readonly at: string },
): Measured {
  rmSync(join(data, 'workspaces'), { recursive: true, force: true });
  const past = history === undefined ? [] : ['--git', history.gitDir, '--at', history.at];
  const indexed = landmark<IndexReport>(['index', tree, ...past, '--json', '--data', data]);
  if (indexed.failed.length > 0) throw new Error(`${indexed.failed.length} files of ${tree} could not be indexed`);
  const report = landmark<EvaluationReport>(['eval', tree, cases, '--json', '--data', data]);
  return { report, files: indexed.files };
}

function landmark<T>(args: readonly string[]): T {
  const stdio = ['ignore', 'pipe', 'pipe'] as const;
  const run = spawnSync(process.execPath, [CLI, ...args], { encoding: 'utf8', stdio: [...stdio], maxBuffer: 1 << 28 });
  if (run.status !== 0) throw new Error(`landmark ${args[0]} failed: ${run.stderr.trim()}`);
  return JSON.parse(run.stdout) as T;
}
