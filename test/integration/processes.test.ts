import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, test } from 'node:test';
import { EmbedderProcess } from '../../src/host/embedderProcess';
import { EngineClient } from '../../src/host/engineClient';
import type { EngineConfig, FolderStatus } from '../../src/host/protocol';
import { isCancelled, LandmarkError } from '../../src/util/errors';
import { nullLogger } from '../../src/util/logger';
import type { HostPrograms } from '../support/hostPrograms';
import { buildHostPrograms, whenGone } from '../support/hostPrograms';

/** Must agree with test/support/fakeEmbedderMain.ts, which runs on import. */
const DEADLY = 666;
const ENDLESS = 777;

let programs: HostPrograms;
before(async () => {
  programs = await buildHostPrograms();
});
after(() => rmSync(programs.directory, { recursive: true, force: true }));

const rejection = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => undefined,
    error => error as unknown,
  );
const config = (): EngineConfig => ({
  dataDir: '',
  modelDir: '',
  embedderMain: programs.embedder,
  threads: 2,
  memoryLimitMb: 2000,
});

async function withClient(run: (client: EngineClient, folder: string) => Promise<void>): Promise<void> {
  const client = EngineClient.start({ searchMain: programs.search, config: config(), logger: nullLogger });
  try {
    const { folder } = await client.request('open', { folder: programs.directory, options: { access: 'read' } });
    await run(client, folder);
  } finally {
    await client.stop();
  }
}

async function ask(client: EngineClient, folder: string, query: string, signal?: AbortSignal): Promise<unknown> {
  const options = signal === undefined ? {} : { signal };
  const { responses } = await client.request('search', { folders: [folder], request: { query } }, options);
  return JSON.parse(responses[0]?.response.query ?? 'null');
}

function embedderProcess(
  options: { memoryLimitMb?: number; modelDir?: string; batchMs?: number } = {},
): EmbedderProcess {
  const { memoryLimitMb = 2000, modelDir = '', batchMs = 60_000 } = options;
  return new EmbedderProcess({
    ...config(),
    memoryLimitMb,
    modelDir,
    dimensions: 3,
    logger: nullLogger,
    limits: { batchWindows: 2, leastBatches: 1, batchMs },
  });
}

test('a search process has a clean environment and a low priority', async () => {
  process.env.NODE_OPTIONS = '--no-warnings';
  process.env.VSCODE_TEST_LEFTOVER = 'x';
  process.env.LANDMARK_TEST_KEPT = 'y';
  try {
    await withClient(async (client, folder) => {
      const { env, argv, priority } = (await ask(client, folder, 'environment')) as {
        env: Record<string, string>;
        argv: string[];
        priority: number;
      };
      assert.deepEqual(
        Object.keys(env).filter(name => name === 'NODE_OPTIONS' || name.startsWith('VSCODE_')),
        [],
      );
      assert.equal(env.ELECTRON_RUN_AS_NODE, '1');
      assert.equal(env.LANDMARK_TEST_KEPT, 'y');
      assert.deepEqual(argv, []);
      assert.ok(priority > 0, `priority ${priority}`);
    });
  } finally {
    for (const name of ['NODE_OPTIONS', 'VSCODE_TEST_LEFTOVER', 'LANDMARK_TEST_KEPT']) delete process.env[name];
  }
});

test('the state of a folder reaches the client', async () => {
  const states: FolderStatus[] = [];
  const client = EngineClient.start({ searchMain: programs.search, config: config(), logger: nullLogger });
  client.onStatus(status => states.push(status));
  await client.request('open', { folder: programs.directory, options: { access: 'read' } });
  await client.stop();
  assert.deepEqual(
    states.map(({ folder, state }) => [folder, state]),
    [[programs.directory, 'ready']],
  );
});

test('cancelling ends one request and leaves the process as it is', async () => {
  await withClient(async (client, folder) => {
    const pid = client.pid;
    const controller = new AbortController();
    const waiting = rejection(ask(client, folder, 'wait', controller.signal));
    assert.equal(await ask(client, folder, 'other'), 'nothing');
    controller.abort();
    assert.ok(isCancelled(await waiting));
    assert.equal(await ask(client, folder, 'other'), 'nothing');
    assert.equal(client.pid, pid);
  });
});

test('a search process that is killed is missed once: what waited says so, the next request is answered', async () => {
  await withClient(async (client, folder) => {
    const waiting = rejection(ask(client, folder, 'wait'));
    const pid = client.pid ?? 0;
    assert.equal(await ask(client, folder, 'other'), 'nothing');
    process.kill(pid, 'SIGKILL');
    const error = await waiting;
    assert.ok(error instanceof LandmarkError);
    assert.equal(error.reason, 'engine-died');
    assert.match(error.message, /SIGKILL/);
    assert.equal(await ask(client, folder, 'other'), 'nothing');
    assert.notEqual(client.pid, pid);
  });
});

test('an error that nobody caught ends the search process with its words', async () => {
  await withClient(async (client, folder) => {
    const error = await rejection(ask(client, folder, 'throw later'));
    assert.ok(error instanceof LandmarkError);
    assert.match(error.message, /gave up \(Something unexpected went wrong: nobody caught this\)/);
    assert.equal(await ask(client, folder, 'other'), 'nothing');
  });
});

test('Ctrl+C in the terminal is not for the processes', { skip: process.platform === 'win32' }, async () => {
  await withClient(async (client, folder) => {
    const embedder = Number(await ask(client, folder, 'embed'));
    process.kill(client.pid ?? 0, 'SIGINT');
    process.kill(embedder, 'SIGINT');
    assert.equal(Number(await ask(client, folder, 'embed')), embedder);
  });
});

test('stopping takes the embedder along, in the middle of work too', async () => {
  const client = EngineClient.start({ searchMain: programs.search, config: config(), logger: nullLogger });
  const { folder } = await client.request('open', { folder: programs.directory, options: { access: 'read' } });
  const embedder = Number(await ask(client, folder, 'embed'));
  const waiting = rejection(ask(client, folder, 'wait'));
  const startedAt = performance.now();
  await client.stop();
  const tookMs = performance.now() - startedAt;
  assert.ok(isCancelled(await waiting));
  assert.ok(tookMs < 3000, `${tookMs} ms`);
  await whenGone(embedder, 3000);
});

test('a folder that cannot be closed does not keep the process', async () => {
  const client = EngineClient.start({ searchMain: programs.search, config: config(), logger: nullLogger });
  const stuck = join(programs.directory, 'stuck');
  mkdirSync(stuck);
  await client.request('open', { folder: stuck, options: { access: 'read' } });
  const pid = client.pid ?? 0;
  await client.stop(300);
  await whenGone(pid, 1000);
});

test('when the client is killed, no process is left', async () => {
  const args = [programs.client, programs.search, programs.embedder, programs.directory];
  const client = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = (await once(createInterface(client.stdout), 'line')) as [string];
  const pids = JSON.parse(line) as number[];
  assert.equal(pids.length, 2);
  client.kill('SIGKILL');
  for (const pid of pids) await whenGone(pid, 6000);
});

test('started by hand, the programs say what they are', () => {
  for (const program of [programs.search, programs.embedder]) {
    const { status, stderr } = spawnSync(process.execPath, [program], { encoding: 'utf8' });
    assert.equal(status, 2);
    assert.match(stderr, /started by Landmark Code Search/);
  }
});

test('numbers cross the process border unchanged, and only the part of a buffer that is meant', async () => {
  const embedder = embedderProcess();
  const buffer = Int32Array.of(9, 9, 1, 2, -3, 9);
  const landmarks = await embedder.embed([buffer.subarray(2, 5), Int32Array.of(), Int32Array.of(2 ** 31 - 1)]);
  const expected = [Float32Array.of(3, 0, 2), Float32Array.of(0, 0, 2), Float32Array.of(1, 2 ** 31 - 1, 2)];
  assert.deepEqual(landmarks, expected);
  await embedder.close();
});

test('an embedder that is killed comes back with the next batch', async () => {
  const embedder = embedderProcess();
  await embedder.embed([Int32Array.of(1)]);
  const pid = embedder.pid ?? 0;
  process.kill(pid, 'SIGKILL');
  const count = 50;
  const landmarks = await embedder.embed(Array.from({ length: count }, (_, at) => Int32Array.of(at)));
  assert.deepEqual(
    landmarks.map(vector => vector[1]),
    Array.from({ length: count }, (_, at) => at),
  );
  assert.notEqual(embedder.pid, pid);
  await embedder.close();
});

test('a text that brings the runtime down fails alone', async () => {
  const embedder = embedderProcess();
  const error = await rejection(embedder.embed([Int32Array.of(DEADLY)]));
  assert.ok(error instanceof LandmarkError);
  assert.equal(error.reason, 'engine-died');
  assert.equal((await embedder.embed([Int32Array.of(1)])).length, 1);
  await embedder.close();
});

test('a text that keeps the runtime busy for ever is given up, and closing does not wait for it', async () => {
  const limited = embedderProcess({ batchMs: 300 });
  const error = await rejection(limited.embed([Int32Array.of(ENDLESS)]));
  assert.ok(error instanceof LandmarkError);
  assert.match(error.message, /did not answer/);
  await limited.close();

  const patient = embedderProcess();
  await patient.embed([Int32Array.of(1)]);
  const pid = patient.pid ?? 0;
  const waiting = rejection(patient.embed([Int32Array.of(ENDLESS)]));
  await patient.close();
  assert.ok(isCancelled(await waiting));
  await whenGone(pid, 1000);
});

test('five processes one after the other under a memory cap give the same vectors as one', async () => {
  const embedder = embedderProcess({ memoryLimitMb: 1 });
  const pids = new Set<number | undefined>();
  for (let batch = 0; batch < 5; batch++) {
    const vectors = await embedder.embed([Int32Array.of(batch, 1)]);
    assert.deepEqual(vectors, [Float32Array.of(2, batch + 1, 2)]);
    pids.add(embedder.pid);
  }
  assert.deepEqual([...pids], [undefined]); // none stays over the cap
  await embedder.close();
});

test('a runtime that cannot be loaded is said to be missing', async () => {
  const embedder = embedderProcess({ modelDir: 'broken' });
  const error = await rejection(embedder.embed([Int32Array.of(1)]));
  assert.deepEqual(error, new LandmarkError('runtime-unavailable', 'There is no runtime here.'));
  await embedder.close();
});
