import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { buildTool } from '../support/buildTool';
import { elfFile, machoFile, peFile, zipFile } from '../support/nativeFiles';

const RUNTIME = 'extension/node_modules/onnxruntime-node/bin/napi-v6/linux/x64';
const STORE = 'extension/node_modules/@lmdb/lmdb-linux-x64/node.napi.glibc.node';
const GRAPHS = 'extension/node_modules/hnswlib-node/build/Release/addon.node';
const MACHO = machoFile('x64', []);
const WASM = Buffer.from('0061736d01000000', 'hex');

let scratch: string;
before(() => (scratch = mkdtempSync(join(tmpdir(), 'landmark-check-'))));
after(() => rmSync(scratch, { recursive: true, force: true }));

/** A package for Linux on x64 with nothing wrong, but for the given files; undefined takes one away. */
function packageWith(changes: Readonly<Record<string, Buffer | undefined>>, target = 'linux-x64'): string {
  const files: Record<string, Buffer | undefined> = {
    'extension.vsixmanifest': Buffer.from(`<Identity Language="en-US" TargetPlatform="${target}"/>`),
    'extension/package.json': Buffer.from('{}'),
    [`${RUNTIME}/onnxruntime_binding.node`]: elfFile('x64', ['libonnxruntime.so.1', 'libstdc++.so.6', 'libc.so.6']),
    [`${RUNTIME}/libonnxruntime.so.1`]: elfFile('x64', ['libc.so.6', 'ld-linux-x86-64.so.2']),
    [STORE]: elfFile('x64', ['libc.so.6']),
    [GRAPHS]: elfFile('x64', ['libc.so.6']),
    ...changes,
  };
  const path = join(scratch, 'made.vsix');
  writeFileSync(path, zipFile(Object.fromEntries(Object.entries(files).filter(([, file]) => file !== undefined)) as Record<string, Buffer>)); // prettier-ignore
  return path;
}

function faultsWith(changes: Readonly<Record<string, Buffer | undefined>>, target?: string): string[] {
  const { status, err } = buildTool('checkPackage.mjs', [packageWith(changes, target)]);
  const lines = err.split('\n').filter(line => line !== '');
  assert.equal(status, lines.length === 0 ? 0 : 1, err);
  return lines.map(line => line.replace('check: made.vsix: ', ''));
}

test('every native file of a package is named with what it is for', () => {
  const { status, out, err } = buildTool('checkPackage.mjs', [packageWith({})]);
  assert.deepEqual([status, err], [0, '']);
  const named = out.split('\n').flatMap(line => /native: (\S+) \((.*), /.exec(line)?.slice(1, 3).join(' ') ?? []);
  assert.deepEqual(named.sort(), [
    `${STORE} elf x64 glibc`,
    `${GRAPHS} elf x64 glibc`,
    `${RUNTIME}/libonnxruntime.so.1 elf x64 glibc`,
    `${RUNTIME}/onnxruntime_binding.node elf x64 glibc`,
  ]);
});

test('a native file of another system, processor or C library is refused, whatever its name', () => {
  assert.deepEqual(faultsWith({ [STORE]: elfFile('arm64', ['libc.so.6']) }), [
    `${STORE}: it is for arm64, expected x64`,
  ]);
  assert.deepEqual(faultsWith({ [STORE]: elfFile('x64', ['libc.musl-x86_64.so.1']) }), [
    `${STORE}: it is linked with musl, expected glibc`,
  ]);
  assert.deepEqual(faultsWith({ 'extension/media/icon.png': MACHO, 'extension/a.dll': peFile('x64') }), [
    'extension/media/icon.png: it is mach-o, expected elf',
    'extension/a.dll: it is pe, expected elf',
  ]);
});

test('WebAssembly is a part where the model runtime has no native build, and nowhere else', () => {
  const wasm = { 'extension/node_modules/onnxruntime-web/dist/ort-wasm-simd-threaded.wasm': WASM };
  assert.deepEqual(faultsWith(wasm), [`${Object.keys(wasm)[0]}: it is wasm, expected elf`]);
  const alpine = {
    [`${RUNTIME}/onnxruntime_binding.node`]: undefined,
    [`${RUNTIME}/libonnxruntime.so.1`]: undefined,
    [STORE]: elfFile('x64', ['libc.so']),
    [GRAPHS]: elfFile('x64', ['libc.musl-x86_64.so.1']),
    ...wasm,
  };
  assert.deepEqual(faultsWith(alpine, 'alpine-x64'), []);
  const { out } = buildTool('checkPackage.mjs', [packageWith(alpine, 'alpine-x64')]);
  assert.ok(!out.includes('no model runtime'), out);
});

test('a native name over something else, and a file that is cut, are refused', () => {
  assert.deepEqual(faultsWith({ [GRAPHS]: Buffer.from('<html>') }), [`${GRAPHS}: it is no native file`]);
  assert.deepEqual(faultsWith({ [GRAPHS]: elfFile('x64', ['libc.so.6']).subarray(0, 100) }), [
    `${GRAPHS}: it ends inside its ELF header`,
  ]);
});

test('a library that a native file needs has to lie beside it', () => {
  assert.deepEqual(faultsWith({ [`${RUNTIME}/libonnxruntime.so.1`]: undefined }), [
    `${RUNTIME}/onnxruntime_binding.node: it needs libonnxruntime.so.1, which is not beside it`,
  ]);
});

test('a package without its store is refused; without the model runtime or the graphs it is said', () => {
  assert.deepEqual(faultsWith({ [STORE]: undefined }), ['the store is missing']);
  const bare = packageWith({
    [`${RUNTIME}/onnxruntime_binding.node`]: undefined,
    [`${RUNTIME}/libonnxruntime.so.1`]: undefined,
    [GRAPHS]: undefined,
  });
  const { status, out } = buildTool('checkPackage.mjs', [bare]);
  assert.equal(status, 0);
  assert.match(out, /no model runtime: words, names and history answer alone/);
  assert.match(out, /no nearest-neighbour library: vectors are compared one by one/);
});

test('a package for an unknown platform or for any, a package too large and no package are refused', () => {
  assert.deepEqual(faultsWith({}, 'freebsd-x64'), ['it is for freebsd-x64, which is not known']);
  assert.deepEqual(faultsWith({ 'extension.vsixmanifest': undefined }), ['it is for any platform, which is not known']);
  assert.deepEqual(faultsWith({ 'extension/large.bin': Buffer.alloc(60 * 2 ** 20) }), ['it is larger than 60.0 MB']);
  assert.equal(buildTool('checkPackage.mjs', []).status, 2);
});
