import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FolderEngine } from '../../src/engine/folderEngine';
import type { IndexProgress, IndexReport } from '../../src/engine/types';
import type { ClientMessage, EngineConfig, Request, ServerMessage } from '../../src/host/protocol';
import { PROTOCOL_VERSION } from '../../src/host/protocol';
import { RequestServer } from '../../src/host/requestServer';
import { Deferred } from '../../src/util/async';
import { LandmarkError } from '../../src/util/errors';
import { nullLogger } from '../../src/util/logger';
import { settled } from '../support/fakeChild';
import { embedProgress, emptyReport, emptyResponse, fakeEngine, untilCancelled } from '../support/fakeEngine';

const config: EngineConfig = { dataDir: '/data', modelDir: '/model', embedderMain: '', threads: 1, memoryLimitMb: 1 };
const hello: ClientMessage = { type: 'hello', version: PROTOCOL_VERSION, config };
const open = (folder: string): Request => ({ kind: 'open', params: { folder, options: { access: 'write' } } });

interface Setup {
  readonly server: RequestServer;
  readonly sent: ServerMessage[];
  /** Folders in the order in which engines were made for them. */
  readonly opened: string[];
  readonly ask: (id: number, request: unknown) => Promise<ServerMessage[]>;
}

/** A server that was greeted; `/link` is a symbolic link to `/real`. */
function serve(methods: Partial<FolderEngine> = {}, now: () => number = () => 0): Setup {
  const sent: ServerMessage[] = [];
  const opened: string[] = [];
  const server = new RequestServer({
    configure: () => ({
      open: folder => {
        opened.push(folder);
        return Promise.resolve(fakeEngine(folder, methods));
      },
      evaluatePast: () => Promise.reject(new Error('not expected')),
      data: () => Promise.resolve({ dataDir: '/data', folders: [], vectors: 0, putAside: 0, bytes: 0 }),
      close: () => Promise.resolve(),
    }),
    realPath: folder => Promise.resolve(folder === '/link' ? '/real' : folder),
    send: message => sent.push(message),
    logger: nullLogger,
    now,
  });
  server.handle(hello);
  return {
    server,
    sent,
    opened,
    async ask(id, request) {
      server.handle({ type: 'request', id, request: request as Request });
      await settled();
      return answersTo(sent, id);
    },
  };
}

const answersTo = (sent: readonly ServerMessage[], id: number): ServerMessage[] =>
  sent.filter(message => (message.type === 'response' || message.type === 'failure') && message.id === id);

function failure(messages: readonly ServerMessage[]): { reason: string; message: string } {
  assert.equal(messages.length, 1);
  const [message] = messages;
  assert.ok(message?.type === 'failure');
  return message.error;
}

test('data is listed at any time, and cleaned only while no folder is open', async () => {
  const { ask } = serve();
  const kinds = async (id: number, action: string): Promise<string | undefined> =>
    (await ask(id, { kind: 'data', params: { action } })).at(-1)?.type;
  assert.deepEqual([await kinds(1, 'list'), await kinds(2, 'clean')], ['response', 'response']);
  await ask(3, { kind: 'open', params: { folder: '/real', options: { access: 'read' } } });
  assert.deepEqual([await kinds(4, 'list'), await kinds(5, 'clean')], ['response', 'failure']);
});

test('a ping is answered at once', () => {
  const { server, sent } = serve();
  server.handle({ type: 'ping' });
  assert.deepEqual(sent.at(-1), { type: 'pong' });
});

test('a greeting is answered with the version and the process', () => {
  assert.deepEqual(serve().sent, [{ type: 'ready', version: PROTOCOL_VERSION, pid: process.pid }]);
});

test('a client of another version is told both versions', () => {
  const { server, sent } = serve();
  server.handle({ type: 'hello', version: 99, config });
  const last = sent.at(-1);
  assert.ok(last?.type === 'fatal');
  assert.match(last.error.message, /version 1, its client version 99/);
});

test('opening gives the real path, and further requests go by it', async () => {
  const { ask } = serve({ search: request => Promise.resolve(emptyResponse(request.query)) });
  assert.deepEqual(await ask(1, open('/link')), [{ type: 'response', id: 1, value: { folder: '/real' } }]);
  const searched = await ask(2, { kind: 'search', params: { folders: ['/real'], request: { query: 'x' } } });
  const value = { responses: [{ folder: '/real', response: emptyResponse('x') }] };
  assert.deepEqual(searched, [{ type: 'response', id: 2, value }]);
});

test('a folder has one engine however often it is opened, by whatever name', async () => {
  const { server, ask, opened } = serve();
  server.handle({ type: 'request', id: 1, request: open('/link') });
  server.handle({ type: 'request', id: 2, request: open('/real') });
  await ask(3, open('/real'));
  assert.deepEqual(opened, ['/real']);
});

test('opening with other options closes the engine first', async () => {
  let closed = 0;
  const { ask, opened } = serve({
    close: () => {
      closed++;
      return Promise.resolve();
    },
  });
  await ask(1, open('/a'));
  await ask(2, { kind: 'open', params: { folder: '/a', options: { access: 'write', exclude: ['*.log'] } } });
  assert.deepEqual({ opened, closed }, { opened: ['/a', '/a'], closed: 1 });
});

test('what is malformed is refused with what was expected', async () => {
  const { ask } = serve();
  await ask(1, open('/a'));
  const refused = async (id: number, request: unknown): Promise<string> => {
    const { reason, message } = failure(await ask(id, request));
    assert.equal(reason, 'invalid-argument');
    return message;
  };
  assert.match(await refused(2, { kind: 'fly', params: {} }), /kind: expected one of open, .*, got "fly"\.$/);
  assert.match(await refused(3, null), /expected an object, got null/);
  assert.match(await refused(4, { kind: 'stats', params: { folder: '/b' } }), /folder \/b is not open/);
  assert.match(
    await refused(5, { kind: 'stats', params: { folder: '' } }),
    /folder: expected a text that is not empty, got ""/,
  );
  const search = (request: object): unknown => ({ kind: 'search', params: { folders: ['/a'], request } });
  assert.match(
    await refused(6, search({ query: 'x', limit: 0 })),
    /request\.limit: expected a positive integer, got 0/,
  );
  assert.match(
    await refused(7, search({ query: 'x', arms: ['file', 'nose'] })),
    /request\.arms\[1\]: expected one of file,/,
  );
  assert.match(await refused(8, { kind: 'search', params: { folders: [], request: { query: 'x' } } }), /at least 1/);
  const badOptions = { kind: 'open', params: { folder: '/a', options: { access: 'own' } } };
  assert.match(await refused(9, badOptions), /options\.access: expected one of read, write, got "own"/);
});

test('a request before the greeting is refused', async () => {
  const sent: ServerMessage[] = [];
  const server = new RequestServer({
    configure: () => assert.fail('not configured yet'),
    realPath: folder => Promise.resolve(folder),
    send: message => sent.push(message),
    logger: nullLogger,
    now: () => 0,
  });
  server.handle({ type: 'request', id: 1, request: open('/a') });
  await settled();
  assert.equal(failure(sent).reason, 'invalid-argument');
});

test('whatever an engine throws becomes one failure', async () => {
  const { ask } = serve({
    explain: () => Promise.reject(new LandmarkError('not-indexed', 'Index it first.')),
    stats: () => Promise.reject(new TypeError('x is undefined')),
    setPaused: () => {
      throw new Error('thrown at once');
    },
  });
  await ask(1, open('/a'));
  const explained = failure(await ask(2, { kind: 'explain', params: { folder: '/a', file: 'x' } }));
  assert.deepEqual(explained, { reason: 'not-indexed', message: 'Index it first.' });
  const stats = failure(await ask(3, { kind: 'stats', params: { folder: '/a' } }));
  assert.deepEqual(stats, { reason: 'internal', message: 'Something unexpected went wrong: x is undefined.' });
  assert.match(failure(await ask(4, { kind: 'setPaused', params: { folder: '/a', paused: true } })).message, /at once/);
});

test('a cancelled request is answered once, when the engine lets go', async () => {
  const { server, sent, ask } = serve({ search: (_, signal) => untilCancelled(signal) });
  await ask(1, open('/a'));
  const search: Request = { kind: 'search', params: { folders: ['/a'], request: { query: 'x' } } };
  assert.deepEqual(await ask(2, search), []);
  server.handle({ type: 'cancel', id: 2 });
  server.handle({ type: 'cancel', id: 2 });
  server.handle({ type: 'cancel', id: 77 });
  await settled();
  assert.equal(failure(answersTo(sent, 2)).reason, 'cancelled');
});

test('a second request under a running number does not answer the first', async () => {
  const report = new Deferred<IndexReport>();
  const { sent, ask } = serve({ sync: () => report.promise });
  await ask(1, open('/a'));
  await ask(2, { kind: 'sync', params: { folder: '/a', rebuild: false } });
  assert.deepEqual(await ask(2, { kind: 'fly', params: {} }), []);
  report.resolve(emptyReport);
  await settled();
  assert.deepEqual(answersTo(sent, 2), [{ type: 'response', id: 2, value: emptyReport }]);
});

test('progress is thinned out, keeps the ends of the phases, and stops with the answer', async () => {
  let now = 0;
  let report = (_progress: IndexProgress): void => {};
  const done = new Deferred<IndexReport>();
  const { sent, ask } = serve(
    {
      sync: (_, onProgress) => {
        report = onProgress;
        return done.promise;
      },
    },
    () => now,
  );
  await ask(1, open('/a'));
  await ask(2, { kind: 'sync', params: { folder: '/a', rebuild: false } });
  report({ phase: 'walk', done: 1, total: 1 });
  for (const at of [0, 50, 100, 140, 201]) {
    now = at;
    report(embedProgress(at, 1000));
  }
  report(embedProgress(1000, 1000));
  done.resolve(emptyReport);
  await settled();
  report(embedProgress(1, 1));
  const seen = sent.flatMap(message => (message.type === 'progress' ? [message.progress] : []));
  assert.deepEqual(
    seen.map(progress => `${progress.phase} ${progress.done}`),
    ['walk 1', 'embed 0', 'embed 100', 'embed 201', 'embed 1000'],
  );
});

test('closing a folder ends what runs in it and nothing else', async () => {
  const { sent, ask } = serve({ search: (_, signal) => untilCancelled(signal) });
  await ask(1, open('/a'));
  await ask(2, open('/b'));
  const search = (folder: string): Request => ({
    kind: 'search',
    params: { folders: [folder], request: { query: 'x' } },
  });
  await ask(3, search('/a'));
  await ask(4, search('/b'));
  const closed = await ask(5, { kind: 'closeFolder', params: { folder: '/a' } });
  assert.deepEqual(closed, [{ type: 'response', id: 5, value: null }]);
  assert.equal(failure(answersTo(sent, 3)).reason, 'cancelled');
  assert.deepEqual(answersTo(sent, 4), []);
  assert.match(failure(await ask(6, search('/a'))).message, /not open/);
});

test('closing the server answers everything and closes every folder, also when one of them fails', async () => {
  const closed: string[] = [];
  const { server, sent, ask } = serve({
    search: (_, signal) => untilCancelled(signal),
    close() {
      closed.push(this.folder ?? '');
      return this.folder === '/a' ? Promise.reject(new Error('disk gone')) : Promise.resolve();
    },
  });
  await ask(1, open('/a'));
  await ask(2, open('/b'));
  await ask(3, { kind: 'search', params: { folders: ['/a'], request: { query: 'x' } } });
  await server.close();
  assert.deepEqual(closed, ['/a', '/b']);
  assert.equal(failure(answersTo(sent, 3)).reason, 'cancelled');
  assert.equal(failure(await ask(4, open('/c'))).reason, 'cancelled');
});
