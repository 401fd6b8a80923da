// Tries the package where people have it besides a plain folder: on disks of other kinds, over SSH, in a container.
//   npm run test:environments [name…]
// Ends with one line for each: passed, failed, or skipped with what it needs. Status 0 only where all passed, 1 where one
// failed, 3 where one was skipped. Nothing is left behind: what was mounted or started ends with its test.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { prepareEditor } from '../e2e/editor.mjs';
import { packedProduct } from '../e2e/productPackage.mjs';
import { ENVIRONMENTS } from './environments.mjs';
import { missing } from './needs.mjs';

const root = join(import.meta.dirname, '../..');
const asked = process.argv.slice(2);
const unknown = asked.find(name => !(name in ENVIRONMENTS));
if (unknown !== undefined) {
  console.error(`There is no environment ${unknown}; there are ${Object.keys(ENVIRONMENTS).join(', ')}.`);
  process.exit(2);
}

function runTests(file, env) {
  return (
    spawnSync(process.execPath, ['--test', '--test-concurrency=1', '--test-reporter=spec', join(root, file)], {
      cwd: root,
      stdio: 'inherit',
      env: { E2E_SHOTS: join(root, 'out/shots'), ...process.env, ...env },
    }).status === 0
  );
}

const outcomes = {};
let prepared;
for (const name of asked.length > 0 ? asked : Object.keys(ENVIRONMENTS)) {
  const { file, needs, what } = ENVIRONMENTS[name];
  const lacking = missing(needs);
  if (lacking.length > 0) {
    outcomes[name] = { state: 'skipped', line: `needs ${lacking.join(', ')}` };
    continue;
  }
  prepared ??= prepareEditor();
  if (prepared.home === undefined) {
    outcomes[name] = { state: 'skipped', line: `needs an editor: ${prepared.reason}` };
    continue;
  }
  console.log(`\n${name}: ${what}`);
  const test = () => runTests(file, { E2E_HOME: prepared.home, E2E_VSIX: (process.env.E2E_VSIX ??= packedProduct()) });
  // A window on a busy machine can miss a key or a click: what fails twice has failed.
  const passed = test() || test();
  outcomes[name] = { state: passed ? 'passed' : 'failed', line: what };
}

console.log('');
for (const [name, { state, line }] of Object.entries(outcomes)) console.log(`${name} ${state}: ${line}`);
const states = Object.values(outcomes).map(({ state }) => state);
process.exit(states.includes('failed') ? 1 : states.includes('skipped') ? 3 : 0);
