// The long forms of the random tests: crashes, operations against a plain model, memory, fuzzing.
//   npm run soak -- [seconds] [--parts memory,crash,model,fuzz] [--cases n] [--kills n] [--images n] [--operations n] [--inferences n] [--seed n]
// Within the seconds, each test does as much as it gets to. What was done stands in test/soak/result.json afterwards,
// where the figures of parts that were not run stay.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

const root = join(import.meta.dirname, '../..');
const LONG = { cases: 1_000_000, kills: 200, images: 50, operations: 10_000, inferences: 500, seed: 0 };
/** Each with its share of the time. */
const PARTS = [
  { part: 'memory', suite: 'integration', only: 'embedderLimits.test', share: 1 },
  { part: 'crash', suite: 'integration', only: 'crash.test', share: 6 },
  { part: 'model', suite: 'integration', only: 'modelBased.test', share: 3 },
  { part: 'fuzz', suite: 'unit', only: 'fuzz/', share: 4 },
];
/** Properties, two files at a time. */
const PROPERTIES = 17;

const options = Object.fromEntries([...Object.keys(LONG), 'parts'].map(name => [name, { type: 'string' }]));
const { values, positionals } = parseArgs({ options, allowPositionals: true });
const amounts = Object.fromEntries(
  Object.entries(LONG).map(([name, usual]) => [name, values[name] === undefined ? usual : Number(values[name])]),
);
const seconds = positionals[0] === undefined ? Infinity : Number(positionals[0]);
if (!(seconds > 0) || Object.values(amounts).some(value => !Number.isInteger(value) || value < 0)) {
  console.error('soak: expected whole numbers');
  process.exit(2);
}

const parts = PARTS.filter(({ part }) => values.parts === undefined || values.parts.split(',').includes(part));
const resultFile = join(root, 'test/soak/result.json');
const figures = existsSync(resultFile) ? JSON.parse(readFileSync(resultFile, 'utf8')).figures : {};

const scratch = mkdtempSync(join(tmpdir(), 'landmark-soak-'));
let passed = true;
try {
  const all = parts.reduce((sum, { share }) => sum + share, 0);
  for (const { part, suite, only, share } of parts) {
    const notes = join(scratch, 'notes.jsonl');
    writeFileSync(notes, '');
    const mine = (seconds * share) / all;
    // Two properties run at a time; the three crash tests and the property of store files run to their own end.
    const limits = Number.isFinite(mine)
      ? {
          caseSeconds: Math.ceil((2 * mine) / PROPERTIES),
          testSeconds: Math.ceil(suite === 'unit' ? mine / 8 : mine / 2),
        }
      : {};
    const env = {
      ...process.env,
      LANDMARK_SOAK: JSON.stringify({ ...amounts, ...limits }),
      LANDMARK_SOAK_NOTES: notes,
    };
    const run = spawnSync(process.execPath, [join(root, 'test/support/run.mjs'), suite, '--only', only], {
      cwd: root,
      env,
      stdio: 'inherit',
    });
    passed &&= run.status === 0;
    const lines = readFileSync(notes, 'utf8').split('\n').filter(Boolean);
    figures[part] = { passed: run.status === 0, tests: lines.map(line => JSON.parse(line)) };
  }
} finally {
  rmSync(scratch, { recursive: true, force: true });
}

const machine = {
  system: `${process.platform} ${process.arch}`,
  processors: availableParallelism(),
  model: cpus()[0]?.model ?? '',
  'memory GB': Math.round(totalmem() / 1024 ** 3),
  node: process.versions.node,
};
writeFileSync(resultFile, `${JSON.stringify({ machine, figures }, null, 2)}\n`);
console.log(`soak: ${passed ? 'passed' : 'failed'}; see test/soak/result.json`);
process.exit(passed ? 0 : 1);
