// The long forms of the random tests: crashes, operations against a plain model, memory, fuzzing.
//   npm run soak -- [seconds] [--parts memory,crash,model,fuzz] [--cases n] [--kills n] [--images n] [--operations n] [--inferences n] [--seed n] [--resume]
// Within the seconds, each test does as much as it gets to. What was done stands in test/soak/result.json afterwards,
// where the figures of parts that were not run stay. --resume goes on with what was interrupted: parts that were done
// are left out, properties try the cases that are missing; `sessions` in the result says in how many runs that was.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, totalmem } from 'node:os';
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

const options = {
  ...Object.fromEntries([...Object.keys(LONG), 'parts'].map(name => [name, { type: 'string' }])),
  resume: { type: 'boolean' },
};
const { values, positionals } = parseArgs({ options, allowPositionals: true });
const amounts = Object.fromEntries(
  Object.entries(LONG).map(([name, usual]) => [name, values[name] === undefined ? usual : Number(values[name])]),
);
const seconds = positionals[0] === undefined ? Infinity : Number(positionals[0]);
if (!(seconds > 0) || Object.values(amounts).some(value => !Number.isInteger(value) || value < 0)) {
  console.error('soak: expected whole numbers');
  process.exit(2);
}

const resultFile = join(root, 'test/soak/result.json');
const figures = existsSync(resultFile) ? JSON.parse(readFileSync(resultFile, 'utf8')).figures : {};
const git = (...args) => spawnSync('git', args, { cwd: root, encoding: 'utf8' });
const isChanged = git('diff', '--quiet', 'HEAD', '--', '.', ':!test/soak/result.json').status !== 0;
const commit = `${git('rev-parse', '--short', 'HEAD').stdout.trim()}${isChanged ? ' and changes' : ''}`;

/** Where a part notes what it has done, a line each; kept, so that it can be resumed. */
const notesFolder = join(root, 'out/soak');
mkdirSync(notesFolder, { recursive: true });
const notesOf = part => join(notesFolder, `${part}.jsonl`);
const linesOf = part =>
  existsSync(notesOf(part))
    ? readFileSync(notesOf(part), 'utf8')
        .split('\n')
        .filter(Boolean)
        .map(line => JSON.parse(line))
    : [];

/** Pieces of one property are one row: the cases of all, the seed of the first. */
function rowsOf(lines) {
  const rows = new Map();
  for (const { name, ...figures } of lines) {
    const row = rows.get(name);
    if (row === undefined) rows.set(name, { name, ...figures });
    else for (const sum of ['cases', 'refused']) if (sum in row) row[sum] += figures[sum];
  }
  return [...rows.values()];
}

const parts = PARTS.filter(({ part }) => values.parts === undefined || values.parts.split(',').includes(part));
const all = parts.reduce((sum, { share }) => sum + share, 0);
let passed = true;
for (const { part, suite, only, share } of parts) {
  const before = values.resume ? linesOf(part) : [];
  if (before.some(({ part: done }) => done === part)) continue;
  const sessions = before.filter(({ session }) => session).length + 1;
  writeFileSync(notesOf(part), [...before, { session: true }].map(line => `${JSON.stringify(line)}\n`).join(''));
  const tried = Object.fromEntries(rowsOf(before.filter(({ name }) => name)).map(({ name, cases }) => [name, cases]));
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
    LANDMARK_SOAK: JSON.stringify({ ...amounts, ...limits, ...(suite === 'unit' ? { tried } : {}) }),
    LANDMARK_SOAK_NOTES: notesOf(part),
  };
  const startedAt = performance.now();
  const run = spawnSync(process.execPath, [join(root, 'test/support/run.mjs'), suite, '--only', only], {
    cwd: root,
    env,
    stdio: 'inherit',
  });
  const ended = { part, passed: run.status === 0 };
  passed &&= ended.passed;
  const lines = linesOf(part);
  if (ended.passed) writeFileSync(notesOf(part), [...lines, ended].map(line => `${JSON.stringify(line)}\n`).join(''));
  figures[part] = {
    passed: ended.passed,
    commit,
    sessions,
    'seconds of the last session': Math.round((performance.now() - startedAt) / 1000),
    tests: rowsOf(lines.filter(({ name }) => name)),
  };
  writeResult();
}

function writeResult() {
  const machine = {
    system: `${process.platform} ${process.arch}`,
    processors: availableParallelism(),
    model: cpus()[0]?.model ?? '',
    'memory GB': Math.round(totalmem() / 1024 ** 3),
    node: process.versions.node,
  };
  writeFileSync(resultFile, `${JSON.stringify({ machine, figures }, null, 2)}\n`);
}

console.log(`soak: ${passed ? 'passed' : 'failed'}; see test/soak/result.json`);
process.exit(passed ? 0 : 1);
