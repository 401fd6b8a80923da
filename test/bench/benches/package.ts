import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Bench, BenchOptions } from '../bench';
import type { Findings } from '../report';

const MEGABYTE = 2 ** 20;

export const packageSize: Bench = {
  name: 'package',
  title: 'Size of the package',
  run,
};

/** Of this machine's platform; the others are checked where they are made. */
function run({ prepare }: BenchOptions): Promise<Findings | undefined> {
  if (prepare) return Promise.resolve(undefined);
  const folder = mkdtempSync(join(tmpdir(), 'landmark-package-'));
  try {
    const out = join(folder, 'package.vsix');
    execFileSync(process.execPath, ['src/build/package.mjs', '--out', out], { stdio: ['ignore', 2, 2] });
    const value = statSync(out).size / MEGABYTE;
    return Promise.resolve({
      parameters: { platform: `${process.platform}-${process.arch}` },
      figures: [{ name: 'package', value, unit: 'MB', goal: { atMost: 60 }, note: 'of 1,048,576 bytes' }],
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
}
