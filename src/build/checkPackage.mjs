// Opens packages, names every native file in them and says what is wrong.
//   node src/build/checkPackage.mjs file.vsix…
import { readFileSync } from 'node:fs';
import { basename, posix } from 'node:path';
import { pathToFileURL } from 'node:url';
import { readNativeHeader } from './nativeHeader.mjs';
import { TARGETS } from './targets.mjs';
import { zipEntries } from './zipEntries.mjs';

const LARGEST_BYTES = 60 * 2 ** 20;
const FORMATS = { linux: 'elf', darwin: 'mach-o', win32: 'pe' };
/** Names of files that are native whatever stands in them; others are told by their content. */
const NATIVE_NAME = /\.(node|so(\.\d+)*|dylib|dll|exe|wasm)$/;

/** Libraries of the system or of the editor's own runtime; all others that a file needs have to lie beside it. */
const SYSTEM_LIBRARY = {
  linux: /^(lib(c|m|dl|rt|pthread|stdc\+\+|gcc_s)\.so(\.\d+)?|libc\.musl-\w+\.so\.1|ld-linux-[\w-]+\.so\.\d)$/,
  darwin: /^\/(usr\/lib|System)\//,
};

/** What a package can do without, and what it does then. */
const PARTS = [
  {
    file: /\/(onnxruntime_binding\.node|ort-wasm[\w-]*\.wasm)$/,
    name: 'model runtime',
    without: 'words, names and history answer alone',
  },
  { file: /\/@lmdb\/[^/]+\/[^/]+\.node$/, name: 'store' },
  {
    file: /\/hnswlib-node\/.*\.node$/,
    name: 'nearest-neighbour library',
    without: 'vectors are compared one by one',
  },
];

/**
 * @param archive the whole VSIX. @param target its name; by default what its own manifest says.
 * @returns { target, size, files, natives: [{ path, size, kind }], missing: [sentence], faults: [sentence] }
 */
export function checkPackage(archive, target = undefined) {
  const entries = zipEntries(archive);
  const said = targetInManifest(entries);
  const name = target ?? said;
  const expected = TARGETS[name];
  const natives = [];
  const faults = [];
  if (expected === undefined) faults.push(`it is for ${name}, which is not known`);
  if (said !== name) faults.push(`its manifest says ${said}, expected ${name}`);
  for (const entry of entries) {
    const native = nativeIn(entry);
    if (native === undefined) continue;
    natives.push({ path: entry.name, size: entry.size, kind: kindOf(native) });
    if (expected !== undefined) {
      faults.push(...faultsOf(native, expected, entry, entries).map(fault => `${entry.name}: ${fault}`));
    }
  }
  const absent = PARTS.filter(({ file }) => !natives.some(({ path }) => file.test(path)));
  faults.push(...absent.filter(({ without }) => without === undefined).map(part => `the ${part.name} is missing`));
  if (archive.length > LARGEST_BYTES) faults.push(`it is larger than ${megabytes(LARGEST_BYTES)}`);
  const missing = absent.filter(({ without }) => without !== undefined).map(part => `no ${part.name}: ${part.without}`);
  return { target: name, size: archive.length, files: entries.length, natives, missing, faults };
}

/** The target platform that vsce wrote into the manifest. */
function targetInManifest(entries) {
  const manifest = entries.find(({ name }) => name === 'extension.vsixmanifest');
  return /<Identity [^>]*TargetPlatform="([^"]*)"/.exec(manifest?.read().toString('utf8') ?? '')?.[1] ?? 'any platform';
}

function nativeIn(entry) {
  try {
    return (
      readNativeHeader(entry.read()) ?? (NATIVE_NAME.test(entry.name) ? { broken: 'it is no native file' } : undefined)
    );
  } catch (error) {
    return { broken: error.message };
  }
}

function faultsOf(native, target, entry, entries) {
  if (native.broken !== undefined) return [native.broken];
  const { format, arch, libc, needs } = native;
  // Runs anywhere, and is a part where the runtime has no native build.
  if (format === 'wasm' && target.libraries === undefined) return [];
  const faults = [];
  if (format !== FORMATS[target.platform]) faults.push(`it is ${format}, expected ${FORMATS[target.platform]}`);
  else if (arch !== target.arch) faults.push(`it is for ${arch}, expected ${target.arch}`);
  else if (libc !== undefined && libc !== target.libc)
    faults.push(`it is linked with ${libc}, expected ${target.libc}`);
  else {
    const system = SYSTEM_LIBRARY[target.platform];
    const beside = new Set(
      entries
        .filter(other => posix.dirname(other.name) === posix.dirname(entry.name))
        .map(other => posix.basename(other.name)),
    );
    for (const library of needs) {
      if (!system.test(library) && !beside.has(posix.basename(library)))
        faults.push(`it needs ${library}, which is not beside it`);
    }
  }
  return faults;
}

function kindOf({ broken, format, arch, libc }) {
  return broken === undefined ? [format, arch, libc].filter(Boolean).join(' ') : 'broken';
}

/** What was found, for people: lines without an end. */
export function describePackage(name, { target, size, files, natives, missing }) {
  return [
    `${name}: ${target}, ${megabytes(size)}, ${files} files`,
    ...natives.map(({ path, size: bytes, kind }) => `  native: ${path} (${kind}, ${megabytes(bytes)})`),
    ...missing.map(sentence => `  ${sentence}`),
  ];
}

function megabytes(bytes) {
  return `${(bytes / 2 ** 20).toFixed(1)} MB`;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const paths = process.argv.slice(2);
  if (paths.length === 0) {
    console.error('check: name packages, as in: node src/build/checkPackage.mjs landmark-code-search-*.vsix');
    process.exitCode = 2;
  }
  for (const path of paths) {
    const found = checkPackage(readFileSync(path));
    for (const line of describePackage(basename(path), found)) console.log(line);
    for (const fault of found.faults) console.error(`check: ${basename(path)}: ${fault}`);
    if (found.faults.length > 0) process.exitCode = 1;
  }
}
