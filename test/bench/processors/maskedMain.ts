/**
 * Runs a command with fewer instructions for the model: `maskedMain.js vnni|avx512|avx command…`. Bundle it by
 * `npm run bench -- processors --prepare`, which also makes the copy of the runtime.
 */
import { spawnSync } from 'node:child_process';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { type Mask, MASKS, maskedRuntime } from './maskedRuntime';

const [mask, program, ...args] = process.argv.slice(2);
if (program === undefined || !MASKS.includes(mask as Mask)) {
  console.error(`Usage: maskedMain.js ${MASKS.join('|')} command…`);
  process.exit(2);
}
const cache = process.env['LANDMARK_BENCH_CACHE'] || join(homedir(), '.cache/landmark-code-search-bench');
const env = { ...process.env, ...maskedRuntime(cache)(mask as Mask) };
process.exit(spawnSync(program, args, { stdio: 'inherit', env }).status ?? 1);
