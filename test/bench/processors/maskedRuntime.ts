import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** What the runtime is told that the processor has not; each leaves out what the ones before it do. */
export const MASKS = ['vnni', 'avx512', 'avx'] as const;
export type Mask = (typeof MASKS)[number];

const RUNTIME = 'node_modules/onnxruntime-node/bin/napi-v6/linux/x64/libonnxruntime.so.1';
const SOURCE = 'test/bench/processors/mask.c';
const CPUID = Buffer.from([0x0f, 0xa2]);
/** Illegal on every processor, and as long. */
const UD2 = Buffer.from([0x0f, 0x0b]);

/**
 * Makes a copy of ONNX Runtime that asks `mask.c` for the features of the processor, and gives the environment in which a
 * program loads that copy. ONNX Runtime itself has no setting for this. Linux on x64 with a C compiler and objdump.
 */
export function maskedRuntime(cache: string): (mask: Mask) => NodeJS.ProcessEnv {
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    throw new Error('Features can be masked on Linux with an x64 processor only.');
  }
  const runtime = readFileSync(RUNTIME);
  const source = readFileSync(SOURCE);
  const version = createHash('sha256').update(runtime).update(source).digest('hex').slice(0, 16);
  const folder = join(cache, `masked-runtime-${version}`);
  // A library is found by its name: where this one is loaded already, the other is not looked for.
  const copy = join(folder, 'libonnxruntime.so.1');
  const handler = join(folder, 'mask.so');
  if (!existsSync(copy)) {
    mkdirSync(folder, { recursive: true });
    execFileSync('cc', ['-O1', '-shared', '-fPIC', '-o', handler, SOURCE]);
    writeFileSync(`${copy}.new`, withoutCpuid(runtime));
    renameSync(`${copy}.new`, copy);
  }
  return mask => ({ LD_PRELOAD: `${handler} ${copy}`, LANDMARK_MASK: mask });
}

function withoutCpuid(runtime: Buffer): Buffer {
  const listing = execFileSync('objdump', ['-d', '--no-show-raw-insn', RUNTIME], {
    maxBuffer: 2 ** 30,
    encoding: 'latin1',
  });
  const patched = Buffer.from(runtime);
  let found = 0;
  for (const [, address = ''] of listing.matchAll(/^ *([0-9a-f]+):\s+cpuid\b/gm)) {
    // The segment of the code lies in the file as it does in memory.
    const at = Number.parseInt(address, 16);
    if (!patched.subarray(at, at + 2).equals(CPUID)) throw new Error(`There is no cpuid at ${address} of ${RUNTIME}.`);
    UD2.copy(patched, at);
    found++;
  }
  if (found === 0) throw new Error(`${RUNTIME} asks for no features.`);
  return patched;
}
