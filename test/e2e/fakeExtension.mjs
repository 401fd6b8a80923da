// Packs the extension with a stand-in for the engine that counts words (test/support/wordSearchMain.ts): what the window
// does is then tried without a model, with answers that a test can foresee.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';

const root = join(import.meta.dirname, '../..');

/** @returns the path of the VSIX. */
export async function packFakeExtension() {
  const folder = join(root, 'out/fake-extension');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const bundle = (entry, name) =>
    build({
      absWorkingDir: root,
      entryPoints: [entry],
      outfile: join(folder, 'dist', name),
      bundle: true,
      platform: 'node',
      format: 'cjs',
      target: 'node20',
      external: ['vscode'],
      logLevel: 'warning',
    });
  await bundle('src/extension/extension.ts', 'extension.js');
  await bundle('test/support/wordSearchMain.ts', 'search.js');
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  for (const name of ['dependencies', 'devDependencies', 'scripts']) delete manifest[name];
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
  writeFileSync(join(folder, 'README.md'), 'The extension with a stand-in for its engine, for tests.\n');
  writeFileSync(join(folder, 'LICENSE'), readFileSync(join(root, 'LICENSE')));
  const shown = ['media', 'l10n', ...readdirSync(root).filter(name => /^package\.nls\..*json$/.test(name))];
  for (const name of shown) cpSync(join(root, name), join(folder, name), { recursive: true });
  const vsix = join(root, 'out/fake-extension.vsix');
  const vsce = join(root, 'node_modules/@vscode/vsce/vsce');
  const args = [vsce, 'package', '--no-dependencies', '--allow-missing-repository', '--out', vsix];
  execFileSync(process.execPath, args, { cwd: folder, stdio: 'pipe' });
  return vsix;
}
