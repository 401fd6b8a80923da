import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { plainGitEnvironment } from '../../support/git';
import type { CodeCorpus } from '../codeCorpus';

const BASE = 'base';
const OTHER = 'other';

/** Commits all files of a folder on one branch, and a change of some of them on another. Stays on the first. */
export function makeBranches(tree: string, corpus: CodeCorpus, changed: number): void {
  if (git(tree, 'branch', '--list', OTHER) !== '') {
    checkout(tree, BASE);
    return;
  }
  commitAll(tree, 'All files');
  git(tree, 'branch', '--force', BASE);
  git(tree, 'checkout', '--quiet', '-b', OTHER);
  for (let at = 0; at < changed; at++) {
    const file = join(tree, corpus.path(Math.floor((at * corpus.size) / changed)));
    writeFileSync(file, `${readFileSync(file, 'utf8')}\n// ${corpus.query(at)} on the other branch ${at}\n`);
  }
  commitAll(tree, 'Some files');
  checkout(tree, BASE);
}

export function checkout(tree: string, branch: typeof BASE | typeof OTHER): void {
  git(tree, 'checkout', '--quiet', '--force', branch);
}

function commitAll(tree: string, message: string): void {
  git(tree, 'add', '--all');
  git(tree, 'commit', '--quiet', `--message=${message}`);
}

function git(tree: string, ...args: string[]): string {
  const stdio = ['ignore', 'pipe', 'pipe'] as const;
  return execFileSync('git', ['-C', tree, ...args], { env: plainGitEnvironment, encoding: 'utf8', stdio: [...stdio] });
}
