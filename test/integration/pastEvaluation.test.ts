import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { test } from 'node:test';
import { evaluatePast } from '../../src/engine/evaluation/pastEvaluation';
import { workspacesFolder } from '../../src/engine/store/dataFolder';
import type { IndexProgress } from '../../src/engine/types';
import { isCancelled, LandmarkError } from '../../src/util/errors';
import { testRuntime } from '../support/engineRuntime';
import { makeFileTree } from '../support/fileTree';
import { repositoryOf, type Step } from '../support/history';

const TOPICS = [
  ...['kettle', 'violin', 'harbour', 'glacier', 'lantern', 'orchard', 'pigeon', 'saddle', 'tunnel', 'walrus', 'cactus'],
  ...['anchor', 'barrel', 'candle', 'dragon', 'engine', 'falcon', 'guitar', 'hammer', 'island', 'jungle', 'kernel'],
];

/** Files about one topic each, then a commit about each: the snapshot lies behind a third of the history. */
function steps(): Step[] {
  const file = (topic: string, text: string): Record<string, string> => ({ [`src/${topic.slice(0, 3)}.js`]: text });
  const first = Object.fromEntries(
    TOPICS.flatMap(topic => Object.entries(file(topic, `function ${topic}() {\n  return 1;\n}\n`))),
  );
  const early = Array.from({ length: 13 }, (_, at) => ({ message: `start ${at}`, files: { 'notes.txt': `${at}` } }));
  const later = TOPICS.map(topic => ({
    message: `Polish the ${topic} until it shines brightly again`,
    files: file(topic, `function ${topic}() {\n  return 2;\n}\n`),
  }));
  return [{ message: 'begin', files: first }, ...early, ...later];
}

const temporary = (): string[] => readdirSync(tmpdir()).filter(name => name.startsWith('landmark-past-'));

test('a repository is asked about its own past, and nothing of that is left behind', async context => {
  const { folder } = repositoryOf(context, steps());
  const { runtime, dataDir } = await testRuntime(context);
  const before = temporary();
  const seen: IndexProgress[] = [];
  const report = await evaluatePast(folder, runtime, progress => seen.push(progress));
  // 22 commits about topics come after the 14 first; two thirds back from the newest of 36 are 23 of them.
  assert.equal(report.queries.length, 22);
  assert.equal(report.files, TOPICS.length);
  assert.equal(report.metrics['acc@1'], 1);
  assert.equal(report.metrics['place@1'], 1);
  assert.match(report.summary[0] ?? '', /^Search works well here: asked what 22 past commits did/);
  assert.deepEqual([...new Set(seen.map(({ phase }) => phase))].slice(0, 2), ['commits', 'walk']);
  assert.deepEqual(seen.at(-1), { phase: 'questions', done: 22, total: 22 });
  assert.deepEqual(temporary(), before);
  assert.deepEqual(existsSync(workspacesFolder(dataDir)) ? readdirSync(workspacesFolder(dataDir)) : [], []);
});

test('the second time no vector is computed', async context => {
  const { folder } = repositoryOf(context, steps());
  const { runtime, embedder } = await testRuntime(context);
  await evaluatePast(folder, runtime, () => {});
  const computed = embedder.windows;
  assert.ok(computed > 0);
  await evaluatePast(folder, runtime, () => {});
  assert.equal(embedder.windows, computed);
});

test('a commit after the snapshot is not seen by the history arm', async context => {
  const { folder } = repositoryOf(context, steps());
  const { runtime } = await testRuntime(context);
  const { arms } = await evaluatePast(folder, runtime, () => {});
  // Each question is the subject of a later commit: the arm would be right every time.
  assert.ok((arms['history']?.['acc@1'] ?? 1) < 0.2);
});

test('too few fitting commits, a folder without commits of its own and a cancelled run are told', async context => {
  const { folder } = repositoryOf(context, steps().slice(0, 30));
  const { runtime } = await testRuntime(context);
  await assert.rejects(
    evaluatePast(folder, runtime, () => {}),
    (error: unknown) => {
      assert.ok(error instanceof LandmarkError && error.reason === 'not-found');
      assert.match(error.message, /^Only \d+ past commits of .* make a question about one to four source files/);
      return true;
    },
  );
  await assert.rejects(
    evaluatePast(makeFileTree(context), runtime, () => {}),
    /is not the top of a git work tree/,
  );
  const { folder: whole } = repositoryOf(context, steps());
  const controller = new AbortController();
  const before = temporary();
  const stopAtQuestions = ({ phase }: IndexProgress): void => {
    if (phase === 'questions') controller.abort();
  };
  await assert.rejects(evaluatePast(whole, runtime, stopAtQuestions, controller.signal), isCancelled);
  assert.deepEqual(temporary(), before);
});
