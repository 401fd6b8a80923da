// Bundles one of the evaluation's programs and runs it with the arguments that follow.
//   node test/eval/run.mjs fixed|repositories [arguments]
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { bundle, ROOT as root } from '../support/bundle.mjs';

const [name, ...args] = process.argv.slice(2);
const entry = join(root, 'test/eval', `${name}Main.ts`);
if (name === undefined || !existsSync(entry)) {
  console.error('Usage: node test/eval/run.mjs fixed|repositories [arguments]');
  process.exit(2);
}
if (!existsSync(join(root, 'dist/cli.js'))) {
  console.error('dist/cli.js is not there: run "npm run build".');
  process.exit(1);
}
const outfile = join(root, 'out/eval', `${name}.js`);
await bundle({ entryPoints: [entry], outfile });
const run = spawnSync(process.execPath, ['--enable-source-maps', outfile, ...args], { cwd: root, stdio: 'inherit' });
process.exit(run.status ?? 1);
