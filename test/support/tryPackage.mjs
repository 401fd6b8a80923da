// Unpacks a package and uses what is in it, away from the project: indexes a small folder and asks it a question.
//   node test/support/tryPackage.mjs file.vsix [--complete]
// --complete  also fails when a part is missing.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { checkPackage } from '../../src/build/checkPackage.mjs';
import { zipEntries } from '../../src/build/zipEntries.mjs';

const [path = '', flag] = process.argv.slice(2);
const archive = readFileSync(path);
const found = checkPackage(archive);
const faults = [...found.faults, ...(flag === '--complete' ? found.missing : [])];

const scratch = mkdtempSync(join(tmpdir(), 'landmark-try-'));
try {
  unpack(scratch);
  for (const [name, text] of Object.entries(folderFiles())) put(join(scratch, 'folder', name), text);
  run('index');
  const { results } = run('search', 'wait longer after every failed attempt');
  const first = results[0]?.path;
  if (first !== 'src/retry.py') faults.push(`the first answer is ${first}, expected src/retry.py`);
  const { complete, windows } = run('stats');
  console.log(
    `${found.target}: ${first} is found first; ${Math.round(complete * 100)} % of ${windows} windows have vectors`,
  );
  if (complete < 1) faults.push(`the index is ${complete} complete`);
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
for (const fault of faults) console.error(`try: ${fault}`);
if (faults.length > 0) process.exitCode = 1;

function unpack(folder) {
  for (const entry of zipEntries(archive)) put(join(folder, entry.name), entry.read());
}

function put(file, content) {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
}

/** A command of the unpacked command line, read as JSON. */
function run(command, ...words) {
  const args = [join(scratch, 'extension/dist/cli.js'), command, join(scratch, 'folder'), ...words, '--json'];
  const env = { ...process.env, LANDMARK_DATA: join(scratch, 'data') };
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8', env });
  if (stderr !== '') console.log(stderr.trim());
  if (status !== 0) throw new Error(`landmark ${command} ended with ${status}`);
  return JSON.parse(stdout);
}

function folderFiles() {
  return {
    'src/retry.py':
      'import time\n\n\ndef with_backoff(call, attempts):\n    """Call again, and wait longer after every attempt that failed."""\n    for attempt in range(attempts):\n        try:\n            return call()\n        except OSError:\n            time.sleep(2**attempt)\n',
    'src/colour.rs':
      'pub struct Colour { r: u8, g: u8, b: u8 }\n\npub fn mix(a: Colour, b: Colour) -> Colour {\n    b\n}\n',
    'README.md': '# Example\n\nTwo files that have nothing to do with each other.\n',
  };
}
