import assert from 'node:assert/strict';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { dataLayout } from '../../src/engine/store/dataFolder';
import { IndexStore } from '../../src/engine/store/indexStore';
import { OnnxEmbedder } from '../../src/engine/model/onnxEmbedder';
import type { IndexProgress, IndexReport, IndexStats, SearchHit } from '../../src/engine/types';
import { Deferred } from '../../src/util/async';
import { isCancelled, LandmarkError } from '../../src/util/errors';
import { type FileTree, makeFileTree, writeFileTree } from '../support/fileTree';
import { type TestEngine, testModel, testRuntime, WordEmbedder } from '../support/engineRuntime';
import { nullLogger } from '../../src/util/logger';
import { randomNumbers } from '../support/vectors';

const WORDS = (
  'engine valve garden ledger violin harbour planet kettle tunnel meadow copper lantern saddle mirror anchor ' +
  'pepper glacier ribbon compass walnut thunder basket canyon feather hammer island jungle magnet needle orchid'
).split(' ');

/** A small source file whose words depend on its number alone. */
function smallFile(number: number): string {
  const random = randomNumbers(number);
  const word = (): string => WORDS[Math.floor(random() * WORDS.length)]!;
  const functions = Array.from({ length: 3 }, (_, at) => {
    const name = `${word()}${word().replace(/^./, first => first.toUpperCase())}${number}x${at}`;
    return `function ${name}(${word()}) {\n  const ${word()} = '${word()} ${word()}';\n  return ${word()} + ${number};\n}\n`;
  });
  return functions.join('\n');
}

function project(files: number): FileTree {
  return Object.fromEntries(
    Array.from({ length: files }, (_, at) => [`src/part${at % 7}/file${at}.ts`, smallFile(at)]),
  );
}

/** Looks like one long source file: 5,000 lines, all different. */
function longFile(): string {
  const random = randomNumbers(5000);
  const word = (): string => WORDS[Math.floor(random() * WORDS.length)]!;
  const lines = Array.from({ length: 1250 }, (_, at) => [
    `/** Moves the ${word()} ${at} to the ${word()}. */`,
    `export function ${word()}${at}(${word()}: number): number {`,
    `  return ${word()}(${at}, '${word()}') * ${Math.floor(random() * 1000)};`,
    '}',
  ]);
  return `${lines.flat().join('\n')}\n`;
}

function assertAddsUp(report: IndexReport): void {
  const skipped = Object.values(report.skipped).reduce((sum, count) => sum + count, 0);
  assert.equal(report.files, report.embedded + report.reused + skipped + report.failed.length);
}

/** Time stamps that prove something: older than what a file system's clock cannot tell apart. */
function ageAll(folder: string): void {
  const hourAgo = new Date(Date.now() - 3600_000);
  for (const name of readdirSync(folder, { recursive: true })) utimesSync(join(folder, String(name)), hourAgo, hourAgo);
}

const rejection = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  );

/** What a user sees of an index: the answers to many questions, and the counts. Scores are rounded to what is shown. */
async function answersOf({ engine }: TestEngine, queries: readonly string[]): Promise<unknown> {
  const answers: unknown[] = [];
  for (const query of queries) {
    const { results, complete } = await engine.search({ query, limit: 20 });
    const plain = ({ path, score, copies, places, arms }: SearchHit): unknown => [
      path,
      score.toFixed(6),
      copies,
      places.map(({ startLine, endLine, line, lineText }) => [startLine, endLine, line, lineText]),
      Object.entries(arms).map(([arm, share]) => `${arm} ${share.toFixed(6)}`),
    ];
    answers.push({ query, complete, results: results.map(plain) });
  }
  const { files, windows, landmarks, complete, queue }: IndexStats = await engine.stats();
  return { answers, files, windows, landmarks, complete, queue };
}

const QUESTIONS = [
  'where does the kettle meet the violin',
  'glacier compass',
  'return the walnut',
  'thunderBasket12x1',
  'file7',
  'feather hammer island',
  'notes about orchids',
];

test('a second sync of an unchanged folder reads and embeds nothing; one changed file embeds one', async t => {
  const folder = makeFileTree(t, project(300));
  ageAll(folder);
  const { open, embedder } = await testRuntime(t);
  const opened = await open(folder);
  const first = await opened.sync();
  assertAddsUp(first);
  assert.deepEqual([first.files, first.embedded, first.reused, first.failed], [300, 300, 0, []]);
  assert.equal((await opened.engine.stats()).complete, 1);
  const { windows } = embedder;

  const phases: string[] = [];
  const second = await opened.engine.sync({ rebuild: false }, ({ phase, total }: IndexProgress) => {
    if (phase === 'lexical' && total > 0) phases.push(phase);
  });
  assert.deepEqual([second.embedded, second.reused, second.windows.embedded], [0, 300, 0]);
  assert.equal(embedder.windows, windows);
  assert.deepEqual(phases, []);

  writeFileSync(join(folder, 'src/part1/file1.ts'), smallFile(1001));
  const third = await opened.sync();
  assertAddsUp(third);
  assert.deepEqual([third.embedded, third.reused, third.windows.embedded], [1, 299, 1]);
  assert.equal(embedder.windows, windows + 1);
});

test('an index that was closed and opened again is the same and has nothing to do', async t => {
  const folder = makeFileTree(t, project(60));
  ageAll(folder);
  const { open, embedder } = await testRuntime(t);
  const before = await open(folder);
  await before.sync();
  const expected = await answersOf(before, QUESTIONS);
  await before.engine.close();
  const { windows } = embedder;
  const after = await open(folder);
  assert.deepEqual(await answersOf(after, QUESTIONS), expected);
  assert.equal((await after.sync()).windows.embedded, 0);
  assert.equal(embedder.windows, windows);
});

test('a line inserted at the top of a file of 5,000 lines embeds at most 3 windows', async t => {
  const text = longFile();
  assert.equal(text.split('\n').length, 5001);
  const folder = makeFileTree(t, { 'long.ts': text });
  const { open } = await testRuntime(t);
  const { engine, sync } = await open(folder);
  const first = await sync();
  assert.ok(first.windows.embedded > 100, `${first.windows.embedded} windows`);
  writeFileSync(join(folder, 'long.ts'), `// A line that nobody expected.\n${text}`);
  const report = await engine.update(['long.ts']);
  assert.ok(report.windows.embedded >= 1 && report.windows.embedded <= 3, `${report.windows.embedded} windows`);
  assert.equal((await engine.stats()).complete, 1);
});

test('a renamed and a copied file embed nothing, a deleted one is gone at once', async t => {
  const folder = makeFileTree(t, { ...project(20), 'lone.ts': 'function zebraCrossing() { return 1; }\n' });
  const { open } = await testRuntime(t);
  const { engine, sync, find, findWords } = await open(folder);
  await sync();
  assert.equal((await find('zebra crossing'))[0], 'lone.ts');

  renameSync(join(folder, 'lone.ts'), join(folder, 'moved.ts'));
  const renamed = await engine.update(['lone.ts', 'moved.ts']);
  assert.deepEqual([renamed.embedded, renamed.reused, renamed.windows.embedded], [0, 1, 0]);
  assert.equal((await find('zebra crossing'))[0], 'moved.ts');
  assert.ok(!(await find('zebra crossing')).includes('lone.ts'));

  copyFileSync(join(folder, 'moved.ts'), join(folder, 'copied.ts'));
  const copied = await engine.update(['copied.ts']);
  assert.deepEqual([copied.embedded, copied.reused, copied.windows.embedded], [0, 1, 0]);
  const [hit] = (await engine.search({ query: 'zebra crossing' })).results;
  assert.deepEqual([hit?.path, hit?.copies], ['copied.ts', ['moved.ts']]);

  rmSync(join(folder, 'moved.ts'));
  rmSync(join(folder, 'copied.ts'));
  await engine.update(['moved.ts', 'copied.ts']);
  assert.deepEqual(await findWords('zebra crossing'), []);
  assert.equal((await engine.explain('moved.ts')).state, 'absent');
});

test('a folder that is renamed or deleted takes its files along', async t => {
  const folder = makeFileTree(t, { ...project(20), 'old/a.ts': smallFile(501), 'old/deep/b.ts': smallFile(502) });
  const { open } = await testRuntime(t);
  const { engine, sync, find } = await open(folder);
  await sync();
  renameSync(join(folder, 'old'), join(folder, 'new'));
  const report = await engine.update(['old', 'new']);
  assert.deepEqual([report.files, report.windows.embedded], [2, 0]);
  const paths = await find(`${smallFile(501)} ${smallFile(502)}`);
  assert.ok(paths.includes('new/a.ts') && paths.includes('new/deep/b.ts'), paths.join(' '));
  assert.ok(!paths.some(path => path.startsWith('old/')));
  // A folder whose name begins like that of another is not the other.
  mkdirSync(join(folder, 'newer'));
  writeFileSync(join(folder, 'newer/c.ts'), smallFile(503));
  await engine.update(['newer']);
  rmSync(join(folder, 'new'), { recursive: true });
  await engine.update(['new']);
  const left = await find(`${smallFile(501)} ${smallFile(502)} ${smallFile(503)}`);
  assert.ok(left.includes('newer/c.ts') && !left.some(path => path.startsWith('new/')), left.join(' '));
});

test('an edited .gitignore takes files out and brings them back, without embedding them again', async t => {
  const folder = makeFileTree(t, { ...project(10), 'out/made.ts': 'function quetzal() {}\n' });
  const { open, embedder } = await testRuntime(t);
  const { engine, sync, find } = await open(folder);
  await sync();
  assert.deepEqual((await find('quetzal'))[0], 'out/made.ts');
  const { windows } = embedder;
  writeFileSync(join(folder, '.gitignore'), 'out/\n');
  await engine.update(['.gitignore']);
  assert.ok(!(await find('quetzal')).includes('out/made.ts'));
  const explained = await engine.explain('out/made.ts');
  assert.deepEqual([explained.state, explained.rule, explained.ruleLine], ['ignored', 'out/', 1]);
  writeFileSync(join(folder, '.gitignore'), '');
  await engine.update(['.gitignore']);
  assert.deepEqual((await find('quetzal'))[0], 'out/made.ts');
  // The ignore file itself was a text for a while.
  assert.ok(embedder.windows - windows <= 2, `${embedder.windows - windows} windows`);
});

test('a file that changes while indexing is paused is found by its words at once and embedded after resuming', async t => {
  const folder = makeFileTree(t, project(10));
  const { open, embedder } = await testRuntime(t);
  const opened = await open(folder);
  await opened.sync();
  opened.engine.setPaused(true);
  assert.equal(opened.status()?.state, 'paused');
  const { windows } = embedder;
  writeFileSync(join(folder, 'fresh.ts'), 'function axolotl() { return 1; }\n');
  await opened.engine.update(['fresh.ts']);
  assert.equal((await opened.find('axolotl'))[0], 'fresh.ts');
  assert.equal(embedder.windows, windows);
  const { state, waitsFor } = await opened.engine.explain('fresh.ts');
  assert.deepEqual([state, waitsFor], ['queued', 'vectors']);
  assert.ok((opened.status()?.complete ?? 1) < 1);
  opened.engine.setPaused(false);
  await opened.sync();
  assert.equal((await opened.engine.explain('fresh.ts')).state, 'indexed');
  assert.equal(opened.status()?.state, 'ready');
  assert.ok(embedder.windows > windows);
});

test('while a sync embeds, answers come and say that they are partial, and a saved file is done first', async t => {
  const folder = makeFileTree(t, { ...project(300), 'late.ts': `${smallFile(901).repeat(3)}// a quagga\n` });
  const { open, embedder } = await testRuntime(t);
  const opened = await open(folder);
  const [middle, later, held] = [new Deferred<void>(), new Deferred<void>(), new Deferred<void>()];
  let steps = 0;
  embedder.gate = () => {
    steps++;
    if (steps === 14) held.resolve();
    return steps === 14 ? middle.promise : steps > 15 ? later.promise : Promise.resolve();
  };
  const syncing = opened.sync();
  await held.promise;
  assert.equal(opened.status()?.state, 'indexing');
  const answer = await opened.engine.search({ query: 'kettle violin' });
  assert.ok(answer.results.length > 0);
  assert.ok(answer.complete > 0 && answer.complete < 1, `complete ${answer.complete}`);
  const [first] = (await opened.engine.search({ query: 'where is the quagga kept' })).results;
  assert.equal(first?.path, 'late.ts', 'the few files that are embedded do not go before what the words find');

  const outstanding = (): number => (opened.status()?.total ?? 0) - (opened.status()?.done ?? 0);
  const before = outstanding();
  // Longer than the others, so that no order by length brings it to the front.
  writeFileSync(join(folder, 'saved.ts'), `function pangolin() {}\n${smallFile(900).repeat(2)}`);
  const updating = opened.engine.update(['saved.ts']);
  while (outstanding() === before) await new Promise(resolve => setImmediate(resolve));
  middle.resolve();
  const report = await updating;
  assert.deepEqual([report.files, report.embedded], [1, 1]);
  assert.equal((await opened.findWords('pangolin'))[0], 'saved.ts');
  assert.equal((await opened.engine.explain('saved.ts')).state, 'indexed');
  assert.ok((opened.status()?.complete ?? 1) < 1, 'the saved file did not wait for the others');
  later.resolve();
  assertAddsUp(await syncing);
  assert.equal((await opened.engine.stats()).complete, 1);
});

test('a sync that is aborted and repeated ends in the same index as an undisturbed one', async t => {
  const folder = makeFileTree(t, project(120));
  const calm = await testRuntime(t);
  const undisturbed = await calm.open(folder);
  await undisturbed.sync();
  const expected = await answersOf(undisturbed, QUESTIONS);

  for (const phase of ['walk', 'lexical', 'history', 'embed', 'graphs'] as const) {
    const { open } = await testRuntime(t);
    const disturbed = await open(folder);
    const controller = new AbortController();
    const error = await rejection(
      disturbed.engine.sync(
        { rebuild: false },
        progress => {
          if (progress.phase === phase) controller.abort();
        },
        controller.signal,
      ),
    );
    assert.ok(error === undefined ? phase === 'graphs' : isCancelled(error), `${phase}: ${String(error)}`);
    await disturbed.sync();
    assert.deepEqual(await answersOf(disturbed, QUESTIONS), expected, phase);
  }
});

test('an engine that is closed in the middle of a sync leaves an index that can be completed', async t => {
  const folder = makeFileTree(t, project(120));
  const { open, embedder } = await testRuntime(t);
  const first = await open(folder);
  const held = new Deferred<void>();
  const release = new Deferred<void>();
  let steps = 0;
  embedder.gate = () => {
    if (++steps !== 4) return Promise.resolve();
    held.resolve();
    return release.promise;
  };
  const syncing = rejection(first.sync());
  await held.promise;
  const closing = first.engine.close();
  release.resolve();
  await closing;
  assert.ok(isCancelled(await syncing));
  const { windows } = embedder;
  assert.ok(windows > 0);
  const second = await open(folder);
  assert.ok((await second.engine.stats()).complete < 1);
  const report = await second.sync();
  assert.ok(report.windows.reused > 0 || embedder.windows - windows < windows + 240);
  assert.equal((await second.engine.stats()).complete, 1);
});

test('without a model runtime words still answer, with a note', async t => {
  const unavailable = (): Promise<never> =>
    Promise.reject(new LandmarkError('runtime-unavailable', 'The model runtime cannot run in this test.'));
  const folder = makeFileTree(t, { ...project(20), 'mine.ts': 'function capybara() {}\n' });
  const { open } = await testRuntime(t, { indexEmbedder: unavailable, queryEmbedder: unavailable });
  const opened = await open(folder);
  const report = await opened.sync();
  assertAddsUp(report);
  assert.deepEqual([report.files, report.windows], [21, { embedded: 0, reused: 0 }]);
  const answer = await opened.engine.search({ query: 'capybara' });
  assert.equal(answer.results[0]?.path, 'mine.ts');
  assert.equal(answer.complete, 0);
  assert.deepEqual(answer.notes, [{ kind: 'no-model' }]);
  const status = opened.status();
  assert.deepEqual([status?.state, status?.vectors], ['problems', false]);
  assert.match(status?.reason ?? '', /cannot run in this test/);
});

test('one window that brings the runtime down fails its file alone, with the reason in the report', async t => {
  const folder = makeFileTree(t, { ...project(40), 'deadly.ts': 'function basilisk() {}\n' });
  const { open, embedder } = await testRuntime(t);
  const opened = await open(folder);
  const embed = embedder.embed.bind(embedder);
  const deadly = (await embeddedLengths(folder, 'deadly.ts')).length;
  embedder.embed = (windows, signal) =>
    windows.some(ids => ids.length === deadly)
      ? Promise.reject(new LandmarkError('engine-died', 'The embedder process ended twice on the same text.'))
      : embed(windows, signal);
  const report = await opened.sync();
  assertAddsUp(report);
  assert.ok(report.failed.some(({ path, reason }) => path === 'deadly.ts' && /ended twice/.test(reason)));
  assert.equal((await opened.find('basilisk'))[0], 'deadly.ts');
  const explained = await opened.engine.explain('deadly.ts');
  assert.deepEqual([explained.state, explained.failure?.kind], ['failed', 'model']);
  embedder.embed = embed;
  assert.deepEqual((await opened.sync()).failed, []);
  assert.equal((await opened.engine.explain('deadly.ts')).state, 'indexed');
});

/** Token ids of a file's only window, by the real tokenizer. */
async function embeddedLengths(folder: string, path: string): Promise<Int32Array> {
  const { TextTokenizer } = await import('../../src/engine/model/textTokenizer');
  const tokenizer = await TextTokenizer.load(await testModel());
  return tokenizer.encodeText(readFileSync(join(folder, path), 'utf8')).ids;
}

test('a catalogue that proves damaged in the middle of a sync is built again, once', async t => {
  const folder = makeFileTree(t, project(40));
  const { open, embedder } = await testRuntime(t);
  const opened = await open(folder);
  const damaged = new LandmarkError('store-damaged', 'The index is damaged in this test.');
  let times = 1;
  embedder.gate = () => (times-- > 0 ? Promise.reject(damaged) : Promise.resolve());
  assertAddsUp(await opened.sync());
  assert.deepEqual([opened.status()?.state, (await opened.engine.stats()).complete], ['ready', 1]);
  const expected = await answersOf(opened, QUESTIONS);
  await opened.engine.close();

  const again = await open(folder);
  times = Infinity;
  writeFileSync(join(folder, 'fresh.ts'), 'function axolotl() {}\n');
  assert.equal(await rejection(again.sync()), damaged);
  assert.deepEqual([again.status()?.state, again.status()?.reason], ['error', damaged.message]);
  assert.equal((await again.findWords('axolotl'))[0], 'fresh.ts');
  times = 0;
  rmSync(join(folder, 'fresh.ts'));
  await again.sync();
  assert.equal(again.status()?.state, 'ready');
  assert.deepEqual(await answersOf(again, QUESTIONS), expected);
});

test('when the store of windows is lost in the middle of a sync, the same sync makes good for it', async t => {
  const folder = makeFileTree(t, project(100));
  const { open, embedder, runtime } = await testRuntime(t);
  const opened = await open(folder);
  let steps = 0;
  embedder.gate = async () => {
    if (++steps === 6) await (await runtime.windowStore('write')).startAnew();
  };
  await opened.sync();
  assert.ok(steps > 6);
  const expected = await answersOf(opened, QUESTIONS);
  await opened.engine.close();
  const { windows } = embedder;
  const again = await open(folder);
  assert.equal((await again.engine.stats()).complete, 1);
  await again.sync();
  assert.equal(embedder.windows, windows);
  assert.deepEqual(await answersOf(again, QUESTIONS), expected);
});

test('closing does not wait for a model that still loads', async t => {
  const folder = makeFileTree(t, project(3));
  const { open, runtime } = await testRuntime(t, { queryEmbedder: () => new Promise(() => {}) });
  const { engine, sync } = await open(folder);
  await sync();
  const searching = engine.search({ query: 'kettle' });
  searching.catch(() => {});
  await engine.close();
  await runtime.close();
});

test('several folders share one runtime: equal contents are embedded once, answers stay apart', async t => {
  const [one, other] = [makeFileTree(t, project(30)), makeFileTree(t, { ...project(30), 'own.ts': 'let okapi;\n' })];
  const { open, embedder } = await testRuntime(t);
  const [first, second] = [await open(one), await open(other)];
  await Promise.all([first.sync(), second.sync()]);
  const { windows } = embedder;
  assert.ok(windows <= 2 * 31 + 31, `${windows} windows`);
  assert.equal((await second.find('okapi'))[0], 'own.ts');
  assert.deepEqual(await first.findWords('okapi'), []);
  await first.engine.close();
  assert.equal((await second.find('okapi'))[0], 'own.ts');
  const again = await open(one);
  assert.equal((await again.sync()).windows.embedded, 0);
});

test('a cleared index finds nothing and comes back without embedding', async t => {
  const folder = makeFileTree(t, project(30));
  const { open, embedder, runtime } = await testRuntime(t);
  const opened = await open(folder);
  await opened.sync();
  const { windows } = embedder;
  const expected = await answersOf(opened, QUESTIONS);
  const { workspace } = dataLayout(runtime.dataDir, folder);
  writeFileSync(join(workspace, 'snapshot-0123456789abcdef.bin'), 'words of the folder');
  assert.ok((await opened.engine.stats()).bytes['snapshot']! >= 19);
  await opened.engine.clear();
  assert.equal((await opened.engine.stats()).bytes['snapshot'], 0);
  assert.equal(existsSync(join(workspace, 'snapshot-0123456789abcdef.bin')), false);
  assert.deepEqual(await opened.find('kettle'), []);
  assert.equal((await opened.engine.stats()).files, 0);
  await opened.sync();
  assert.equal(embedder.windows, windows);
  assert.deepEqual(await answersOf(opened, QUESTIONS), expected);
  const rebuilt = await opened.engine.sync({ rebuild: true }, () => {});
  assertAddsUp(rebuilt);
  assert.equal(embedder.windows, windows);
  assert.deepEqual(await answersOf(opened, QUESTIONS), expected);
});

test('after any storm of changes the answers are those of a fresh index', { timeout: 240_000 }, async t => {
  for (const seed of [1, 2]) await storm(seed);

  async function storm(seed: number): Promise<void> {
    const random = randomNumbers(seed);
    const below = (limit: number): number => Math.floor(random() * limit);
    const folder = makeFileTree(t, project(40));
    const { open, embedder } = await testRuntime(t);
    embedder.gate = () => new Promise(resolve => setImmediate(resolve));
    const stormy = await open(folder);
    const pending: Promise<unknown>[] = [stormy.sync()];
    const files = (): string[] =>
      readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter(entry => entry.isFile())
        .map(entry => join(entry.parentPath, entry.name).slice(folder.length + 1))
        .sort();
    const pick = (): string => files()[below(files().length)] ?? 'none.ts';
    const write = (path: string, text: string): string => {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
      return path;
    };
    const operations: (() => readonly string[])[] = [
      () => [write(`src/new${below(5)}/file${below(60)}.ts`, smallFile(below(80)))],
      () => [write(pick(), smallFile(2000 + below(50)))],
      () => {
        const path = pick();
        return [write(path, `${readFileSync(join(folder, path), 'utf8')}\n// ${WORDS[below(WORDS.length)]}\n`)];
      },
      () => {
        const [from, to] = [pick(), `moved/file${below(30)}.ts`];
        mkdirSync(join(folder, 'moved'), { recursive: true });
        renameSync(join(folder, from), join(folder, to));
        return [from, to];
      },
      () => {
        const [from, to] = [pick(), `copies/file${below(30)}.ts`];
        mkdirSync(join(folder, 'copies'), { recursive: true });
        copyFileSync(join(folder, from), join(folder, to));
        return [to];
      },
      () => {
        const path = pick();
        rmSync(join(folder, path));
        return [path];
      },
      () => {
        const path = dirname(pick());
        if (path === '.' || below(3) > 0) return [];
        rmSync(join(folder, path), { recursive: true });
        return [path];
      },
      () => [write('.gitignore', below(2) === 0 ? 'src/part3/\nfile1*.ts\n' : `part${below(7)}\n`)],
      () => [write(pick(), '')],
    ];
    for (let step = 0; step < 200; step++) {
      const changed = operations[below(operations.length)]!();
      if (changed.length > 0) pending.push(stormy.engine.update(changed));
      switch (below(12)) {
        case 0:
          stormy.engine.setPaused(below(2) === 0);
          break;
        case 1:
          pending.push(stormy.sync());
          break;
        case 2:
          await stormy.find(WORDS[below(WORDS.length)]!);
          break;
        case 3:
          await Promise.all(pending.splice(0));
          break;
        default:
      }
    }
    stormy.engine.setPaused(false);
    await Promise.all(pending);
    assert.deepEqual((await stormy.sync()).failed, []);

    const fresh = await (await testRuntime(t)).open(folder);
    await fresh.sync();
    const questions = [...QUESTIONS, ...WORDS];
    assert.deepEqual(await answersOf(stormy, questions), await answersOf(fresh, questions), `seed ${seed}`);
    await stormy.engine.close();
    const reopened = await open(folder);
    assert.deepEqual(await answersOf(reopened, questions), await answersOf(fresh, questions), `seed ${seed}, reopened`);
  }
});

test('with the real model, a question without a common word finds its file', async t => {
  const folder = makeFileTree(t, {
    ...project(30),
    'net/download.py':
      'def fetch_url(address):\n    """Downloads a web page over HTTP."""\n    return requests.get(address).text\n',
    'money/tax.py': 'def vat(price):\n    """Value added tax on an invoice."""\n    return price * 0.19\n',
  });
  const model = await testModel();
  const session = (): Promise<OnnxEmbedder> => OnnxEmbedder.create(model, { threads: 1 });
  const { open } = await testRuntime(t, { indexEmbedder: session, queryEmbedder: session });
  const opened = await open(folder);
  await opened.sync();
  const answer = await opened.engine.search({
    query: 'retrieve site contents from the internet',
    arms: ['file', 'landmark'],
  });
  assert.equal(answer.results[0]?.path, 'net/download.py');
  assert.ok(answer.results[0].places.length > 0);
  const similar = await opened.engine.similar('net/download.py', 5);
  assert.ok(!similar.results.some(({ path }) => path === 'net/download.py'));
});

test('files like a file come with its copies and with its tests, which lead back', async t => {
  const retry = 'export function retryUpload() {\n  waitAndSendAgain();\n}\n';
  const folder = makeFileTree(t, {
    'src/retry.ts': retry,
    'lib/retry.ts': retry,
    'test/retry.test.ts': 'test("an upload is retried", () => retryUpload());\n',
    'src/paint.ts': 'export const paint = 1;\n',
  });
  const { open } = await testRuntime(t);
  const { engine, sync } = await open(folder);
  await sync();
  const source = await engine.similar('src/retry.ts', 5);
  assert.deepEqual(source.copies, ['lib/retry.ts']);
  const related = (source.testPartners ?? []).map(({ path, relation }) => [path, relation]);
  assert.deepEqual(related, [['test/retry.test.ts', 'test']]);
  const tests = await engine.similar('test/retry.test.ts', 5);
  const tested = (tests.testPartners ?? []).map(({ path, relation, copies }) => [path, relation, copies]);
  assert.deepEqual(tested, [['lib/retry.ts', 'tested', ['src/retry.ts']]]);
});

test('what is not a folder is refused with a sentence, and reading needs an index', async t => {
  const folder = makeFileTree(t, { 'a.ts': 'let a;\n' });
  const { open } = await testRuntime(t);
  const reasonOf = async (work: Promise<unknown>): Promise<[string, string]> => {
    const error = await rejection(work);
    assert.ok(error instanceof LandmarkError, String(error));
    return [error.reason, error.message];
  };
  assert.equal((await reasonOf(open(join(folder, 'none'))))[0], 'not-found');
  assert.equal((await reasonOf(open(join(folder, 'a.ts'))))[0], 'not-a-folder');
  const [reason, message] = await reasonOf(open(folder, { access: 'read' }));
  assert.equal(reason, 'not-indexed');
  assert.ok(message.includes(`"landmark index ${folder}"`), message);
  writeFileTree(folder, { 'b.ts': 'let b;\n' });
  await (await open(folder)).sync();
  const reader = await open(folder, { access: 'read' });
  assert.equal((await reasonOf(reader.engine.update(['b.ts'])))[0], 'invalid-argument');
});

test('a data folder inside the indexed folder is not indexed, however it is called', async t => {
  const folder = makeFileTree(t, { 'a.ts': smallFile(1) });
  const dataDir = join(folder, 'my [data] #1');
  const { open } = await testRuntime(t, { dataDir });
  const { engine, sync } = await open(folder);
  assert.equal((await sync()).files, 1);
  assert.equal((await sync()).files, 1);
  assert.equal((await engine.explain('my [data] #1/windows/data.mdb')).state, 'ignored');
});

test('files whose rows are damaged while the index is open are still found, without their places', async t => {
  const folder = makeFileTree(t, project(80));
  const { open, dataDir } = await testRuntime(t);
  const owner = await open(folder);
  await owner.sync();
  const reader = await open(folder, { access: 'read' });
  const ask = async (): Promise<readonly SearchHit[]> =>
    (await reader.engine.search({ query: 'engine valve garden ledger violin', limit: 80 })).results;
  const before = await ask();
  assert.ok(before.length > 70 && before.every(({ places }) => places.length > 0));

  const { workspace } = dataLayout(dataDir, realpathSync(folder));
  const store = await IndexStore.open(workspace, {
    access: 'share',
    tables: ['contents'],
    pageSize: 4096,
    logger: nullLogger,
  });
  assert.ok(store !== undefined);
  const keys = store.entries('contents', 100).map(([key]) => key);
  await store.write(writer => keys.forEach(key => writer.put('contents', key, Buffer.from('nothing like a row'))));
  await store.close();

  const after = await ask();
  assert.deepEqual(
    after.map(({ path }) => path),
    before.map(({ path }) => path),
  );
  // Some rows are remembered from a moment ago.
  assert.ok(after.some(({ places }) => places.length === 0));
});

test('a search that the folder is opened anew under is asked again', async t => {
  const folder = makeFileTree(t, project(80));
  const { manifest } = await testModel();
  const { open, dataDir } = await testRuntime(t);
  const first = await open(folder);
  await first.sync();
  const queries = new WordEmbedder(manifest.dimensions, manifest.k);
  const second = await testRuntime(t, { dataDir, queryEmbedder: () => Promise.resolve(queries) });
  const follower = await second.open(folder);
  const query = 'engine valve garden ledger violin';
  await follower.engine.search({ query: 'warm up first' });
  const [reached, released] = [new Deferred<void>(), new Deferred<void>()];
  queries.gate = () => {
    reached.resolve();
    return released.promise;
  };
  const asked = follower.engine.search({ query, limit: 80 });
  await reached.promise;
  await first.engine.close();
  // Done once the follower owns the index.
  await follower.engine.update(['src/part0/file0.ts']);
  released.resolve();
  const { results } = await asked;
  assert.ok(results.length > 70 && results.every(({ places }) => places.length > 0));
});
