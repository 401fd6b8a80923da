import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import manifest from '../../package.json';
import { buildTool, inModule } from '../support/buildTool';

const RUNTIME = 'onnxruntime-node/bin/napi-v6';

/** Native files by the target that ships them, without those that are compiled on the platform itself. */
const NATIVES: Readonly<Record<string, readonly string[]>> = {
  'linux-x64': ['@lmdb/lmdb-linux-x64/node.napi.glibc.node', `${RUNTIME}/linux/x64/libonnxruntime.so.1`, `${RUNTIME}/linux/x64/onnxruntime_binding.node`],
  'linux-arm64': ['@lmdb/lmdb-linux-arm64/node.napi.glibc.node', `${RUNTIME}/linux/arm64/libonnxruntime.so.1`, `${RUNTIME}/linux/arm64/onnxruntime_binding.node`],
  'alpine-x64': ['@lmdb/lmdb-linux-x64/node.napi.musl.node', 'onnxruntime-web/dist/ort-wasm-simd-threaded.wasm'],
  'darwin-arm64': ['@lmdb/lmdb-darwin-arm64/node.napi.node', `${RUNTIME}/darwin/arm64/libonnxruntime.1.dylib`, `${RUNTIME}/darwin/arm64/onnxruntime_binding.node`],
  'darwin-x64': ['@lmdb/lmdb-darwin-x64/node.napi.node', `${RUNTIME}/darwin/x64/libonnxruntime.1.23.2.dylib`, `${RUNTIME}/darwin/x64/onnxruntime_binding.node`],
  'win32-x64': ['@lmdb/lmdb-win32-x64/node.napi.node', ...['DirectML.dll', 'dxcompiler.dll', 'dxil.dll', 'onnxruntime.dll', 'onnxruntime_binding.node'].map(name => `${RUNTIME}/win32/x64/${name}`)],
  'win32-arm64': ['@lmdb/lmdb-win32-arm64/node.napi.node', ...['DirectML.dll', 'dxcompiler.dll', 'dxil.dll', 'onnxruntime.dll', 'onnxruntime_binding.node'].map(name => `${RUNTIME}/win32/arm64/${name}`)],
}; // prettier-ignore

let scratch: string;
before(() => (scratch = mkdtempSync(join(tmpdir(), 'landmark-shipped-'))));
after(() => rmSync(scratch, { recursive: true, force: true }));

test('a package is made only with the model runtime and the store of its own platform and processor', () => {
  const { targets, here, files } = inModule<{
    readonly targets: readonly string[];
    readonly here: string;
    readonly files: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;
  }>(`
    const { TARGETS, targetOfThisMachine } = await import('./src/build/targets.mjs');
    const { loadedFiles } = await import('./src/build/packageParts.mjs');
    const targets = Object.keys(TARGETS);
    result = { targets, here: targetOfThisMachine(), files: Object.fromEntries(targets.map(name => [name, loadedFiles(name)])) }`);
  assert.deepEqual(targets, Object.keys(NATIVES));
  for (const target of targets) {
    const paths = Object.entries(files[target] ?? {}).flatMap(([name, loaded]) =>
      loaded.map(file => `${name}/${file}`),
    );
    const natives = paths.filter(path => /\.(node|dll|dylib|so\.1|wasm)$/.test(path)).sort();
    const compiled = target === here ? ['hnswlib-node/build/Release/addon.node'] : [];
    assert.deepEqual(natives, [...(NATIVES[target] ?? []), ...compiled].sort(), target);
  }
});

test('every store that a package may take from the registry is pinned by the lock file', () => {
  const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
    readonly packages: Readonly<Record<string, { readonly integrity?: string }>>;
  };
  for (const natives of Object.values(NATIVES)) {
    const store = natives[0]?.split('/', 2).join('/') ?? '';
    assert.match(packages[`node_modules/${store}`]?.integrity ?? '', /^sha512-/, store);
  }
});

test('the WebAssembly of the runtime is of the version that the native one has', () => {
  const { pinned } = inModule<{ readonly pinned: readonly { readonly name: string; readonly version: string }[] }>(
    "result = (await import('./src/build/targets.mjs')).TARGETS['alpine-x64']",
  );
  const version = manifest.dependencies['onnxruntime-node'];
  assert.deepEqual(pinned.map(pin => [pin.name, pin.version]), [['onnxruntime-web', version]]); // prettier-ignore
  assert.equal(
    (JSON.parse(readFileSync('src/build/wasmRuntime/package.json', 'utf8')) as { version: string }).version,
    version,
  );
});

test('packing stops where a file that is to ship is not there, and names it', () => {
  const parts = JSON.stringify([{ name: 'lmdb', files: ['dist/index.cjs'], folder: scratch }]);
  const script = `
    const { shippedFiles } = await import('./src/build/shippedFiles.mjs');
    try { result = shippedFiles('.', ${parts}); } catch (error) { result = error.message; }`;
  assert.match(inModule<string>(script), /are not there: .*node_modules\/lmdb\/dist\/index\.cjs/);
});

test('there are packages for known platforms only, and wrong use says what is right', () => {
  for (const [args, sentence] of [
    [['--target', 'freebsd-x64'], /there is no package for freebsd-x64; known are linux-x64, .*win32-arm64/],
    [['--target'], /--target is not understood/],
    [['--all', '--out', 'a.vsix'], /--out is for one package/],
  ] as const) {
    const { status, err } = buildTool('package.mjs', ['--no-build', ...args]);
    assert.equal(status, 1);
    assert.match(err, sentence);
  }
});

test('an archive is unpacked when its content is the pinned one, and thrown away when it is not', () => {
  mkdirSync(join(scratch, 'package'));
  writeFileSync(join(scratch, 'package/package.json'), '{"version":"1.2.3"}');
  const archive = join(scratch, 'scope-name-1.2.3.tgz');
  assert.equal(spawnSync('tar', ['-czf', 'scope-name-1.2.3.tgz', 'package'], { cwd: scratch }).status, 0);
  const content = readFileSync(archive);
  const integrity = `sha512-${createHash('sha512').update(content).digest('base64')}`;
  const unpack = (): string =>
    inModule(`
      const { unpacked } = await import('./src/build/packageParts.mjs');
      const pin = { name: '@scope/name', version: '1.2.3', integrity: '${integrity}' };
      try { result = unpacked('.', pin, ${JSON.stringify(scratch)}); } catch (error) { result = error.message; }`);
  assert.equal(readFileSync(join(unpack(), 'package.json'), 'utf8'), '{"version":"1.2.3"}');
  writeFileSync(archive, Buffer.concat([content, Buffer.from('more')]));
  rmSync(join(scratch, 'scope-name-1.2.3'), { recursive: true });
  assert.match(unpack(), /^the archive of @scope\/name 1\.2\.3 is sha512-\S+, expected sha512-/);
  assert.equal(existsSync(join(scratch, 'scope-name-1.2.3')), false);
  assert.equal(existsSync(archive), false);
});

test('the extension runs where the files are: on the remote machine, not on the one of the screen', () => {
  assert.deepEqual(manifest.extensionKind, ['workspace']);
  assert.equal(manifest.capabilities.virtualWorkspaces.supported, false);
  // A page, a port or an address would have to be carried over to the machine of the screen; there is none.
  const carried = /asExternalUri|openExternal|createWebview|registerWebview|vscode-remote|createServer/;
  const folder = join(process.cwd(), 'src/extension');
  const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(path => path.endsWith('.ts'));
  assert.ok(sources.length > 40);
  assert.deepEqual(
    sources.filter(path => carried.test(readFileSync(join(folder, path), 'utf8'))),
    [],
  );
  // Folders of other file systems have paths that mean nothing on this machine's disk.
  const unfiltered = sources.filter(path =>
    /workspace\.workspaceFolders/.test(readFileSync(join(folder, path), 'utf8')),
  );
  assert.deepEqual(unfiltered, ['fileFolders.ts']);
});
