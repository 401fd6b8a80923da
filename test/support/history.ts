import type { TestContext } from 'node:test';
import { makeFileTree, writeFileTree } from './fileTree';
import { git } from './git';

/** A commit with the files as they are after it. */
export interface Step {
  readonly message: string;
  readonly files: Readonly<Record<string, string>>;
}

/** A repository with a work tree and these commits, oldest first; removed after the test. */
export function repositoryOf(context: TestContext, steps: readonly Step[]): { folder: string; commits: string[] } {
  const folder = makeFileTree(context);
  git(folder, ['init', '--quiet', '--initial-branch=main']);
  const commits = steps.map(({ message, files }) => {
    writeFileTree(folder, files);
    git(folder, ['add', '--all']);
    git(folder, ['commit', '--quiet', '--allow-empty', '--file=-'], message);
    return git(folder, ['rev-parse', 'HEAD']).trim();
  });
  return { folder, commits };
}
