/** Runs one bench and stores what it found: `benchMain.js name [options]`. */
import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { messageOf } from '../../src/util/errors';
import { type BenchOptions, say } from './bench';
import { BENCHES } from './benches/all';
import { faultsOf, GATED_BENCHES, gatesOf } from './gates';
import { thisMachine } from './machine';
import { isReached, storeRun } from './report';
import { shownFigure, writeReport } from './reportPage';

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      full: { type: 'boolean', default: false },
      short: { type: 'boolean', default: false },
      prepare: { type: 'boolean', default: false },
      profile: { type: 'boolean', default: false },
      sizes: { type: 'string' },
      list: { type: 'boolean', default: false },
    },
  });
  if (values.list) {
    console.log((values.short ? GATED_BENCHES : BENCHES.map(one => one.name)).join('\n'));
    return;
  }
  const [name = ''] = positionals;
  const bench = BENCHES.find(one => one.name === name);
  if (bench === undefined) throw new Error(`There is no bench ${name}: ${BENCHES.map(one => one.name).join(', ')}.`);
  const options: BenchOptions = { ...values, sizes: values.sizes?.split(',').map(Number), cache: cacheFolder() };
  mkdirSync(options.cache, { recursive: true });
  say(`${name}: ${bench.title}`);
  const started = performance.now();
  const findings = await bench.run(options);
  const seconds = Math.round((performance.now() - started) / 1000);
  say(`${name}: ${seconds} s`);
  if (findings === undefined) return;
  const { figures } = findings;
  const gates = options.short ? gatesOf(name) : {};
  const shown = figures.filter(figure => !options.short || figure.name in gates);
  for (const figure of shown) {
    const reached = isReached({ ...figure, ...(options.short ? { goal: gates[figure.name] } : {}) });
    console.log(`  ${reached === false ? '✗' : reached === true ? '✓' : ' '} ${figure.name}: ${shownFigure(figure)}`);
  }
  if (options.short) {
    const faults = faultsOf(figures, gates);
    for (const fault of faults) console.error(`bench: ${fault}`);
    if (faults.length > 0) process.exitCode = 1;
    return;
  }
  // A run of other sizes, or under a profiler, is no measurement to be kept.
  if (options.sizes !== undefined || options.profile) return;
  const command = `npm run bench -- ${name}${options.full ? ' --full' : ''}`;
  const at = new Date().toISOString();
  storeRun(name, bench.title, { ...findings, at, commit: commitHere(), command, seconds, machine: thisMachine() });
  writeReport();
}

/** Where trees and indexes are kept between runs. */
function cacheFolder(): string {
  const home = process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache');
  return process.env['LANDMARK_BENCH_CACHE'] || join(home, 'landmark-code-search-bench');
}

function commitHere(): string {
  try {
    const git = (...args: string[]): string => execFileSync('git', args, { encoding: 'utf8', stdio: 'pipe' }).trim();
    const isChanged = git('status', '--porcelain', '--untracked-files=no', '--', 'src', 'models') !== '';
    return `${git('rev-parse', '--short=12', 'HEAD')}${isChanged ? ' with changes' : ''}`;
  } catch {
    return 'unknown';
  }
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.stack : messageOf(error));
  process.exitCode = 1;
});
