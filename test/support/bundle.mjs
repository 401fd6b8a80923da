import { join } from 'node:path';
import { build } from 'esbuild';

/** Where paths of entry points begin. */
export const ROOT = join(import.meta.dirname, '../..');

/** Bundles programs of the tests as the product's are, for Node; packages stay outside unless `options` says otherwise. */
export function bundle(options) {
  return build({
    absWorkingDir: ROOT,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node20',
    sourcemap: 'inline',
    packages: 'external',
    logLevel: 'warning',
    ...options,
  });
}
