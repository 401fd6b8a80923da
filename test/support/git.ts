import { execFileSync } from 'node:child_process';

/** The environment of a git that knows nothing of the machine it runs on. */
export const plainGitEnvironment: NodeJS.ProcessEnv = {
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('GIT_'))),
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_SYSTEM: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
  XDG_CONFIG_HOME: '/nonexistent',
  GIT_AUTHOR_NAME: 'Test',
  GIT_AUTHOR_EMAIL: 'test@example.org',
  GIT_COMMITTER_NAME: 'Test',
  GIT_COMMITTER_EMAIL: 'test@example.org',
  LC_ALL: 'C',
};

/** Runs git in a folder and gives its output; throws where git fails. */
export function git(folder: string, args: readonly string[], input = ''): string {
  return execFileSync('git', ['-C', folder, ...args], {
    encoding: 'utf8',
    env: plainGitEnvironment,
    input,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
}
