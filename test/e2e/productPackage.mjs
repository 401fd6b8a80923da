// The package as people get it.
import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../..');

/** @returns the VSIX named by $E2E_VSIX, else one made now. */
export function packedProduct() {
  if (process.env.E2E_VSIX !== undefined) return process.env.E2E_VSIX;
  const vsix = join(root, 'out/product.vsix');
  mkdirSync(join(root, 'out'), { recursive: true });
  execFileSync(process.execPath, [join(root, 'src/build/package.mjs'), '--out', vsix], { stdio: 'inherit' });
  return vsix;
}
