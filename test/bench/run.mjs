// Bundles the benches and runs those that are named, all without a name, one after the other, each in a process of its
// own. The programs must be built.
//   npm run bench -- [name…] [--full | --short] [--prepare] [--profile] [--sizes 1000,10000]
// See README.md beside this file.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundle, ROOT as root } from '../support/bundle.mjs';

const args = process.argv.slice(2);
const valued = ['--sizes'];
const options = args.filter((arg, at) => arg.startsWith('--') || valued.includes(args[at - 1]));
const names = args.filter(arg => !options.includes(arg));
const outdir = join(root, 'out/bench');

if (!existsSync(join(root, 'dist/embedder.js'))) {
  console.error('The programs are not built: run "npm run build".');
  process.exit(1);
}
await bundle({
  entryPoints: readdirSync(import.meta.dirname, { recursive: true })
    .filter(name => name.endsWith('Main.ts'))
    .map(name => join('test/bench', name)),
  outbase: 'test/bench',
  outdir,
});

// The short form begins with nothing: what was kept may have been made by other code.
const scratch = options.includes('--short') ? mkdtempSync(join(tmpdir(), 'landmark-bench-')) : undefined;
const env = { ...process.env, ...(scratch === undefined ? {} : { LANDMARK_BENCH_CACHE: scratch }) };
const program = join(outdir, 'benchMain.js');
const runOne = name =>
  spawnSync(process.execPath, ['--enable-source-maps', program, name, ...options], {
    cwd: root,
    env,
    stdio: 'inherit',
  });
const listed = spawnSync(process.execPath, [program, '--list', ...(options.includes('--short') ? ['--short'] : [])], {
  cwd: root,
  encoding: 'utf8',
});
const wanted = names.length > 0 ? names : listed.stdout.trim().split('\n');
let failed;
try {
  failed = wanted.filter(name => runOne(name).status !== 0);
} finally {
  if (scratch !== undefined) rmSync(scratch, { recursive: true, force: true, maxRetries: 5 });
}
if (failed.length > 0) console.error(`bench: these ended with an error: ${failed.join(', ')}`);
process.exit(failed.length > 0 ? 1 : 0);
