// Runs the tests in the extension host, through @vscode/test-electron, on a workspace of 2,000 files.
//   node test/host/run.mjs [--desktop] [--version 1.108.0] [--only substring]
// --desktop downloads a desktop VS Code; without it code-server stands in for it. The program must be built.
// What they measure is added, a JSON line each, to the file that LANDMARK_FIGURES names.
// Where they cannot run, it says why and succeeds; with CI=true it fails.
import { existsSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { runTests } from '@vscode/test-electron';
import { prepareEditor } from '../e2e/editor.mjs';
import { SOURCES } from '../e2e/sources.mjs';
import { bundle, ROOT as root } from '../support/bundle.mjs';

const FILES = 2000;
const args = process.argv.slice(2);
const isDesktop = args.includes('--desktop');
const versionAt = args.indexOf('--version');
const onlyAt = args.indexOf('--only');
const only = onlyAt < 0 ? '' : args[onlyAt + 1];

const editor = isDesktop ? {} : prepareEditor();
if (editor.reason !== undefined) {
  console.error(`The tests in the extension host were not run: ${editor.reason}`);
  process.exit(process.env.CI === 'true' ? 1 : 0);
}
for (const name of ['extension', 'search', 'embedder']) {
  if (!existsSync(join(root, 'dist', `${name}.js`)))
    throw new Error(`dist/${name}.js is not there: run "npm run build".`);
}

const outdir = join(root, 'out/host');
rmSync(outdir, { recursive: true, force: true });
await bundle({
  entryPoints: readdirSync(join(root, 'test/host'))
    .filter(name => name.endsWith('.ts') && (!name.endsWith('.test.ts') || name.includes(only)))
    .map(name => `test/host/${name}`),
  outdir,
  packages: 'bundle',
  external: ['vscode', 'mocha'],
});

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'landmark-host-')));
const workspace = join(folder, 'workspace');
const sources = Object.entries(SOURCES);
for (let at = 0; at < FILES; at++) {
  const [path, text] = sources[at % sources.length];
  const file = join(workspace, `part${at % 40}`, `copy${at}`, path);
  mkdirSync(dirname(file), { recursive: true });
  // Every file is another, so that every one has to be embedded.
  writeFileSync(file, `${text}\n// ${Array.from({ length: 30 }, (_, word) => `word${at}x${word}`).join(' ')}\n`);
}

let code = 1;
try {
  code = await runTests({
    ...(isDesktop ? {} : { vscodeExecutablePath: join(root, 'test/e2e/code.mjs') }),
    ...(versionAt < 0 ? {} : { version: args[versionAt + 1] }),
    extensionDevelopmentPath: root,
    extensionTestsPath: join(outdir, 'runner'),
    launchArgs: [workspace, '--disable-workspace-trust', '--disable-extensions'],
    extensionTestsEnv: {
      LANDMARK_DATA: join(folder, 'data'),
      ...(editor.home === undefined ? {} : { E2E_HOME: editor.home }),
      ...(process.env.LANDMARK_FIGURES === undefined ? {} : { LANDMARK_FIGURES: process.env.LANDMARK_FIGURES }),
    },
  });
} catch (error) {
  console.error(String(error));
} finally {
  rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
}
process.exit(code);
