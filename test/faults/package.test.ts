import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { buildTool, inModule } from '../support/buildTool';

const MEGABYTE = 2 ** 20;

interface Found {
  readonly target: string;
  readonly size: number;
  readonly natives: readonly { readonly path: string; readonly kind: string }[];
  readonly missing: readonly string[];
  readonly faults: readonly string[];
  readonly listing: string;
}

test('the package of this platform holds the native files of this platform, all of them and no others', () => {
  const scratch = mkdtempSync(join(tmpdir(), 'landmark-package-'));
  try {
    const vsix = join(scratch, 'made.vsix');
    const made = buildTool('package.mjs', ['--out', vsix]);
    assert.equal(made.status, 0, made.err);
    const here = inModule<{ readonly name: string; readonly found: Found }>(`
      const { readFileSync } = await import('node:fs');
      const { checkPackage } = await import('./src/build/checkPackage.mjs');
      const { targetOfThisMachine } = await import('./src/build/targets.mjs');
      const { zipEntries } = await import('./src/build/zipEntries.mjs');
      const archive = readFileSync(${JSON.stringify(vsix)});
      const listing = zipEntries(archive).find(({ name }) => name === 'extension/readme.md').read().toString('utf8');
      result = { name: targetOfThisMachine(), found: { ...checkPackage(archive), listing } }`);
    const { found } = here;
    assert.equal(found.target, here.name);
    assert.deepEqual([found.faults, found.missing], [[], []]);
    assert.ok(found.size <= 60 * MEGABYTE, `${found.size} bytes`);
    const arch = process.arch;
    for (const { path, kind } of found.natives) assert.ok(kind.split(' ').includes(arch), `${path}: ${kind}`);
    for (const part of [/onnxruntime_binding\.node$/, /@lmdb\/.*\.node$/, /hnswlib-node\/.*addon\.node$/]) {
      assert.equal(found.natives.filter(({ path }) => part.test(path)).length, 1, String(part));
    }
    assert.match(found.listing, new RegExp(`## This package\\n\\n- It is made for \`${here.name}\``));
    assertLoads(vsix, scratch);
    assertSaysWhatIsMissing(join(scratch, 'extension'));
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
});

/** Unpacked anywhere, with nothing of the project around it, it loads every native part from itself. */
function assertLoads(vsix: string, scratch: string): void {
  inModule(`
    const { mkdirSync, readFileSync, writeFileSync } = await import('node:fs');
    const { dirname, join } = await import('node:path');
    const { zipEntries } = await import('./src/build/zipEntries.mjs');
    for (const entry of zipEntries(readFileSync(${JSON.stringify(vsix)}))) {
      const path = join(${JSON.stringify(scratch)}, entry.name);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, entry.read());
    }`);
  const script = `
    for (const name of ['onnxruntime-node', 'lmdb', 'hnswlib-node']) {
      const found = require.resolve(name);
      if (!found.startsWith(process.cwd())) throw new Error(name + ' is ' + found);
      require(name);
    }`;
  const extension = realpathSync(join(scratch, 'extension'));
  const loaded = spawnSync(process.execPath, ['-e', script], { cwd: extension, encoding: 'utf8' });
  assert.equal(loaded.status, 0, loaded.stderr);
}

/** What stands in a package of another platform is not found; that must be said, and must not stop what needs it not. */
function assertSaysWhatIsMissing(extension: string): void {
  const run = (
    command: string,
    ...words: readonly string[]
  ): { readonly status: number | null; readonly text: string } => {
    const args = ['dist/cli.js', command, 'l10n', ...words];
    const env = { ...process.env, LANDMARK_DATA: join(extension, 'data') };
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: extension, encoding: 'utf8', env });
    return { status, text: stdout + stderr };
  };
  for (const name of ['onnxruntime-node', 'hnswlib-node'])
    rmSync(join(extension, 'node_modules', name), { recursive: true });
  const indexed = run('index');
  assert.equal(indexed.status, 0, indexed.text);
  assert.match(
    indexed.text,
    /ONNX Runtime does not load on this machine \(\w+ \w+\); search goes on without the model\./,
  );
  assert.match(run('search', 'landmark').text, /^1  bundle\.l10n\.\S+/);
  rmSync(join(extension, 'node_modules/@lmdb'), { recursive: true });
  const broken = run('search', 'landmark');
  assert.equal(broken.status, 1);
  assert.match(
    broken.text,
    /^The store cannot be loaded on this machine \(\w+ \w+\): .* Install the package that is made for its platform\.\n$/,
  );
}
