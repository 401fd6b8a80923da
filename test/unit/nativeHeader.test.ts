import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inModule } from '../support/buildTool';
import { elfFile, machoFile, peFile } from '../support/nativeFiles';

/** The header of each file, or the error that it is refused with. */
function headersOf(files: readonly Buffer[]): unknown[] {
  const texts = JSON.stringify(files.map(file => file.toString('base64')));
  return inModule(`
    const { readNativeHeader } = await import('./src/build/nativeHeader.mjs');
    result = ${texts}.map(text => {
      try {
        return readNativeHeader(Buffer.from(text, 'base64')) ?? 'not native';
      } catch (error) {
        return error.message;
      }
    })`);
}

test('a library for Linux says its processor, what it needs and which C library it is linked with', () => {
  const glibc = ['libonnxruntime.so.1', 'libc.so.6'];
  const alpine = ['libc.musl-x86_64.so.1'];
  assert.deepEqual(
    headersOf([elfFile('x64', glibc), elfFile('arm64', alpine), elfFile('x64', ['libc.so']), elfFile('x64', [])]),
    [
      { format: 'elf', arch: 'x64', needs: glibc, libc: 'glibc' },
      { format: 'elf', arch: 'arm64', needs: alpine, libc: 'musl' },
      { format: 'elf', arch: 'x64', needs: ['libc.so'], libc: 'musl' },
      { format: 'elf', arch: 'x64', needs: [] },
    ],
  );
});

test('libraries for macOS and Windows say their processor', () => {
  const needs = ['@rpath/libonnxruntime.1.dylib', '/usr/lib/libSystem.B.dylib'];
  assert.deepEqual(headersOf([machoFile('arm64', needs), machoFile('x64', []), peFile('x64'), peFile('arm64')]), [
    { format: 'mach-o', arch: 'arm64', needs },
    { format: 'mach-o', arch: 'x64', needs: [] },
    { format: 'pe', arch: 'x64', needs: [] },
    { format: 'pe', arch: 'arm64', needs: [] },
  ]);
});

test('other processors are named, files for several and WebAssembly are told apart, text is not native', () => {
  const riscv = elfFile('x64', []);
  riscv.writeUInt16LE(0xf3, 18);
  const several = Buffer.from('cafebabe00000002', 'hex');
  const javaClass = Buffer.from('cafebabe00000034', 'hex');
  const wasm = Buffer.from('0061736d01000000', 'hex');
  assert.deepEqual(headersOf([riscv, several, javaClass, wasm, Buffer.from('export {};'), Buffer.alloc(0)]), [
    { format: 'elf', arch: 'machine 243', needs: [] },
    { format: 'mach-o', arch: 'several', needs: [] },
    'not native',
    { format: 'wasm', arch: 'any', needs: [] },
    'not native',
    'not native',
  ]);
});

test('a file that ends inside its header is refused, wherever it ends', () => {
  const whole = [elfFile('x64', ['libc.so.6']), machoFile('x64', ['/usr/lib/libSystem.B.dylib']), peFile('x64')];
  const [elf, macho, pe] = whole.map(file => headersOf([8, 24, 40].map(bytes => file.subarray(0, bytes))));
  assert.deepEqual(elf, Array(3).fill('it ends inside its ELF header'));
  // The header itself is whole after 32 bytes, the first load command is not.
  assert.deepEqual(macho, Array(3).fill('it ends inside its Mach-O header'));
  assert.deepEqual(pe, Array(3).fill('it ends inside its PE header'));
  const cut = headersOf([elfFile('x64', ['libc.so.6']).subarray(0, -4)]);
  assert.deepEqual(cut, ['it ends inside its ELF header']);
});
