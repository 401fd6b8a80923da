// Finds, or installs once, the VS Code for the window tests: code-server and Chromium.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** @returns { home } for startServer, or { reason } why there is none here. */
export function prepareEditor() {
  const { E2E_HOME } = process.env;
  if (E2E_HOME !== undefined) {
    return existsSync(E2E_HOME) ? { home: E2E_HOME } : { reason: `E2E_HOME names no folder: ${E2E_HOME}` };
  }
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    return {
      reason: `code-server is installed for these tests on linux-x64 only, this is ${process.platform}-${process.arch}.`,
    };
  }
  const setup = spawnSync('bash', [join(import.meta.dirname, 'setup.sh')], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const home = setup.stdout.trim().split('\n').at(-1);
  if (setup.status === 0 && home) return { home };
  return { reason: `test/e2e/setup.sh failed.\n${setup.stderr.trim()}` };
}
