import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import type { EmbedderLimits } from '../../src/host/embedderProcess';
import { EmbedderProcess } from '../../src/host/embedderProcess';
import type { EmbedderReply, EmbedderRequest } from '../../src/host/protocol';
import { isCancelled, LandmarkError } from '../../src/util/errors';
import { nullLogger } from '../../src/util/logger';
import type { FakeChild } from '../support/fakeChild';
import { fakeFork, settled } from '../support/fakeChild';

type Child = FakeChild<EmbedderRequest, EmbedderReply>;

const window = (id: number): Int32Array => Int32Array.of(id);
const windows = (count: number): Int32Array[] => Array.from({ length: count }, (_, at) => window(at));
/** What the fake model makes of a window. */
const vectorOf = (ids: Int32Array): Float32Array => Float32Array.of((ids[0] ?? 0) * 2);

/** Answers as a healthy embedder; leaves when asked to. */
function healthy(request: EmbedderRequest, child: Child, rssMb = 100): void {
  if (request.type === 'start') child.reply({ type: 'started', dimensions: 1, pid: child.pid });
  else if (request.type === 'shutdown') child.end({ code: 0 });
  else child.reply({ type: 'embedded', id: request.id, landmarks: request.windows.map(vectorOf), rssMb });
}

function embedderWith(
  onSend: (request: EmbedderRequest, child: Child) => void,
  limits: Partial<EmbedderLimits> = {},
): { readonly embedder: EmbedderProcess; readonly children: Child[] } {
  const { fork, children } = fakeFork<EmbedderRequest, EmbedderReply>(onSend);
  const embedder = new EmbedderProcess({
    embedderMain: 'embedder.js',
    modelDir: '/model',
    dimensions: 1,
    threads: 4,
    memoryLimitMb: 1000,
    logger: nullLogger,
    limits: { batchWindows: 2, leastBatches: 2, ...limits },
    fork,
  });
  return { embedder, children };
}

const batchesOf = (child: Child): number[][] =>
  child.sent.flatMap(request => (request.type === 'embed' ? [request.windows.map(ids => ids[0] ?? -1)] : []));
const rejection = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => undefined,
    error => error as unknown,
  );

function assertReason(error: unknown, reason: string, message: RegExp): void {
  assert.ok(error instanceof LandmarkError, String(error));
  assert.equal(error.reason, reason);
  assert.match(error.message, message);
}

test('no process is started before there is something to embed', async () => {
  const { embedder, children } = embedderWith(healthy);
  assert.deepEqual(await embedder.embed([]), []);
  assert.equal(children.length, 0);
});

test('windows go in small batches and come back in order', async () => {
  const { embedder, children } = embedderWith(healthy);
  const landmarks = await embedder.embed(windows(5));
  assert.deepEqual(
    landmarks.map(vector => vector[0]),
    [0, 2, 4, 6, 8],
  );
  assert.equal(children.length, 1);
  assert.deepEqual(children[0] && batchesOf(children[0]), [[0, 1], [2, 3], [4]]);
  await embedder.close();
});

test('a process over the memory cap is replaced between batches and the work goes on', async () => {
  const { embedder, children } = embedderWith((request, child) => healthy(request, child, 1001));
  const landmarks = await embedder.embed(windows(9));
  assert.equal(landmarks.length, 9);
  // At least two batches a process, however far it is over the cap.
  assert.deepEqual(children.map(batchesOf), [
    [
      [0, 1],
      [2, 3],
    ],
    [
      [4, 5],
      [6, 7],
    ],
    [[8]],
  ]);
  await embedder.close();
});

test('a batch whose process dies is given once more to a new one', async () => {
  let deaths = 0;
  const { embedder, children } = embedderWith((request, child) => {
    if (request.type === 'embed' && request.windows[0]?.[0] === 2 && deaths++ === 0) child.end({ signal: 'SIGKILL' });
    else healthy(request, child);
  });
  assert.equal((await embedder.embed(windows(5))).length, 5);
  assert.deepEqual(children.map(batchesOf), [
    [
      [0, 1],
      [2, 3],
    ],
    [[2, 3], [4]],
  ]);
  await embedder.close();
});

test('a batch that brings two processes down fails alone', async () => {
  const { embedder, children } = embedderWith((request, child) => {
    if (request.type === 'embed' && request.windows[0]?.[0] === 13) child.end({ signal: 'SIGSEGV', stderr: 'bad op' });
    else healthy(request, child);
  });
  assertReason(await rejection(embedder.embed([window(13)])), 'engine-died', /twice on the same text.*SIGSEGV.*bad op/);
  assert.equal(children.length, 2);
  assert.equal((await embedder.embed(windows(2))).length, 2);
  await embedder.close();
});

test('an error that the process answers with concerns that batch, and the process stays', async () => {
  const { embedder, children } = embedderWith((request, child) => {
    if (request.type === 'embed' && request.windows[0]?.[0] === 7) {
      child.reply({ type: 'failure', id: request.id, error: { reason: 'internal', message: 'No such shape.' } });
    } else healthy(request, child);
  });
  assertReason(await rejection(embedder.embed([window(7)])), 'internal', /No such shape/);
  assert.equal((await embedder.embed([window(1)])).length, 1);
  assert.equal(children.length, 1);
  await embedder.close();
});

test('a process that does not answer in time is ended', async t => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { embedder, children } = embedderWith(
    (request, child) => {
      if (request.type !== 'embed') healthy(request, child);
    },
    { batchMs: 60_000 },
  );
  const failed = rejection(embedder.embed(windows(1)));
  for (let attempt = 0; attempt < 2; attempt++) {
    await settled();
    assert.equal(children[attempt]?.killed, false);
    t.mock.timers.tick(60_000);
  }
  assertReason(await failed, 'engine-died', /did not answer within 60 s/);
  assert.deepEqual(
    children.map(child => child.killed),
    [true, true],
  );
});

test('a runtime that cannot load is reported as it is and not tried again at once', async t => {
  t.mock.timers.enable({ apis: ['Date'] });
  const error = { reason: 'runtime-unavailable', message: 'No runtime for this machine.' } as const;
  const { embedder, children } = embedderWith((request, child) => {
    if (request.type === 'start') child.reply({ type: 'failure', id: null, error });
  });
  for (let attempt = 0; attempt < 3; attempt++)
    assertReason(await rejection(embedder.embed(windows(1))), error.reason, /No runtime/);
  assert.equal(children.length, 1);
  assert.equal(children[0]?.killed, true);
  t.mock.timers.tick(60_000);
  assertReason(await rejection(embedder.embed(windows(1))), error.reason, /No runtime/);
  assert.equal(children.length, 2);
});

test('a process that dies while it loads is started once more with one thread, then the runtime counts as missing', async () => {
  const { embedder, children } = embedderWith((request, child) => {
    if (request.type === 'start') child.end({ signal: 'SIGILL' });
  });
  for (let attempt = 0; attempt < 2; attempt++)
    assertReason(await rejection(embedder.embed(windows(1))), 'runtime-unavailable', /SIGILL/);
  const threads = children.map(child => child.sent.map(request => (request.type === 'start' ? request.threads : '')));
  assert.deepEqual(threads, [[4], [1]]);
});

test('an abandoned call rejects at once; its windows that wait are never sent', async () => {
  const { embedder, children } = embedderWith((request, child) => {
    if (request.type !== 'embed') healthy(request, child);
  });
  const controller = new AbortController();
  const abandoned = rejection(embedder.embed(windows(4), controller.signal));
  const next = embedder.embed([window(9)]);
  await settled();
  controller.abort();
  assert.ok(isCancelled(await abandoned));
  const [child] = children;
  assert.ok(child !== undefined);
  child.reply({ type: 'embedded', id: 1, landmarks: [Float32Array.of(1), Float32Array.of(2)], rssMb: 1 });
  await settled();
  child.reply({ type: 'embedded', id: 2, landmarks: [Float32Array.of(3)], rssMb: 1 });
  assert.deepEqual(await next, [Float32Array.of(3)]);
  assert.deepEqual(batchesOf(child), [[0, 1], [9]]);
  await embedder.close();
});

test('closing cancels what waits, during a batch and during the start, and ends the process', async () => {
  for (const silentOn of ['embed', 'start'] as const) {
    const { embedder, children } = embedderWith((request, child) => {
      if (request.type !== silentOn) healthy(request, child);
    });
    const waiting = [rejection(embedder.embed(windows(1))), rejection(embedder.embed(windows(1)))];
    await settled();
    await embedder.close();
    for (const error of await Promise.all(waiting)) assert.ok(isCancelled(error), String(error));
    assert.deepEqual(
      children.map(child => child.killed),
      [true],
    );
    assert.ok(isCancelled(await rejection(embedder.embed(windows(1)))));
  }
});

test('an unused process is let go and comes back when needed', async () => {
  mock.timers.enable({ apis: ['setTimeout'] });
  try {
    const { embedder, children } = embedderWith(healthy, { idleMs: 5000 });
    await embedder.embed(windows(1));
    mock.timers.tick(4999);
    assert.deepEqual(
      children[0]?.sent.map(request => request.type),
      ['start', 'embed'],
    );
    mock.timers.tick(1);
    assert.deepEqual(
      children[0].sent.map(request => request.type),
      ['start', 'embed', 'shutdown'],
    );
    await embedder.embed(windows(1));
    assert.equal(children.length, 2);
    await embedder.close();
  } finally {
    mock.timers.reset();
  }
});
