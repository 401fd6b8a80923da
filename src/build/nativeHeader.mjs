// Reads what a native file is built for from its first bytes: ELF, Mach-O, PE and WebAssembly.

const ELF_MAGIC = 0x7f454c46;
const ELF_MACHINES = new Map([
  [0x3e, 'x64'],
  [0xb7, 'arm64'],
  [0x03, 'ia32'],
  [0x28, 'arm'],
]);
const ELF_LOAD = 1;
const ELF_DYNAMIC = 2;
const ELF_NEEDED = 1n;
const ELF_STRINGS = 5n;

const MACHO_64 = 0xfeedfacf;
const MACHO_FAT = [0xcafebabe, 0xcafebabf];
const MACHO_CPUS = new Map([
  [0x01000007, 'x64'],
  [0x0100000c, 'arm64'],
]);
/** LC_LOAD_DYLIB, LC_LOAD_WEAK_DYLIB and LC_REEXPORT_DYLIB. */
const MACHO_LIBRARIES = [0x0c, 0x80000018, 0x8000001f];

const PE_MACHINES = new Map([
  [0x8664, 'x64'],
  [0xaa64, 'arm64'],
  [0x014c, 'ia32'],
]);

/**
 * What a native file says of itself.
 * format: `elf`, `mach-o`, `pe` or `wasm`. arch: as Node names it, else the number in the header.
 * needs: libraries that it loads, by the names it gives (ELF and Mach-O).
 * libc: `glibc` or `musl`, of an ELF file that is linked with one.
 * @param bytes the whole file. @returns undefined for a file that is not native. @throws for a damaged one.
 */
export function readNativeHeader(bytes) {
  if (bytes.length < 4) return undefined;
  const magic = bytes.readUInt32BE(0);
  if (magic === ELF_MAGIC) return whole('ELF', () => readElf(bytes));
  if (bytes.readUInt32LE(0) === MACHO_64) return whole('Mach-O', () => readMachO(bytes));
  // A Java class begins with the same number; what stands in place of the count of parts is its version there.
  if (MACHO_FAT.includes(magic) && bytes.length >= 8 && bytes.readUInt32BE(4) < 20)
    return { format: 'mach-o', arch: 'several', needs: [] };
  if (bytes.toString('latin1', 0, 2) === 'MZ') return whole('PE', () => readPe(bytes));
  if (magic === 0x0061736d) return { format: 'wasm', arch: 'any', needs: [] };
  return undefined;
}

function whole(format, read) {
  try {
    return read();
  } catch (error) {
    if (error instanceof RangeError) throw new Error(`it ends inside its ${format} header`, { cause: error });
    throw error;
  }
}

/** System V ABI, "Object Files"; 64 bits and little-endian, as every machine that is meant here. */
function readElf(bytes) {
  const arch = ELF_MACHINES.get(bytes.readUInt16LE(18)) ?? `machine ${bytes.readUInt16LE(18)}`;
  if (bytes[4] !== 2 || bytes[5] !== 1) return { format: 'elf', arch, needs: [] };
  const needs = elfLibraries(bytes);
  const libc = libcOf(needs);
  return { format: 'elf', arch, needs, ...(libc === undefined ? {} : { libc }) };
}

/** Alpine calls its C library `libc.musl-x86_64.so.1`, a cross compiler for musl `libc.so`. */
function libcOf(needs) {
  if (needs.includes('libc.so.6')) return 'glibc';
  return needs.some(name => name === 'libc.so' || name.startsWith('libc.musl-')) ? 'musl' : undefined;
}

function elfLibraries(bytes) {
  const segments = elfSegments(bytes);
  const dynamic = segments.find(({ kind }) => kind === ELF_DYNAMIC);
  if (dynamic === undefined) return [];
  const entries = [];
  for (let at = dynamic.offset; at < dynamic.offset + dynamic.size; at += 16) {
    entries.push([bytes.readBigInt64LE(at), Number(bytes.readBigUInt64LE(at + 8))]);
  }
  const strings = entries.find(([tag]) => tag === ELF_STRINGS)?.[1];
  const holder = segments.find(
    ({ kind, address, size }) => kind === ELF_LOAD && strings >= address && strings < address + size,
  );
  if (holder === undefined) throw new Error('its dynamic section has no strings');
  const start = strings - holder.address + holder.offset;
  return entries.filter(([tag]) => tag === ELF_NEEDED).map(([, value]) => textAt(bytes, start + value));
}

function elfSegments(bytes) {
  const first = Number(bytes.readBigUInt64LE(32));
  const each = bytes.readUInt16LE(54);
  return Array.from({ length: bytes.readUInt16LE(56) }, (_, index) => {
    const at = first + index * each;
    return {
      kind: bytes.readUInt32LE(at),
      offset: Number(bytes.readBigUInt64LE(at + 8)),
      address: Number(bytes.readBigUInt64LE(at + 16)),
      size: Number(bytes.readBigUInt64LE(at + 32)),
    };
  });
}

/** `mach_header_64` and its load commands (mach-o/loader.h). */
function readMachO(bytes) {
  const arch = MACHO_CPUS.get(bytes.readUInt32LE(4)) ?? `processor ${bytes.readUInt32LE(4)}`;
  const needs = [];
  let at = 32;
  for (let left = bytes.readUInt32LE(16); left > 0; left--) {
    if (MACHO_LIBRARIES.includes(bytes.readUInt32LE(at))) needs.push(textAt(bytes, at + bytes.readUInt32LE(at + 8)));
    at += bytes.readUInt32LE(at + 4);
  }
  return { format: 'mach-o', arch, needs };
}

/** The DOS header says where the PE header stands ("PE Format"). */
function readPe(bytes) {
  const at = bytes.readUInt32LE(0x3c);
  if (bytes.readUInt32LE(at) !== 0x4550) throw new Error('it is a program for DOS');
  const machine = bytes.readUInt16LE(at + 4);
  return { format: 'pe', arch: PE_MACHINES.get(machine) ?? `machine ${machine}`, needs: [] };
}

function textAt(bytes, start) {
  const end = bytes.indexOf(0, start);
  if (start >= bytes.length || end < 0) throw new RangeError('a name has no end');
  return bytes.toString('utf8', start, end);
}
