// Bundles the tests of the named suites and runs them with Node's own test runner.
//   node test/support/run.mjs unit integration [--only substring]
//   node test/support/run.mjs --files test/unit/a.test.ts …
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { bundle, ROOT as root } from './bundle.mjs';

const args = process.argv.slice(2);
const at = args.indexOf('--only');
const only = at < 0 ? '' : args.splice(at, 2)[1];
const named = args[0] === '--files' ? args.splice(0).slice(1) : [];
const suites = named.length > 0 ? [] : args.length > 0 ? args : ['unit'];

const isTest = name => name.endsWith('.test.ts') && name.includes(only);
const testsBelow = dir =>
  readdirSync(join(root, dir), { recursive: true })
    .map(name => join(dir, String(name)))
    .filter(isTest);

const files = [...named];
for (const suite of suites) {
  const dir = join('test', suite);
  if (!existsSync(join(root, dir))) throw new Error(`there is no suite ${dir}`);
  files.push(...testsBelow(dir));
}
if (suites.includes('unit'))
  files.push(
    ...readdirSync(join(root, 'test'))
      .map(name => join('test', name))
      .filter(isTest),
  );
if (files.length === 0) {
  console.error(`no test file matches: ${suites.join(' ')} ${only}`);
  process.exit(1);
}

const outdir = join(root, 'out', (suites.join('-') || 'named') + (only ? `-${only.replace(/\W/g, '_')}` : ''));
rmSync(outdir, { recursive: true, force: true });
await bundle({ entryPoints: files, outbase: root, outdir, external: ['vscode'] });
const built = files.map(file => join(outdir, relative('.', file).replace(/\.ts$/, '.js')));
const concurrency = files.every(file => /^test[\\/](unit[\\/]|[^\\/]+$)/.test(file)) ? 2 : 1;
const run = spawnSync(
  process.execPath,
  ['--enable-source-maps', '--test', `--test-concurrency=${concurrency}`, '--test-reporter=spec', ...built],
  { cwd: root, stdio: 'inherit' },
);
process.exit(run.status ?? 1);
