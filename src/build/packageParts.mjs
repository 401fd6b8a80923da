import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { targetNamed, targetOfThisMachine } from './targets.mjs';

const DOWNLOAD_LIMIT_MS = 600_000;
const DEFAULT_CACHE = 'out/parts';

/**
 * The packages that ship outside the bundles of a target, by their names, with the files that are loaded of each. The
 * library for nearest neighbours is one of them on this machine's own platform only: it has no binaries and is compiled.
 */
export function loadedFiles(targetName) {
  const target = targetNamed(targetName);
  const compiled = {
    'hnswlib-node': ['lib/index.js', 'build/Release/addon.node'],
    bindings: ['bindings.js'],
    'file-uri-to-path': ['index.js'],
  };
  // Of the store's builds the one for every version of Node and Electron, and for the C library of the target.
  const store = target.libc === undefined ? 'node.napi.node' : `node.napi.${target.libc}.node`;
  return {
    ...runtimeFiles(target),
    ...(targetName === targetOfThisMachine() ? compiled : {}),
    lmdb: ['dist/index.cjs'],
    [`@lmdb/lmdb-${target.platform}-${target.arch}`]: ['index.js', store],
    msgpackr: ['dist/node.cjs'],
    'ordered-binary': ['dist/index.cjs'],
    'weak-lru-cache': ['dist/index.cjs'],
    '@harperfast/extended-iterable': ['dist/index.cjs'],
    'node-gyp-build-optional-packages': ['index.js', 'node-gyp-build.js'],
    'detect-libc': ['lib/detect-libc.js', 'lib/elf.js', 'lib/filesystem.js', 'lib/process.js'],
  };
}

/**
 * Where the packages of `loadedFiles` are: in node_modules, or, for what belongs to another platform or version, in an
 * archive of the registry that npm is set up with, unpacked after its content was compared with what is pinned.
 * @returns [{ name, files, folder }]
 */
export function packageParts(root, targetName) {
  const target = targetNamed(targetName);
  return Object.entries(loadedFiles(targetName)).map(([name, files]) => ({
    name,
    files,
    folder: folderOf(root, name, target),
  }));
}

function runtimeFiles({ platform, arch, libraries }) {
  const common = { 'onnxruntime-common': ['dist/cjs/package.json', 'dist/cjs/*.js'] };
  if (libraries === undefined) {
    const webAssembly = ['dist/ort.node.min.js', 'dist/ort-wasm-simd-threaded.mjs', 'dist/ort-wasm-simd-threaded.wasm'];
    return { 'onnxruntime-node': ['index.js'], 'onnxruntime-web': webAssembly, ...common };
  }
  const binaries = `bin/napi-v6/${platform}/${arch}`;
  const scripts = ['backend', 'binding', 'index', 'version'].map(name => `dist/${name}.js`);
  const natives = ['onnxruntime_binding.node', ...libraries].map(name => `${binaries}/${name}`);
  return { 'onnxruntime-node': [...scripts, ...natives], ...common };
}

function folderOf(root, name, { libraries, pinned = [] }) {
  if (name === 'onnxruntime-node' && libraries === undefined) return join(root, 'src/build/wasmRuntime');
  const installed = join(root, 'node_modules', name);
  const pin = pinned.find(each => each.name === name);
  if (pin !== undefined) return unpacked(root, pin);
  if (existsSync(installed)) return installed;
  const { version, integrity } = lockedPackage(root, name);
  return unpacked(root, { name, version, integrity });
}

function lockedPackage(root, name) {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  const locked = packages[`node_modules/${name}`];
  if (locked === undefined) throw new Error(`${name} is neither in node_modules nor in package-lock.json`);
  return locked;
}

/** @throws when the content of the archive is not the expected one; nothing of it is unpacked then. */
export function unpacked(root, { name, version, integrity }, cache = join(root, DEFAULT_CACHE)) {
  const fileName = `${name.replace(/^@/, '').replace('/', '-')}-${version}`;
  const archive = `${fileName}.tgz`;
  const path = join(cache, archive);
  mkdirSync(cache, { recursive: true });
  if (!existsSync(path)) download(cache, `${name}@${version}`, path);
  const [algorithm] = integrity.split('-', 1);
  const found = `${algorithm}-${createHash(algorithm).update(readFileSync(path)).digest('base64')}`;
  if (found !== integrity) {
    rmSync(path);
    throw new Error(`the archive of ${name} ${version} is ${found}, expected ${integrity}`);
  }
  const folder = join(cache, fileName);
  if (!existsSync(folder)) {
    // Apart and then in place: another run may be about to read it.
    const scratch = mkdtempSync(`${folder}-`);
    // Relative paths: tar takes a letter with a colon for another machine.
    execFileSync('tar', ['-xzf', `../${archive}`], { cwd: scratch });
    renameSync(scratch, folder);
  }
  return join(folder, readdirSync(folder)[0]);
}

function download(cache, spec, path) {
  const scratch = mkdtempSync(join(cache, 'npm-'));
  try {
    execFileSync('npm', ['pack', spec, '--silent', '--pack-destination', scratch], {
      cwd: scratch,
      timeout: DOWNLOAD_LIMIT_MS,
      stdio: ['ignore', 'ignore', 'pipe'],
      shell: process.platform === 'win32',
    });
    const [name] = readdirSync(scratch);
    if (name === undefined) throw new Error(`npm gave no archive of ${spec}`);
    renameSync(join(scratch, name), path);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}
