import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { after, before, test } from 'node:test';
import { OnnxEmbedder } from '../../src/engine/model/onnxEmbedder';
import { windowCapacity } from '../../src/engine/model/windows';
import { EmbedderProcess } from '../../src/host/embedderProcess';
import { nullLogger } from '../../src/util/logger';
import { amount, noteFigures, seedFrom } from '../support/amount';
import { childRole, endOf, messageFrom, startRole } from '../support/childRole';
import { testModel, testRuntime } from '../support/engineRuntime';
import { assertExact, ExactSearch } from '../support/exactSearch';
import { makeFileTree } from '../support/fileTree';
import { buildHostPrograms, type HostPrograms } from '../support/hostPrograms';
import { RandomFiles, readFiles } from '../support/randomFiles';
import { randomNumbers } from '../support/vectors';

/** Most growth of resident memory for each run of the model, in MB. */
const MOST_SLOPE = 0.2;
/** Runs after which memory has its size: the longest windows come first. */
const WARM_UP = 20;

/** Resident memory in MB after each of so many runs on windows of any length. */
async function memoryOverRuns(runs: number, seed: number): Promise<number[]> {
  const model = await testModel();
  const embedder = await OnnxEmbedder.create(model, { threads: 1 });
  const capacity = windowCapacity(model.manifest);
  const random = randomNumbers(seed);
  const memory: number[] = [];
  for (let run = 0; run < WARM_UP + runs; run++) {
    // Squared: many short ones, all lengths in the end.
    const length = run < 3 ? capacity : 1 + Math.floor(random() ** 2 * (capacity - 1));
    await embedder.embed([Int32Array.from({ length }, () => 1000 + Math.floor(random() * 20_000))]);
    memory.push(process.memoryUsage.rss() / 1024 / 1024);
  }
  await embedder.close();
  return memory.slice(WARM_UP);
}

/** Whether a session with far more threads than there are processors works, and how many processors are allowed. */
async function sessionOn(threads: number): Promise<unknown> {
  const embedder = await OnnxEmbedder.create(await testModel(), { threads });
  const [rows] = await embedder.embed([Int32Array.of(2000, 2001)]);
  await embedder.close();
  return { allowed: availableParallelism(), finite: rows?.every(Number.isFinite) === true };
}

const role = childRole();
if (role) {
  const [part, ...numbers] = role;
  const [first = 0, second = 0] = numbers.map(Number);
  const work = part === 'memory' ? memoryOverRuns(first, second) : sessionOn(first);
  void work.then(value => process.send?.(value, () => process.disconnect()));
} else defineTests();

/** Slope of a straight line through the values, by least squares. */
function slopeOf(values: readonly number[]): number {
  const middle = (values.length - 1) / 2;
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  let across = 0;
  let along = 0;
  for (const [at, value] of values.entries()) {
    across += (at - middle) * (value - mean);
    along += (at - middle) ** 2;
  }
  return across / along;
}

function defineTests(): void {
  let programs: HostPrograms;
  before(async () => {
    programs = await buildHostPrograms();
  });
  after(() => rmSync(programs.directory, { recursive: true, force: true }));

  test('the slope of a line is what it says', () => {
    assert.equal(slopeOf([1, 3, 5, 7]), 2);
    assert.equal(slopeOf([4, 4, 4]), 0);
  });

  test('memory does not grow with the number of runs, whatever their lengths', { timeout: 3600_000 }, async () => {
    const [runs, seed] = [amount('inferences', 100), seedFrom(51)];
    const child = startRole(__filename, 'memory', String(runs), String(seed));
    const memory = (await messageFrom(child)) as number[];
    await endOf(child);
    assert.equal(memory.length, runs);
    const slope = slopeOf(memory);
    noteFigures('memory over runs of the model', {
      runs,
      seed,
      'MB a run': Math.round(slope * 10_000) / 10_000,
      'MB at the end': Math.round(memory.at(-1) ?? 0),
    });
    assert.ok(slope < MOST_SLOPE, `${slope} MB a run`);
  });

  test('where one processor is allowed, one thread is the default, and a session with more works', async t => {
    if (process.platform !== 'linux') return t.skip('processors are taken away by taskset, on Linux');
    const allowed = /^Cpus_allowed_list:\t(\d+)/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ?? '0';
    if (spawnSync('taskset', ['-c', allowed, 'true']).status !== 0) return t.skip('there is no taskset here');
    const child = startRole(__filename, 'session', '8');
    // Before the runtime loads: the child still reads its own program.
    assert.equal(spawnSync('taskset', ['-a', '-c', '-p', allowed, String(child.pid)]).status, 0);
    assert.deepEqual(await messageFrom(child), { allowed: 1, finite: true });
    await endOf(child);
  });

  test('an embedder that is replaced again and again goes on where it was, and the answers are the same', async t => {
    const random = new RandomFiles(randomNumbers(seedFrom(52)));
    const folder = makeFileTree(
      t,
      Object.fromEntries(Array.from({ length: 12 }, () => [random.path(), random.text()])),
    );
    const { dimensions, k } = (await testModel()).manifest;
    const replaced: string[] = [];
    const embedder = new EmbedderProcess({
      embedderMain: programs.wordEmbedder,
      modelDir: `${dimensions} ${k}`,
      dimensions,
      threads: 1,
      // Less than any process has.
      memoryLimitMb: 1,
      logger: { ...nullLogger, info: message => replaced.push(message) },
      limits: { batchWindows: 8, leastBatches: 1 },
    });
    const { open } = await testRuntime(t, { indexEmbedder: () => Promise.resolve(embedder) });
    const opened = await open(folder);
    const files = readFiles(folder);
    const exact = await ExactSearch.create();
    const report = await opened.sync();
    assert.equal(report.windows.embedded, exact.contentKeys(files.values()).size);
    assert.deepEqual([report.embedded, report.failed], [files.size, []]);
    assert.ok(replaced.length >= 3, `${replaced.length} replaced`);
    assert.match(replaced[0] ?? '', /replaced after 1 batches: it holds \d+ MB of 1 MB/);
    await assertExact(opened.engine, exact, files, random.query(), 'after the last one');
  });
}
