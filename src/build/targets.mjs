// The platforms that a package is made for, by the names that the editor gives them.

/**
 * The runtime of the model where the version in use has no binary: the last one that had, by its archive.
 * ONNX Runtime stopped building for Macs with Intel processors after it. The project's own lock file pins all others.
 */
const LAST_RUNTIME_FOR_INTEL_MACS = [
  {
    name: 'onnxruntime-node',
    version: '1.23.2',
    integrity: 'sha512-OBTsG0W8ddBVOeVVVychpVBS87A9YV5sa2hJ6lc025T97Le+J4v++PwSC4XFs1C62SWyNdof0Mh4KvnZgtt4aw==',
  },
  {
    name: 'onnxruntime-common',
    version: '1.23.2',
    integrity: 'sha512-5LFsC9Dukzp2WV6kNHYLNzp8sT6V02IubLCbzw2Xd6X5GOlr65gAX6xiJwyi2URJol/s71gaQLC5F2C25AAR2w==',
  },
];

/** The runtime as WebAssembly, in the version of the project's native one, where that has no binaries. */
const WEB_RUNTIME = [
  {
    name: 'onnxruntime-web',
    version: '1.30.0',
    integrity: 'sha512-q0y+JrrtukXSzsBWEMccVfqX25LRmosXHF+CaRJmg8pZClzcV7svNc4rKY3jL02Vb7QmRMDs1SigqR4CXAfKYQ==',
  },
];

const LINUX_LIBRARIES = ['libonnxruntime.so.1'];
const MAC_LIBRARIES = ['libonnxruntime.1.dylib'];
const WINDOWS_LIBRARIES = ['onnxruntime.dll', 'DirectML.dll', 'dxcompiler.dll', 'dxil.dll'];

/**
 * platform, arch: as Node names them.
 * libc: what programs for Linux are linked with.
 * libraries: those beside the binding of ONNX Runtime; undefined where it runs as WebAssembly.
 * pinned: packages that are taken beside the project's, or in another version.
 */
export const TARGETS = {
  'linux-x64': { platform: 'linux', arch: 'x64', libc: 'glibc', libraries: LINUX_LIBRARIES },
  'linux-arm64': { platform: 'linux', arch: 'arm64', libc: 'glibc', libraries: LINUX_LIBRARIES },
  'alpine-x64': { platform: 'linux', arch: 'x64', libc: 'musl', pinned: WEB_RUNTIME },
  'darwin-arm64': { platform: 'darwin', arch: 'arm64', libraries: MAC_LIBRARIES },
  'darwin-x64': {
    platform: 'darwin',
    arch: 'x64',
    libraries: ['libonnxruntime.1.23.2.dylib'],
    pinned: LAST_RUNTIME_FOR_INTEL_MACS,
  },
  'win32-x64': { platform: 'win32', arch: 'x64', libraries: WINDOWS_LIBRARIES },
  'win32-arm64': { platform: 'win32', arch: 'arm64', libraries: WINDOWS_LIBRARIES },
};

/** The target of this machine; a name without an entry above where no package is made for it. */
export function targetOfThisMachine() {
  const { platform, arch } = process;
  const isMusl = platform === 'linux' && process.report.getReport().header.glibcVersionRuntime === undefined;
  return `${isMusl ? 'alpine' : platform}-${arch}`;
}

/** @throws for a target that no package is made for. */
export function targetNamed(name) {
  const target = TARGETS[name];
  if (target !== undefined) return target;
  throw new Error(`there is no package for ${name}; known are ${Object.keys(TARGETS).join(', ')}`);
}
