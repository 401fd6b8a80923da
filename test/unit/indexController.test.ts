import assert from 'node:assert/strict';
import { test } from 'node:test';
import { failedFile } from '../../src/engine/files/fileFailure';
import type { IndexReport } from '../../src/engine/types';
import type { Engine } from '../../src/extension/controllerParts';
import { IndexController } from '../../src/extension/indexController';
import type { WorkspaceRoot } from '../../src/extension/openRoot';
import type { EngineExit } from '../../src/host/engineClient';
import type { FolderStatus, RequestKind } from '../../src/host/protocol';
import { Deferred } from '../../src/util/async';
import { LandmarkError } from '../../src/util/errors';
import { nullLogger } from '../../src/util/logger';
import { emptyReport, emptyResponse } from '../support/fakeEngine';

type Params = { readonly folder?: string; readonly [name: string]: unknown };

/** Notes what it is asked and answers at once, except for the kinds that a test holds back. */
class NotingEngine {
  readonly asked: string[] = [];
  readonly held = new Map<string, Deferred<unknown>>();
  stopped = false;
  /** What the next looks at files could not index. */
  failed: IndexReport['failed'] = [];
  #status: (status: FolderStatus) => void = () => {};
  #exit: (exit: EngineExit) => void = () => {};

  /** The next request of this kind waits. */
  hold(kind: RequestKind): Deferred<unknown> {
    const held = new Deferred<unknown>();
    this.held.set(kind, held);
    return held;
  }

  tell(status: Partial<FolderStatus>): void {
    this.#status({ ...READY, ...status });
  }

  die(restarts: boolean): void {
    this.#exit({ message: 'It died.', restarts });
  }

  get engine(): Engine {
    return {
      request: (async (kind: RequestKind, params: Params) => {
        const detail = Object.entries(params)
          .filter(([name]) => !['folder', 'options', 'request', 'limit'].includes(name))
          .map(([, value]) => JSON.stringify(value));
        this.asked.push([kind, params.folder ?? '', ...detail].filter(part => part !== '').join(' '));
        const held = this.held.get(kind);
        if (held !== undefined) {
          this.held.delete(kind);
          await held.promise;
        }
        return this.#answer(kind, params);
      }) as Engine['request'],
      onStatus: listener => {
        this.#status = listener;
        return () => {};
      },
      onExit: listener => {
        this.#exit = listener;
        return () => {};
      },
      stop: async () => {
        this.stopped = true;
      },
    };
  }

  #answer(kind: RequestKind, params: Params): unknown {
    if (kind === 'open') return { folder: params.folder };
    if (kind === 'search') {
      const folders = params['folders'] as string[];
      return { responses: folders.map(folder => ({ folder, response: emptyResponse('q') })) };
    }
    if (kind === 'similar') return { file: params['file'], results: [] };
    if (kind === 'sync' || kind === 'update') return { ...emptyReport, failed: this.failed } satisfies IndexReport;
    return null;
  }
}

const READY: FolderStatus = {
  folder: '/a',
  state: 'ready',
  done: 0,
  total: 0,
  complete: 1,
  files: 1,
  problems: 0,
  reason: '',
  vectors: true,
};

const root = (path: string, exclude: readonly string[] = []): WorkspaceRoot => ({
  path,
  name: path.slice(1),
  options: { access: 'write', exclude },
});
const never = new AbortController().signal;

/** Lets everything that can go on without the outside go on. */
const settle = (): Promise<void> => new Promise(resolve => setImmediate(() => setImmediate(resolve)));

function start(pausedAtStart = false) {
  const engines: NotingEngine[] = [];
  let paused = pausedAtStart;
  const upcoming = new NotingEngine();
  const controller = new IndexController({
    startEngine: () => {
      const engine = engines.length === 0 ? upcoming : new NotingEngine();
      engines.push(engine);
      return engine.engine;
    },
    pausedMemory: { get: () => paused, set: value => void (paused = value) },
    logger: nullLogger,
  });
  return { controller, engines, engine: upcoming, isPaused: () => paused };
}

const openedFor = (path: string) => [`open ${path}`, `setPaused ${path} false`, `sync ${path} false`];

test('opening a workspace opens and indexes each folder, and starts nothing without one', async () => {
  const { controller, engine, engines } = start();
  controller.setRoots([]);
  await settle();
  assert.equal(engines.length, 0);
  controller.setRoots([root('/a'), root('/b')]);
  await settle();
  assert.deepEqual(engine.asked, [...openedFor('/a'), ...openedFor('/b')]);
  assert.deepEqual(
    [...controller.reader.folderNames],
    [
      ['/a', 'a'],
      ['/b', 'b'],
    ],
  );
});

test('a folder that is taken away gives no results from that moment on', async () => {
  const { controller, engine } = start();
  controller.setRoots([root('/a'), root('/b')]);
  await settle();
  const answer = engine.hold('search');
  const searching = controller.reader.search({ query: 'q' }, never);
  await settle();
  controller.setRoots([root('/b')]);
  answer.resolve(undefined);
  assert.deepEqual(
    (await searching).map(({ folder }) => folder),
    ['/b'],
  );
  await settle();
  assert.equal(engine.asked.at(-1), 'closeFolder /a');
});

test('a folder added while running is opened, one with other options is opened anew, the rest is left alone', async () => {
  const { controller, engine } = start();
  controller.setRoots([root('/a')]);
  await settle();
  engine.asked.length = 0;
  controller.setRoots([root('/a', ['/b/']), root('/b')]);
  await settle();
  assert.deepEqual(engine.asked, ['closeFolder /a', ...openedFor('/a'), ...openedFor('/b')]);
  engine.asked.length = 0;
  controller.setRoots([root('/a', ['/b/']), root('/b')]);
  await settle();
  assert.deepEqual(engine.asked, []);
});

test('a question asked while the index is being opened is answered when it is open', async () => {
  const { controller, engine } = start();
  const opening = engine.hold('open');
  controller.setRoots([root('/a')]);
  await settle();
  const searching = controller.reader.search({ query: 'q' }, never);
  await settle();
  assert.ok(!engine.asked.some(each => each.startsWith('search')));
  opening.resolve(undefined);
  assert.deepEqual(
    (await searching).map(({ folder }) => folder),
    ['/a'],
  );
});

test('a question does not wait for the other folders', async () => {
  const { controller, engine } = start();
  controller.setRoots([root('/a')]);
  await settle();
  engine.hold('open');
  controller.setRoots([root('/a'), root('/b')]);
  await settle();
  assert.deepEqual(
    (await controller.reader.search({ query: 'q' }, never)).map(({ folder }) => folder),
    ['/a'],
  );
});

test('a question that is given up while waiting ends as cancelled', async () => {
  const { controller, engine } = start();
  engine.hold('open');
  controller.setRoots([root('/a')]);
  await settle();
  const giveUp = new AbortController();
  const searching = controller.reader.search({ query: 'q' }, giveUp.signal);
  giveUp.abort();
  await assert.rejects(searching, { reason: 'cancelled' });
});

test('without a folder a question is answered by a sentence', async () => {
  const { controller } = start();
  await assert.rejects(controller.reader.search({ query: 'q' }, never), {
    reason: 'not-indexed',
    message: /Open a folder first/,
  });
});

test('a folder that cannot be opened says why, and a rebuild tries again', async () => {
  const { controller, engine } = start();
  const opening = engine.hold('open');
  controller.setRoots([root('/a')]);
  await settle();
  opening.reject(new LandmarkError('store-busy', 'The index is in use.'));
  await settle();
  assert.deepEqual(controller.state.roots, [{ name: 'a', state: { kind: 'failed', reason: 'The index is in use.' } }]);
  await assert.rejects(controller.reader.search({ query: 'q' }, never), { message: 'The index is in use.' });
  engine.asked.length = 0;
  await controller.rebuild();
  assert.deepEqual(engine.asked, [...openedFor('/a'), 'sync /a true']);
});

test('one failed question does not spoil the next', async () => {
  const { controller, engine } = start();
  controller.setRoots([root('/a')]);
  await settle();
  const answer = engine.hold('search');
  const failing = controller.reader.search({ query: 'q' }, never);
  answer.reject(new LandmarkError('internal', 'Once.'));
  await assert.rejects(failing, { message: 'Once.' });
  assert.equal((await controller.reader.search({ query: 'q' }, never)).length, 1);
});

test('a search process that ends is replaced, with its folders and the pause', async () => {
  const { controller, engine, engines } = start();
  controller.setRoots([root('/a')]);
  await settle();
  controller.setPaused(true);
  await settle();
  engine.asked.length = 0;
  engine.die(true);
  assert.deepEqual(controller.state.engine, { kind: 'restarting', reason: 'It died.' });
  await settle();
  assert.deepEqual(engine.asked, ['open /a', 'setPaused /a true', 'sync /a false']);
  assert.equal(controller.state.engine.kind, 'running');
  assert.equal(engines.length, 1);
});

test('one that stays down says why and is started again on request', async () => {
  const { controller, engine, engines } = start();
  controller.setRoots([root('/a')]);
  await settle();
  engine.die(false);
  await settle();
  await assert.rejects(controller.reader.search({ query: 'q' }, never), { reason: 'engine-died', message: 'It died.' });
  await controller.restart();
  await settle();
  assert.ok(engine.stopped);
  assert.equal(engines.length, 2);
  assert.equal(controller.state.engine.kind, 'running');
  assert.equal((await controller.reader.search({ query: 'q' }, never)).length, 1);
});

test('an end while a folder is being opened opens it once more', async () => {
  const { controller, engine } = start();
  const opening = engine.hold('open');
  controller.setRoots([root('/a')]);
  await settle();
  opening.reject(new LandmarkError('engine-died', 'It died.'));
  engine.die(true);
  await settle();
  assert.deepEqual(engine.asked, ['open /a', ...openedFor('/a')]);
});

test('the status before the answer to open is not lost', async () => {
  const { controller, engine } = start();
  const opening = engine.hold('open');
  controller.setRoots([root('/a')]);
  await settle();
  engine.tell({ files: 7 });
  opening.resolve(undefined);
  await settle();
  assert.deepEqual(controller.state.roots[0]?.state, { kind: 'open', status: { ...READY, files: 7 } });
});

test('clearing deletes, ignores late news, and a rebuild brings the index back', async () => {
  const { controller, engine } = start();
  controller.setRoots([root('/a')]);
  await settle();
  await controller.clear();
  engine.tell({ state: 'indexing' });
  assert.deepEqual(controller.state.roots[0]?.state, { kind: 'cleared' });
  await assert.rejects(controller.reader.search({ query: 'q' }, never), { message: /Rebuild Index/ });
  await controller.applyChanges([{ folder: '/a', changes: ['x.ts'] }]);
  assert.equal(engine.asked.at(-1), 'clear /a');
  await controller.rebuild();
  assert.equal(engine.asked.at(-1), 'sync /a true');
  assert.deepEqual(
    controller.state.roots.map(({ state }) => state.kind),
    ['open'],
  );
});

test('changes go to their folder, all at once where that is simpler', async () => {
  const { controller, engine } = start();
  controller.setRoots([root('/a'), root('/b')]);
  await settle();
  engine.asked.length = 0;
  await controller.applyChanges([
    { folder: '/a', changes: ['x.ts', 'y'] },
    { folder: '/b', changes: 'all' },
    { folder: '/gone', changes: ['z.ts'] },
  ]);
  assert.deepEqual(engine.asked, ['update /a ["x.ts","y"]', 'sync /b false']);
});

test('files that failed are known after an update, too, until a look at them says otherwise', async () => {
  const { controller, engine } = start();
  const failedPaths = (): string[] => (controller.reader.failedFiles.get('/a') ?? []).map(({ path }) => path);
  const update = async (changes: readonly string[] | 'all', ...failed: string[]): Promise<string[]> => {
    engine.failed = failed.map(path => failedFile(path, { kind: 'gone' }));
    await controller.applyChanges([{ folder: '/a', changes }]);
    return failedPaths();
  };
  engine.failed = [failedFile('x.ts', { kind: 'gone' })];
  controller.setRoots([root('/a')]);
  await settle();
  assert.deepEqual(failedPaths(), ['x.ts']);
  assert.deepEqual(await update(['src/y.ts'], 'src/y.ts'), ['x.ts', 'src/y.ts']);
  assert.deepEqual(await update(['x.ts', 'srcs']), ['src/y.ts']);
  assert.deepEqual(await update(['src']), []);
  assert.deepEqual(await update(['src/y.ts', 'z.ts'], 'z.ts', 'src/y.ts'), ['z.ts', 'src/y.ts']);
  assert.deepEqual(await update('all', 'z.ts'), ['z.ts']);
});

test('a save while paused reaches the engine, which keeps it', async () => {
  const { controller, engine } = start(true);
  controller.setRoots([root('/a')]);
  await settle();
  await controller.applyChanges([{ folder: '/a', changes: ['x.ts'] }]);
  controller.setPaused(false);
  await settle();
  assert.deepEqual(engine.asked, [
    'open /a',
    'setPaused /a true',
    'sync /a false',
    'update /a ["x.ts"]',
    'setPaused /a false',
  ]);
});

test('whatever is asked in whatever order, the pause ends as asked last', async () => {
  for (const first of [true, false]) {
    for (const second of [true, false]) {
      for (const third of [true, false]) {
        const { controller, engine, isPaused } = start(first);
        const opening = engine.hold('open');
        controller.setRoots([root('/a')]);
        await settle();
        controller.setPaused(second);
        opening.resolve(undefined);
        const pausing = engine.hold('setPaused');
        await settle();
        controller.setPaused(third);
        pausing.resolve(undefined);
        await settle();
        const last = engine.asked.filter(each => each.startsWith('setPaused')).at(-1);
        assert.equal(last, `setPaused /a ${third}`, `${first} ${second} ${third}`);
        assert.equal(isPaused(), third);
      }
    }
  }
});

test('similar files are asked of the deepest folder that holds the file', async () => {
  const { controller, engine } = start();
  controller.setRoots([root('/a', ['/in/']), root('/a/in')]);
  await settle();
  engine.asked.length = 0;
  assert.equal((await controller.reader.similar('/a/in/x/y.ts', 5, never)).folder, '/a/in');
  assert.deepEqual(engine.asked, ['similar /a/in "x/y.ts"']);
  await assert.rejects(controller.reader.similar('/elsewhere/y.ts', 5, never), { reason: 'invalid-argument' });
});

test('stopping ends the search process and starts no other', async () => {
  const { controller, engine, engines } = start();
  controller.setRoots([root('/a')]);
  await settle();
  await controller.stop();
  assert.ok(engine.stopped);
  engine.die(true);
  await settle();
  assert.equal(engines.length, 1);
});

test('indexing waits while there is any reason, and goes on when the last has gone', async () => {
  const { controller, engine } = start();
  controller.setRoots([root('/a')]);
  await settle();
  engine.asked.length = 0;
  controller.setHeld('battery');
  controller.setPaused(true);
  controller.setHeld(undefined);
  controller.setPaused(false);
  await settle();
  assert.deepEqual(
    engine.asked,
    [true, true, true, false].map(paused => `setPaused /a ${paused}`),
  );
});

test('a folder that waits for an answer is paused, and looked at again when it goes on', async () => {
  const { controller, engine } = start();
  controller.setRoots([root('/a'), root('/b')]);
  await settle();
  engine.asked.length = 0;
  const run = { files: 9, bytes: 9, seconds: 9, diskBytes: 9 };
  controller.setQuestion('/a', 'measuring');
  controller.setQuestion('/a', run);
  assert.deepEqual(controller.state.roots[0]?.question, run);
  await settle();
  assert.deepEqual(engine.asked, ['setPaused /a true']);
  controller.setQuestion('/a', undefined);
  assert.deepEqual([...controller.questions], []);
  await settle();
  assert.deepEqual(engine.asked, ['setPaused /a true', 'setPaused /a false', 'sync /a false']);
});

test('a file is explained by the deepest folder that holds it', async () => {
  const { controller, engine } = start();
  controller.setRoots([root('/a', ['/in/']), root('/a/in')]);
  await settle();
  engine.asked.length = 0;
  assert.equal((await controller.reader.explain('/a/in/x.ts', never)).folder, '/a/in');
  assert.deepEqual(engine.asked, ['explain /a/in "x.ts"']);
  await assert.rejects(controller.reader.explain('/elsewhere/x.ts', never), { message: /none of the open folders/ });
});
