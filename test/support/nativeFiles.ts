/** Small files with the headers of native ones, as far as they are looked at. */

const ELF_MACHINES = { x64: 0x3e, arm64: 0xb7 } as const;
const MACHO_CPUS = { x64: 0x01000007, arm64: 0x0100000c } as const;
const PE_MACHINES = { x64: 0x8664, arm64: 0xaa64 } as const;

export type NativeArch = keyof typeof ELF_MACHINES;

/** A 64-bit ELF library: one loaded segment at address 0x1000 that holds its dynamic section and that one's strings. */
export function elfFile(arch: NativeArch, needs: readonly string[]): Buffer {
  const headerBytes = 64 + 2 * 56;
  const strings = Buffer.from(`\0${needs.map(name => `${name}\0`).join('')}`);
  const entries: (readonly [tag: number, value: number])[] = [];
  let at = 1;
  for (const name of needs) {
    entries.push([1, at]);
    at += name.length + 1;
  }
  const dynamicBytes = (entries.length + 2) * 16;
  entries.push([5, 0x1000 + headerBytes + dynamicBytes], [0, 0]);
  const file = Buffer.alloc(headerBytes + dynamicBytes + strings.length);
  file.set([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1]);
  file.writeUInt16LE(3, 16);
  file.writeUInt16LE(ELF_MACHINES[arch], 18);
  file.writeBigUInt64LE(64n, 32);
  file.writeUInt16LE(56, 54);
  file.writeUInt16LE(2, 56);
  writeSegment(file, 64, { kind: 1, offset: 0, size: file.length });
  writeSegment(file, 120, { kind: 2, offset: headerBytes, size: dynamicBytes });
  for (const [index, [tag, value]] of entries.entries()) {
    file.writeBigUInt64LE(BigInt(tag), headerBytes + index * 16);
    file.writeBigUInt64LE(BigInt(value), headerBytes + index * 16 + 8);
  }
  file.set(strings, headerBytes + dynamicBytes);
  return file;
}

interface Segment {
  readonly kind: number;
  readonly offset: number;
  readonly size: number;
}

function writeSegment(file: Buffer, at: number, { kind, offset, size }: Segment): void {
  file.writeUInt32LE(kind, at);
  file.writeBigUInt64LE(BigInt(offset), at + 8);
  file.writeBigUInt64LE(BigInt(0x1000 + offset), at + 16);
  file.writeBigUInt64LE(BigInt(size), at + 32);
}

/** A 64-bit Mach-O library: a load command of no interest, then one for each library. */
export function machoFile(arch: NativeArch, needs: readonly string[]): Buffer {
  const header = Buffer.alloc(32);
  header.writeUInt32LE(0xfeedfacf, 0);
  header.writeUInt32LE(MACHO_CPUS[arch], 4);
  header.writeUInt32LE(needs.length + 1, 16);
  const other = Buffer.alloc(24);
  other.writeUInt32LE(0x1b, 0);
  other.writeUInt32LE(other.length, 4);
  const commands = needs.map(name => {
    const command = Buffer.alloc(24 + Math.ceil((name.length + 1) / 8) * 8);
    command.writeUInt32LE(0x0c, 0);
    command.writeUInt32LE(command.length, 4);
    command.writeUInt32LE(24, 8);
    command.write(name, 24);
    return command;
  });
  return Buffer.concat([header, other, ...commands]);
}

/** A Windows library: the stub for DOS, then the PE header. */
export function peFile(arch: NativeArch): Buffer {
  const file = Buffer.alloc(0x100);
  file.write('MZ', 0);
  file.writeUInt32LE(0x80, 0x3c);
  file.write('PE\0\0', 0x80);
  file.writeUInt16LE(PE_MACHINES[arch], 0x84);
  return file;
}

/** A ZIP archive without compression. */
export function zipFile(files: Readonly<Record<string, Buffer>>): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let at = 0;
  for (const [name, content] of Object.entries(files)) {
    const local = Buffer.alloc(30);
    local.writeUInt32LE(0x04034b50, 0);
    local.writeUInt16LE(name.length, 26);
    const entry = Buffer.alloc(46);
    entry.writeUInt32LE(0x02014b50, 0);
    entry.writeUInt32LE(content.length, 20);
    entry.writeUInt32LE(content.length, 24);
    entry.writeUInt16LE(name.length, 28);
    entry.writeUInt32LE(at, 42);
    parts.push(local, Buffer.from(name), content);
    directory.push(entry, Buffer.from(name));
    at += local.length + name.length + content.length;
  }
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(directory.length / 2, 10);
  end.writeUInt32LE(at, 16);
  return Buffer.concat([...parts, ...directory, end]);
}
