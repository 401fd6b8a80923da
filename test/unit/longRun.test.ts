import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { IndexProgress, IndexStats } from '../../src/engine/types';
import { LongRunGate } from '../../src/extension/longRunGate';
import type { LongRun } from '../../src/extension/model/indexState';
import { longRun, speedOf } from '../../src/extension/model/longRun';
import { Deferred } from '../../src/util/async';
import { nullLogger } from '../../src/util/logger';

const stats = (files: number, source: number, complete = 0): IndexStats => ({
  files,
  windows: 0,
  landmarks: 0,
  bytes: { source },
  model: { id: 'm', fingerprint: 'f' },
  complete,
  queue: 0,
});

test('only what is left of a big folder is a long run', () => {
  assert.equal(longRun(stats(5000, 50_000_000), 50), undefined);
  assert.equal(longRun(stats(9000, 90_000_000, 0.9), 50), undefined);
  assert.deepEqual(longRun(stats(5001, 11_300_000), 100), {
    files: 5001,
    bytes: 11_300_000,
    seconds: 100,
    diskBytes: 29_380_000,
  });
  assert.equal(longRun(stats(10, 60_000_000), 100)?.files, 10);
  assert.equal(longRun(stats(20_000, 100_000_000, 0.5), 100)?.bytes, 50_000_000);
});

test('a run tells the speed of a machine only when it was long enough', () => {
  assert.equal(speedOf({ windows: { embedded: 499 }, seconds: 100 }), undefined);
  assert.equal(speedOf({ windows: { embedded: 900 }, seconds: 4 }), undefined);
  assert.equal(speedOf({ windows: { embedded: 900 }, seconds: 30 }), 30);
});

const root = { path: '/a', name: 'a', options: { access: 'write' as const } };
const settle = (): Promise<void> => new Promise(resolve => setImmediate(resolve));

/** A gate over a folder of a given size; `follow` runs over it once. */
function gateOf(of: IndexStats, remembered?: 'allowed' | 'put-off') {
  const questions = new Map<string, LongRun | 'measuring'>();
  const answers = new Map<string, 'allowed' | 'put-off'>(remembered === undefined ? [] : [['/a', remembered]]);
  const told: string[] = [];
  const asked: Deferred<boolean | undefined>[] = [];
  const gate = new LongRunGate({
    controller: () => ({
      questions,
      setQuestion: (path, question) => {
        told.push(typeof question === 'object' ? 'asked' : (question ?? 'goes on'));
        if (question === undefined) questions.delete(path);
        else questions.set(path, question);
      },
      reader: { statsOf: () => Promise.resolve(of) },
    }),
    memory: { get: path => answers.get(path), set: (path, answer) => void answers.set(path, answer) },
    isWanted: () => true,
    speed: () => 50,
    ask: () => {
      const answer = new Deferred<boolean | undefined>();
      asked.push(answer);
      return answer.promise;
    },
    logger: nullLogger,
  });
  const follow = async (): Promise<void> => {
    const phases: IndexProgress[] = [
      { phase: 'walk', done: 0, total: 0 },
      { phase: 'lexical', done: 0, total: of.files },
      { phase: 'lexical', done: of.files, total: of.files },
      { phase: 'embed', done: 0, total: 9 },
      { phase: 'embed', done: 1, total: 9 },
    ];
    for (const phase of phases) gate.note(root, phase);
    await settle();
  };
  return { gate, follow, questions, answers, told, asked };
}

test('a small folder never waits', async () => {
  const { follow, told, asked, questions } = gateOf(stats(300, 2_000_000));
  await follow();
  assert.deepEqual([told, asked.length, questions.size], [['goes on'], 0, 0]);
});

test('a big folder waits from the moment its size is known, and goes on with a yes, which is remembered', async () => {
  const { follow, told, asked, answers } = gateOf(stats(9000, 60_000_000));
  await follow();
  assert.deepEqual(told, ['measuring', 'asked']);
  asked[0]?.resolve(true);
  await settle();
  assert.deepEqual([told.at(-1), answers.get('/a')], ['goes on', 'allowed']);
  await follow();
  assert.deepEqual([told.length, asked.length], [3, 1]);
});

test('a folder of few but huge files is asked for, too', async () => {
  const { follow, told } = gateOf(stats(40, 70_000_000));
  await follow();
  assert.deepEqual(told, ['asked']);
});

test('many files of which little is left to do go on at once', async () => {
  const { follow, told, asked } = gateOf(stats(9000, 30_000_000, 0.95));
  await follow();
  assert.deepEqual([told, asked.length], [['measuring', 'goes on'], 0]);
});

test('"not now" is remembered: the folder waits, and no question pops up again', async () => {
  const { gate, follow, asked, answers, questions } = gateOf(stats(9000, 60_000_000));
  await follow();
  asked[0]?.resolve(false);
  await settle();
  assert.equal(answers.get('/a'), 'put-off');
  await follow();
  assert.deepEqual([asked.length, questions.size], [1, 1]);
  gate.allowAll();
  assert.deepEqual([answers.get('/a'), questions.size], ['allowed', 0]);
});

test('a question that stands is not asked twice', async () => {
  const { follow, asked } = gateOf(stats(9000, 60_000_000));
  await follow();
  await follow();
  assert.equal(asked.length, 1);
});
