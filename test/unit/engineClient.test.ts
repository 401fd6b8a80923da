import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EngineExit } from '../../src/host/engineClient';
import { EngineClient } from '../../src/host/engineClient';
import type { ClientMessage, EngineConfig, FolderStatus, ServerMessage } from '../../src/host/protocol';
import { PROTOCOL_VERSION } from '../../src/host/protocol';
import { isCancelled, LandmarkError } from '../../src/util/errors';
import { nullLogger } from '../../src/util/logger';
import type { FakeChild } from '../support/fakeChild';
import { fakeFork, settled } from '../support/fakeChild';
import { embedProgress, emptyReport } from '../support/fakeEngine';

type Child = FakeChild<ClientMessage, ServerMessage>;
type Behaviour = (message: ClientMessage, child: Child) => void;

const config: EngineConfig = { dataDir: '/data', modelDir: '/model', embedderMain: '', threads: 1, memoryLimitMb: 1 };
const stats = { folder: '/a' };
const openA = { folder: '/a', options: { access: 'read' } } as const;

/** Greets, opens what it is told to, leaves when asked; everything else stays without an answer. */
const polite: Behaviour = (message, child) => {
  if (message.type === 'hello') child.reply({ type: 'ready', version: PROTOCOL_VERSION, pid: child.pid });
  else if (message.type === 'shutdown') child.end({ code: 0 });
  else if (message.type === 'request' && message.request.kind === 'open') {
    child.reply({ type: 'response', id: message.id, value: { folder: message.request.params.folder } });
  }
};

interface Setup {
  readonly client: EngineClient;
  readonly children: Child[];
  readonly exits: EngineExit[];
  /** Moves the clock, in milliseconds. */
  readonly pass: (milliseconds: number) => void;
}

function start(behaviour: Behaviour = polite): Setup {
  const { fork, children } = fakeFork<ClientMessage, ServerMessage>(behaviour);
  let time = 1_000_000;
  const client = EngineClient.start({ searchMain: 'search.js', config, logger: nullLogger, fork, now: () => time });
  const exits: EngineExit[] = [];
  client.onExit(exit => exits.push(exit));
  return { client, children, exits, pass: milliseconds => (time += milliseconds) };
}

const rejection = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => undefined,
    error => error as unknown,
  );
const requestsOf = (child: Child | undefined): string[] =>
  (child?.sent ?? []).map(message => (message.type === 'request' ? message.request.kind : message.type));

async function assertDied(promise: Promise<unknown>, message: RegExp): Promise<void> {
  const error = await rejection(promise);
  assert.ok(error instanceof LandmarkError, String(error));
  assert.equal(error.reason, 'engine-died');
  assert.match(error.message, message);
}

test('the process is greeted with its configuration before the first request', async () => {
  const { client, children } = start();
  assert.deepEqual(await client.request('open', openA), { folder: '/a' });
  assert.deepEqual(children[0]?.sent[0], { type: 'hello', version: PROTOCOL_VERSION, config });
  assert.deepEqual(requestsOf(children[0]), ['hello', 'open']);
});

test('answers find their requests, in whatever order they come', async () => {
  const { client, children } = start();
  const first = client.request('stats', stats);
  const second = rejection(client.request('explain', { folder: '/a', file: 'x' }));
  await settled();
  const child = children[0];
  child?.reply({ type: 'failure', id: 2, error: { reason: 'not-indexed', message: 'Index it first.' } });
  child?.reply({ type: 'response', id: 1, value: 'the statistics' });
  child?.reply({ type: 'response', id: 99, value: 'for nobody' });
  assert.equal(await first, 'the statistics');
  assert.deepEqual(await second, new LandmarkError('not-indexed', 'Index it first.'));
});

test('progress goes to the request, status to the listeners until they leave', async () => {
  const { client, children } = start();
  const seen: unknown[] = [];
  const leave = client.onStatus(status => seen.push(status.state));
  const sync = client.request('sync', { folder: '/a', rebuild: false }, { onProgress: ({ done }) => seen.push(done) });
  await settled();
  const status: FolderStatus = {
    folder: '/a',
    state: 'indexing',
    done: 0,
    total: 0,
    complete: 0,
    files: 0,
    problems: 0,
    reason: '',
    vectors: true,
  };
  children[0]?.reply({ type: 'progress', id: 1, progress: embedProgress(5, 9) });
  children[0]?.reply({ type: 'status', status });
  leave();
  children[0]?.reply({ type: 'status', status });
  children[0]?.reply({ type: 'response', id: 1, value: emptyReport });
  assert.deepEqual(await sync, emptyReport);
  assert.deepEqual(seen, [5, 'indexing']);
});

test('an aborted request is cancelled by number and waits until the engine has let go', async () => {
  const { client, children } = start();
  const controller = new AbortController();
  let over = false;
  const sync = rejection(client.request('sync', { folder: '/a', rebuild: false }, { signal: controller.signal }));
  void sync.then(() => (over = true));
  await settled();
  controller.abort();
  await settled();
  assert.deepEqual(children[0]?.sent.at(-1), { type: 'cancel', id: 1 });
  assert.equal(over, false);
  children[0].reply({ type: 'failure', id: 1, error: { reason: 'cancelled', message: 'Cancelled.' } });
  assert.ok(isCancelled(await sync));
});

test('an engine that does not let go keeps nobody waiting for long', async t => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { client } = start();
  const controller = new AbortController();
  const request = rejection(client.request('stats', stats, { signal: controller.signal }));
  await settled();
  controller.abort();
  t.mock.timers.tick(5000);
  assert.ok(isCancelled(await request));
});

test('a request that was aborted before it began is never sent', async () => {
  const { client, children } = start();
  assert.ok(isCancelled(await rejection(client.request('stats', stats, { signal: AbortSignal.abort() }))));
  assert.deepEqual(requestsOf(children[0]), ['hello']);
});

test('when the process dies, what is pending says how, and the next request starts it with its folders open', async () => {
  const { client, children, exits } = start();
  await client.request('open', openA);
  const pending = client.request('stats', stats);
  await settled();
  children[0]?.end({ signal: 'SIGSEGV', stderr: 'note\nTypeError: no such page\n    at x.js:1\n' });
  await assertDied(pending, /ended with signal SIGSEGV \(TypeError: no such page\); .*next request starts it again/);
  assert.equal(exits.length, 1);
  assert.equal(exits[0]?.restarts, true);
  assert.equal(children.length, 1);
  const after = client.request('stats', stats);
  await settled();
  assert.deepEqual(requestsOf(children[1]), ['hello', 'open', 'stats']);
  assert.deepEqual(children[1]?.sent[1], { type: 'request', id: 1, request: { kind: 'open', params: openA } });
  children[1].reply({ type: 'response', id: 2, value: 'again' });
  assert.equal(await after, 'again');
});

test('a folder that was closed is not opened again', async () => {
  const { client, children } = start((message, child) => {
    polite(message, child);
    if (message.type === 'request' && message.request.kind === 'closeFolder') {
      child.reply({ type: 'response', id: message.id, value: null });
    }
  });
  await client.request('open', openA);
  await client.request('closeFolder', { folder: '/a' });
  children[0]?.end({ code: 1 });
  void rejection(client.request('stats', stats));
  await settled();
  assert.deepEqual(requestsOf(children[1]), ['hello', 'stats']);
});

test('a folder that cannot be opened again says why in every request', async () => {
  let opens = 0;
  const { client, children } = start((message, child) => {
    if (message.type === 'request' && message.request.kind === 'open' && ++opens > 1) {
      child.reply({
        type: 'failure',
        id: message.id,
        error: { reason: 'not-found', message: 'There is no folder /a.' },
      });
    } else polite(message, child);
  });
  await client.request('open', openA);
  children[0]?.end({ code: 1 });
  for (let attempt = 0; attempt < 2; attempt++) {
    assert.deepEqual(
      await rejection(client.request('stats', stats)),
      new LandmarkError('not-found', 'There is no folder /a.'),
    );
  }
});

test('after a second death within a minute it goes on without the model, after a third not at all', async () => {
  const { client, children, exits, pass } = start();
  children[0]?.end({ code: 1 });
  const second = client.request('stats', stats);
  await settled();
  pass(59_999);
  children[1]?.end({ code: 134, stderr: 'Aborted' });
  await assertDied(
    second,
    /twice within a minute; the last time it ended with exit code 134 \(Aborted\); .* without the model, to answer from words/,
  );
  const third = client.request('stats', stats);
  await settled();
  children[2]?.reply({ type: 'response', id: 1, value: 'words' });
  assert.equal(await third, 'words');
  pass(59_999);
  children[2]?.end({ code: 134 });
  await assertDied(client.request('stats', stats), /twice within a minute and stays down/);
  assert.deepEqual(
    children.map(child => child.program.args),
    [[], [], ['--without-query-model']],
  );
  assert.deepEqual(
    exits.map(exit => exit.restarts),
    [true, true, false],
  );
});

test('a process that hangs is ended, one that only takes long is not', async t => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const { client, children, exits } = start();
  const long = client.request('stats', stats);
  await settled();
  for (let ping = 0; ping < 20; ping++) {
    t.mock.timers.tick(10_000);
    assert.deepEqual(children[0]?.sent.at(-1), { type: 'ping' });
    children[0].reply({ type: 'pong' });
  }
  children[0]?.reply({ type: 'response', id: 1, value: 'late' });
  assert.equal(await long, 'late');
  const sent = children[0]?.sent.length;
  t.mock.timers.tick(200_000);
  assert.equal(children[0]?.sent.length, sent, 'who owes nothing is not asked');

  const hanging = client.request('stats', stats);
  await settled();
  t.mock.timers.tick(60_000);
  assert.equal(children[0]?.killed, false);
  t.mock.timers.tick(10_000);
  assert.equal(children[0].killed, true);
  await assertDied(hanging, /It gave no sign for 60 s\); .* the next request starts it again\./);
  assert.deepEqual(
    exits.map(exit => exit.restarts),
    [true],
  );
});

test('deaths a minute apart do not add up', async () => {
  const { client, children, pass } = start();
  for (let death = 0; death < 3; death++) {
    children[death]?.end({ code: 1 });
    pass(60_000);
    void rejection(client.request('stats', stats));
    await settled();
  }
  assert.equal(children.length, 4);
});

test('opening is tried once more when it ends the process, for the store may be damaged', async () => {
  const dying: Behaviour = (message, child) => {
    if (message.type === 'request' && child.pid === 1000) child.end({ signal: 'SIGBUS' });
    else polite(message, child);
  };
  const { client, children } = start(dying);
  assert.deepEqual(await client.request('open', openA), { folder: '/a' });
  assert.equal(children.length, 2);
});

test('opening that ends two processes fails', async () => {
  const { client, children } = start((message, child) => {
    if (message.type === 'request') child.end({ signal: 'SIGABRT' });
    else polite(message, child);
  });
  await assertDied(client.request('open', openA), /twice within a minute.*SIGABRT/);
  assert.equal(children.length, 2);
});

test('after an illegal instruction the next process does without the query model', async () => {
  const { client, children } = start();
  children[0]?.end({ signal: 'SIGILL' });
  void rejection(client.request('stats', stats));
  await settled();
  children[1]?.end({ code: 1 });
  await assertDied(client.request('stats', stats), /stays down/);
  assert.deepEqual(
    children.map(child => child.program.args),
    [[], ['--without-query-model']],
  );
});

test('a program that cannot be started at all is not tried again', async () => {
  const { client, children } = start();
  children[0]?.end({ stderr: 'spawn /no/node ENOENT' });
  await assertDied(client.request('stats', stats), /could not be started \(spawn \/no\/node ENOENT\)/);
  assert.equal(children.length, 1);
});

test('a process that gives up says why', async () => {
  const { client, children } = start();
  const pending = client.request('stats', stats);
  await settled();
  children[0]?.reply({ type: 'fatal', error: { reason: 'internal', message: 'Something unexpected went wrong: x.' } });
  children[0]?.end({ code: 1 });
  await assertDied(pending, /gave up \(Something unexpected went wrong: x\)/);
});

test('stopping cancels what is pending, ends the process and is not a death', async () => {
  const { client, children, exits } = start();
  const pending = rejection(client.request('stats', stats));
  await settled();
  await client.stop();
  assert.ok(isCancelled(await pending));
  assert.ok(isCancelled(await rejection(client.request('stats', stats))));
  assert.deepEqual(requestsOf(children[0]).at(-1), 'shutdown');
  assert.deepEqual(exits, []);
  assert.equal(client.pid, undefined);
});

test('a process that does not leave is ended after the grace time', async t => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { client, children } = start(() => {});
  const stopped = client.stop(800);
  t.mock.timers.tick(799);
  assert.equal(children[0]?.killed, false);
  t.mock.timers.tick(1);
  await stopped;
  assert.equal(children[0].killed, true);
});
