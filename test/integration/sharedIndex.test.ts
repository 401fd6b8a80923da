import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { EngineRuntime } from '../../src/engine/engineRuntime';
import { SemanticEngine } from '../../src/engine/semanticEngine';
import { dataLayout } from '../../src/engine/store/dataFolder';
import type { FolderStatus, IndexReport } from '../../src/engine/types';
import { LandmarkError } from '../../src/util/errors';
import { nullLogger } from '../../src/util/logger';
import { childRole, endOf, messageFrom, startRole } from '../support/childRole';
import { cleanUp } from '../support/cleanUp';
import { newDataDir, type TestEngine, testModel, testRuntime, WordEmbedder } from '../support/engineRuntime';
import { makeFileTree } from '../support/fileTree';
import { asOtherVersionWrote, recordsIn } from '../support/otherVersion';

/** What the test asks of the engine in the other process. */
type Question =
  | { readonly ask: 'sync' }
  | { readonly ask: 'update'; readonly path: string }
  | { readonly ask: 'find'; readonly query: string }
  | { readonly ask: 'status' }
  /** Works for ever at what it embeds, as a large folder does. */
  | { readonly ask: 'stall' };

/** Opens a folder to write and answers questions about it until it is killed. */
async function serve(folder: string, dataDir: string): Promise<void> {
  const { manifest } = await testModel();
  const embedder = new WordEmbedder(manifest.dimensions, manifest.k);
  const runtime = new EngineRuntime({
    dataDir,
    model: testModel,
    queryEmbedder: () => Promise.resolve(new WordEmbedder(manifest.dimensions, manifest.k)),
    indexEmbedder: () => Promise.resolve(embedder),
    logger: nullLogger,
    snapshots: { changesWorth: 1, mostHeld: 4096 },
  });
  let status: FolderStatus | undefined;
  const engine = await SemanticEngine.open(folder, { access: 'write' }, runtime, told => (status = told));
  const answer = async (question: Question): Promise<unknown> => {
    switch (question.ask) {
      case 'sync':
        return engine.sync({ rebuild: false }, () => {});
      case 'update':
        return engine.update([question.path]);
      case 'find':
        return (await engine.search({ query: question.query, arms: ['lexical'] })).results.map(({ path }) => path);
      case 'status':
        return { ...status, embedded: embedder.windows };
      case 'stall':
        embedder.gate = () => new Promise(() => {});
        return 'stalled';
    }
  };
  process.on('message', question => {
    answer(question as Question).then(
      value => process.send?.({ value }),
      (error: unknown) => process.send?.({ error: String(error) }),
    );
  });
  process.on('disconnect', () => process.exit(0));
  process.send?.('open');
}

const role = childRole();
if (role) void serve(role[0]!, role[1]!);
else defineTests();

/** Another process that has the folder open to write. */
async function otherProcess(t: TestContext, folder: string, dataDir: string): Promise<ChildProcess> {
  const child = startRole(__filename, folder, dataDir);
  cleanUp(t, async () => {
    child.kill('SIGKILL');
    await endOf(child);
  });
  assert.equal(await messageFrom(child), 'open');
  return child;
}

async function ask(child: ChildProcess, question: Question): Promise<unknown> {
  const answered = once(child, 'message') as Promise<[{ value?: unknown; error?: string }]>;
  child.send(question);
  const [{ value, error }] = await answered;
  assert.equal(error, undefined);
  return value;
}

/** Asks again until the answer is as wanted. */
async function until(what: string, isSo: () => Promise<boolean>, limitMs = 20_000): Promise<void> {
  const giveUpAt = Date.now() + limitMs;
  while (!(await isSo())) {
    if (Date.now() > giveUpAt) throw new Error(`${what}: not within ${limitMs} ms`);
    await new Promise(resolve => setTimeout(resolve, 50));
  }
}

function defineTests(): void {
  const tree = { 'a.ts': 'function aardvark() {}\n', 'b.ts': 'function badger() {}\n' };

  test('a process that reads follows what the owner in another process writes', async t => {
    const dataDir = newDataDir(t);
    const folder = makeFileTree(t, tree);
    const owner = await otherProcess(t, folder, dataDir);
    await ask(owner, { ask: 'sync' });
    const reader = await (await testRuntime(t, { dataDir })).open(folder, { access: 'read' });
    assert.deepEqual(await reader.findWords('badger'), ['b.ts']);
    writeFileSync(join(folder, 'c.ts'), 'function caracal() {}\n');
    await ask(owner, { ask: 'update', path: 'c.ts' });
    assert.deepEqual(await reader.findWords('caracal'), ['c.ts']);
    assert.equal((await reader.engine.stats()).complete, 1);
    assert.equal((await reader.find('caracal'))[0], 'c.ts');
    rmSync(join(folder, 'b.ts'));
    await ask(owner, { ask: 'update', path: 'b.ts' });
    assert.deepEqual(await reader.findWords('badger'), []);
  });

  test('a second process that would write follows: it answers, and hands its changes over', async t => {
    const dataDir = newDataDir(t);
    const folder = makeFileTree(t, tree);
    const owner = await otherProcess(t, folder, dataDir);
    await ask(owner, { ask: 'sync' });
    const runtime = await testRuntime(t, { dataDir });
    const follower = await runtime.open(folder);
    const status = follower.status();
    assert.deepEqual([status?.state, status?.files], ['ready', 2]);
    assert.match(status?.reason ?? '', new RegExp(`^Process ${owner.pid} keeps this index up to date`));
    assert.deepEqual(await follower.findWords('badger'), ['b.ts']);

    writeFileSync(join(folder, 'c.ts'), 'function caracal() {}\n');
    const report = await follower.engine.update(['c.ts']);
    assert.deepEqual([report.files, report.embedded, report.windows.embedded], [1, 1, 1]);
    assert.deepEqual(await follower.findWords('caracal'), ['c.ts']);
    assert.equal((await follower.engine.explain('c.ts')).state, 'indexed');
    assert.deepEqual(await ask(owner, { ask: 'find', query: 'caracal' }), ['c.ts']);
    assert.equal(runtime.embedder.windows, 0, 'the owner alone embeds');

    writeFileSync(join(folder, 'd.ts'), 'function dormouse() {}\n');
    const whole = await follower.sync();
    assert.deepEqual([whole.files, whole.embedded, whole.reused], [4, 1, 3]);
    await follower.engine.clear();
    assert.deepEqual(await follower.findWords('caracal'), []);
    assert.equal((await follower.engine.stats()).files, 0);
  });

  test('after an update that stores windows in another way all are embedded again, in their old room and without a word', async t => {
    const dataDir = newDataDir(t);
    const folder = makeFileTree(t, tree);
    const { windows } = dataLayout(dataDir, folder);
    // A snapshot names the format of the windows in it, and is none to the new version.
    const before = await testRuntime(t, { dataDir, snapshots: { changesWorth: Infinity, mostHeld: 0 } });
    const first = await before.open(folder);
    await first.sync();
    const { landmarks } = await first.engine.stats();
    await first.engine.close();
    await before.runtime.close();
    const records = await recordsIn(windows);
    await asOtherVersionWrote(windows, 1);

    const said: string[] = [];
    const after = await testRuntime(t, { dataDir, logger: { ...nullLogger, warn: message => said.push(message) } });
    const reader = await after.open(folder, { access: 'read' });
    assert.equal((await reader.engine.stats()).complete, 0);
    assert.deepEqual(await reader.findWords('badger'), ['b.ts']);
    const owner = await otherProcess(t, folder, dataDir);
    const { windows: counts } = (await ask(owner, { ask: 'sync' })) as IndexReport;
    assert.deepEqual(counts, { embedded: 2, reused: 0 });
    await until('the reader has the new vectors', async () => (await reader.engine.stats()).complete === 1);
    assert.equal((await reader.engine.stats()).landmarks, landmarks);
    assert.deepEqual(said, []);
    await reader.engine.close();
    await after.runtime.close();
    owner.kill('SIGKILL');
    await endOf(owner);
    assert.equal(await recordsIn(windows), records);
  });

  test('what the owner cannot do is told to the one who asked', async t => {
    const dataDir = newDataDir(t);
    const folder = makeFileTree(t, tree);
    const owner = await otherProcess(t, folder, dataDir);
    await ask(owner, { ask: 'sync' });
    const runtime = await testRuntime(t, { dataDir });
    const follower = await runtime.open(folder, { history: { gitDir: folder, at: 'HEAD' } });
    await assert.rejects(follower.sync(), (error: unknown) => {
      assert.ok(error instanceof LandmarkError);
      assert.equal(error.reason, 'store-busy');
      return error.message.includes(String(owner.pid)) && error.message.includes(folder);
    });
    assert.equal(follower.status()?.state, 'error');
    const plain = await (await testRuntime(t, { dataDir })).open(folder);
    renameSync(folder, `${folder}-gone`);
    t.after(() => rmSync(`${folder}-gone`, { recursive: true }));
    await assert.rejects(plain.sync(), /There is no file or folder/);
    mkdirSync(folder);
  });

  test('when the owner is killed in the middle of its work, a follower takes over and finishes it', async t => {
    const dataDir = newDataDir(t);
    const folder = makeFileTree(t, tree);
    const owner = await otherProcess(t, folder, dataDir);
    await ask(owner, { ask: 'sync' });
    const runtime = await testRuntime(t, { dataDir });
    const follower = await runtime.open(folder);
    await ask(owner, { ask: 'stall' });
    writeFileSync(join(folder, 'c.ts'), 'function caracal() {}\n');
    const waiting = follower.engine.update(['c.ts']);
    await until('the owner has the words', async () => (await follower.findWords('caracal')).length === 1);
    assert.equal((await follower.engine.explain('c.ts')).state, 'queued');
    owner.kill('SIGKILL');
    const killedAt = Date.now();
    assert.equal((await waiting).files, 1);
    assert.ok(runtime.embedder.windows > 0);
    assert.ok(Date.now() - killedAt < 8000, `${Date.now() - killedAt} ms`);
    assert.equal(follower.status()?.reason, '');
    assert.equal((await follower.engine.explain('c.ts')).state, 'indexed');
    // Now it is the one that others follow.
    const next = await otherProcess(t, folder, dataDir);
    const status = (await ask(next, { ask: 'status' })) as FolderStatus;
    assert.match(status.reason, new RegExp(`^Process ${process.pid} keeps`));
    writeFileSync(join(folder, 'd.ts'), 'function dormouse() {}\n');
    await ask(next, { ask: 'update', path: 'd.ts' });
    assert.deepEqual(await follower.findWords('dormouse'), ['d.ts']);
  });

  test('a follower takes over when the owner closes, and finds what has changed since', async t => {
    const dataDir = newDataDir(t);
    const folder = makeFileTree(t, tree);
    const runtime = await testRuntime(t, { dataDir });
    const owner = await runtime.open(folder);
    await owner.sync();
    const other = await otherProcess(t, folder, dataDir);
    await owner.engine.close();
    writeFileSync(join(folder, 'c.ts'), 'function caracal() {}\n');
    await until('the new owner has looked', async () => {
      const found = (await ask(other, { ask: 'find', query: 'caracal' })) as string[];
      return found.length === 1;
    });
    await until('it says so', async () => ((await ask(other, { ask: 'status' })) as FolderStatus).reason === '');
  });

  test('an owner that gave no sign for too long steps down and follows the one that took its place', async t => {
    const dataDir = newDataDir(t);
    const folder = makeFileTree(t, tree);
    const slept = await (await testRuntime(t, { dataDir })).open(folder);
    await slept.sync();
    // As the claim of another process does with a marker that is too old.
    const { workspace } = dataLayout(dataDir, folder);
    for (const name of readdirSync(workspace)) if (name.startsWith('owner-')) rmSync(join(workspace, name));
    const other = await otherProcess(t, folder, dataDir);
    await until('it follows', () => Promise.resolve(slept.status()?.reason.startsWith('Process') === true));
    writeFileSync(join(folder, 'c.ts'), 'function caracal() {}\n');
    const report = await slept.engine.update(['c.ts']);
    assert.equal(report.files, 1);
    assert.deepEqual(await ask(other, { ask: 'find', query: 'caracal' }), ['c.ts']);
    assert.ok(((await ask(other, { ask: 'status' })) as { embedded: number }).embedded > 0);
  });

  test('a folder inside another has an index and an owner of its own, and a save reaches both', async t => {
    const dataDir = newDataDir(t);
    const outer = makeFileTree(t, { 'a.ts': 'function aardvark() {}\n', 'in/b.ts': 'function badger() {}\n' });
    const inner = join(outer, 'in');
    const other = await otherProcess(t, inner, dataDir);
    await ask(other, { ask: 'sync' });
    const runtime = await testRuntime(t, { dataDir });
    const [whole, part] = [await runtime.open(outer), await runtime.open(inner)];
    assert.deepEqual([whole.status()?.reason, part.status()?.reason.startsWith(`Process ${other.pid}`)], ['', true]);
    assert.equal((await whole.sync()).windows.embedded, 1, 'what the other process has embedded is shared');
    writeFileSync(join(inner, 'b.ts'), 'function bandicoot() {}\n');
    await Promise.all([whole.engine.update(['in/b.ts']), part.engine.update(['b.ts'])]);
    assert.deepEqual(await whole.findWords('bandicoot'), ['in/b.ts']);
    assert.deepEqual(await part.findWords('bandicoot'), ['b.ts']);
    assert.deepEqual(await ask(other, { ask: 'find', query: 'bandicoot' }), ['b.ts']);
    for (const { findWords } of [whole, part]) assert.deepEqual(await findWords('badger'), []);
  });

  test('saves of many processes at once all arrive, also when the owner is killed among them', async t => {
    const dataDir = newDataDir(t);
    const folder = makeFileTree(t, tree);
    const owner = await otherProcess(t, folder, dataDir);
    await ask(owner, { ask: 'sync' });
    const followers = [await otherProcess(t, folder, dataDir), await otherProcess(t, folder, dataDir)];
    const mine = await (await testRuntime(t, { dataDir })).open(folder);
    const words = ['caracal', 'dormouse', 'echidna', 'fossa', 'gerbil', 'hedgehog'];
    const save = async (word: string, at: number): Promise<void> => {
      const path = `${word}.ts`;
      writeFileSync(join(folder, path), `function ${word}() {}\n`);
      const follower = followers[at % 3];
      if (follower === undefined) await mine.engine.update([path]);
      else await ask(follower, { ask: 'update', path });
    };
    const saves = words.slice(0, 3).map(save);
    owner.kill('SIGKILL');
    await Promise.all(saves);
    await Promise.all(words.slice(3).map(save));
    for (const word of words) assert.deepEqual(await mine.findWords(word), [`${word}.ts`]);
  });

  test('two owners at once cannot be: of many that open a folder together one writes', async t => {
    const dataDir = newDataDir(t);
    const folder = makeFileTree(t, tree);
    const runtimes = await Promise.all(Array.from({ length: 4 }, () => testRuntime(t, { dataDir })));
    const opened: TestEngine[] = await Promise.all(runtimes.map(({ open }) => open(folder)));
    const owners = opened.filter(({ status }) => status()?.reason === '');
    assert.equal(owners.length, 1);
    const reports = await Promise.all(opened.map(({ sync }) => sync()));
    assert.deepEqual(
      reports.map(({ files }) => files),
      [2, 2, 2, 2],
    );
    for (const { findWords } of opened) assert.deepEqual(await findWords('badger'), ['b.ts']);
  });
}
