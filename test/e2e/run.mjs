// Runs the end-to-end tests in a real VS Code, one suite after the other.
//   node test/e2e/run.mjs [--only substring]
// Where they cannot run, it says why and succeeds; with CI=true it fails. Screenshots go to out/shots.
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { prepareEditor } from './editor.mjs';

const at = process.argv.indexOf('--only');
const only = at < 0 ? '' : process.argv[at + 1];
const files = readdirSync(import.meta.dirname).filter(name => name.endsWith('.test.mjs') && name.includes(only));
if (files.length === 0) {
  console.error(`no end-to-end test matches ${only}`);
  process.exit(1);
}
const { home, reason } = prepareEditor();
if (home === undefined) {
  console.error(`The end-to-end tests were not run: ${reason}`);
  process.exit(process.env.CI === 'true' ? 1 : 0);
}
const run = file =>
  spawnSync(
    process.execPath,
    ['--test', '--test-concurrency=1', '--test-reporter=spec', join(import.meta.dirname, file)],
    {
      stdio: 'inherit',
      env: { E2E_SHOTS: join(import.meta.dirname, '../../out/shots'), ...process.env, E2E_HOME: home },
    },
  ).status === 0;

// A window on a busy machine can miss a key or a click: what fails twice has failed.
const failed = files.filter(file => {
  if (run(file)) return false;
  console.error(`${file} failed and is run once more.`);
  return !run(file);
});
if (failed.length > 0) console.error(`Failed twice: ${failed.join(', ')}`);
process.exit(failed.length > 0 ? 1 : 0);
