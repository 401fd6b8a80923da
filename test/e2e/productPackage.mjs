// The package as people get it.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../..');

/** @returns the VSIX named by $E2E_VSIX, else one made now. */
export function packedProduct() {
  if (process.env.E2E_VSIX !== undefined) return process.env.E2E_VSIX;
  const vsix = join(root, 'out/product.vsix');
  mkdirSync(join(root, 'out'), { recursive: true });
  execFileSync(process.execPath, [join(root, 'src/build/package.mjs'), '--out', vsix], { stdio: 'inherit' });
  return vsix;
}

/** The command line inside the package that a server of `startServer` has installed. */
export function installedProgram({ dir }) {
  const extensions = join(dir, 'extensions');
  const [installed] = readdirSync(extensions).filter(name => name.startsWith('landmark.'));
  return join(extensions, installed, 'dist/cli.js');
}

/** What it answers from the data in a folder. */
export function installedCommandLine(vs, data, ...args) {
  const output = execFileSync(process.execPath, [installedProgram(vs), ...args, '--data', data, '--json'], {
    encoding: 'utf8',
  });
  return JSON.parse(output);
}

/** The lines of the extension's log that hold a text. */
export function loggedLines({ dir }, text) {
  const logs = join(dir, 'data/logs');
  return readdirSync(logs, { recursive: true })
    .filter(path => /landmark[^/]*\/[^/]*\.log$/i.test(path) && statSync(join(logs, path)).isFile())
    .flatMap(path => readFileSync(join(logs, path), 'utf8').split('\n'))
    .filter(line => line.includes(text));
}
