import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { EngineRuntime } from '../../src/engine/engineRuntime';
import type { FolderOptions } from '../../src/engine/folderEngine';
import { SemanticEngine } from '../../src/engine/semanticEngine';
import type { IndexReport, IndexStats, SearchResponse } from '../../src/engine/types';
import { LandmarkError, messageOf } from '../../src/util/errors';
import type { Logger } from '../../src/util/logger';
import { childRole, endOf, messageFrom, startRole } from '../support/childRole';
import { cleanUp } from '../support/cleanUp';
import { newDataDir, testModel, WordEmbedder } from '../support/engineRuntime';
import { makeFileTree } from '../support/fileTree';
import { buildPrograms, type Finished, landmark } from '../support/landmark';
import { randomNumbers } from '../support/vectors';

const WORDS = 'engine valve garden ledger violin harbour planet kettle tunnel meadow copper lantern'.split(' ');
const QUERIES = ['violin harbour', 'the ledger of the garden', 'kettle3x7'];

function sources(count: number): Record<string, string> {
  const line = (file: number, at: number): string =>
    `export function ${WORDS[(file + at) % 12]}${file}x${at}() { return '${WORDS[(file * 7 + at * 3) % 12]} number ${file * at}'; }`;
  return Object.fromEntries(
    Array.from({ length: count }, (_, file) => [
      `src/part${file}.ts`,
      `${Array.from({ length: 40 }, (__, at) => line(file, at)).join('\n')}\n`,
    ]),
  );
}

/** What a process has seen of a folder's index: answers, or the reason why there are none. */
interface Seen {
  readonly answers: unknown;
  readonly embedded: number;
  /** Files of the index that were put aside. */
  readonly rebuilt: number;
}

async function withEngine<T>(
  folder: string,
  dataDir: string,
  access: FolderOptions['access'],
  use: (engine: SemanticEngine, embedder: WordEmbedder) => Promise<T>,
  logger: Logger,
): Promise<T> {
  const { manifest } = await testModel();
  const embedder = new WordEmbedder(manifest.dimensions, manifest.k);
  const runtime = new EngineRuntime({
    dataDir,
    model: testModel,
    queryEmbedder: () => Promise.resolve(new WordEmbedder(manifest.dimensions, manifest.k)),
    indexEmbedder: () => Promise.resolve(embedder),
    logger,
    snapshots: { changesWorth: 1, mostHeld: 4096 },
  });
  try {
    const engine = await SemanticEngine.open(folder, { access }, runtime, () => {});
    try {
      return await use(engine, embedder);
    } finally {
      await engine.close();
    }
  } finally {
    await runtime.close();
  }
}

async function answersOf(engine: SemanticEngine): Promise<unknown> {
  const answers: unknown[] = [];
  for (const query of QUERIES) {
    const { results } = await engine.search({ query });
    answers.push(results.map(({ path, score, places }) => [path, score.toFixed(6), places]));
  }
  return answers;
}

/** Reads the index as it is, brings it up to date, and looks twice. */
async function useIndex(folder: string, dataDir: string): Promise<unknown> {
  let rebuilt = 0;
  const ignore = (): void => {};
  const note = (message: string): void => {
    if (/built again|put aside|embedded again/.test(message)) rebuilt++;
  };
  const logger: Logger = { debug: ignore, info: ignore, warn: note, error: ignore };
  const asItIs = await withEngine(
    folder,
    dataDir,
    'read',
    async engine => ({
      complete: (await engine.search({ query: 'x' })).complete,
      answers: await answersOf(engine),
    }),
    logger,
  ).catch((error: unknown) => {
    if (error instanceof LandmarkError && /\.$/.test(error.message)) return { reason: error.reason };
    throw error;
  });
  const seen: Seen[] = [];
  for (let round = 0; round < 2; round++) {
    rebuilt = 0;
    seen.push(
      await withEngine(
        folder,
        dataDir,
        'write',
        async (engine, embedder) => {
          await engine.sync({ rebuild: false }, () => {});
          return { answers: await answersOf(engine), embedded: embedder.windows, rebuilt };
        },
        logger,
      ),
    );
  }
  return { asItIs, seen };
}

const role = childRole();
if (role) {
  useIndex(role[0]!, role[1]!).then(
    value => process.send?.({ value }, () => process.disconnect()),
    (error: unknown) => process.send?.({ error: messageOf(error) }, () => process.disconnect()),
  );
} else defineTests();

function filesBelow(dir: string): string[] {
  return readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name).slice(dir.length + 1))
    .sort();
}

function defineTests(): void {
  test(
    'whatever file of the data folder is damaged, it is rebuilt once and the answers are right',
    { timeout: 300_000 },
    async t => {
      const folder = makeFileTree(t, sources(15));
      const whole = newDataDir(t);
      const scratch = newDataDir(t);
      const first = (await inChild(folder, whole)) as { seen: Seen[] };
      const expected = first.seen[0]!.answers;
      const random = randomNumbers(11);
      const damages: Readonly<Record<string, (path: string) => void>> = {
        emptied: path => truncateSync(path, 0),
        halved: path => truncateSync(path, Math.floor(statSync(path).size / 2)),
        'changed in one bit': path => flip(path, 1, random),
        'changed in a hundred bits': path => flip(path, 100, random),
        deleted: path => rmSync(path),
      };
      let cases = 0;
      for (const file of filesBelow(whole)) {
        for (const [name, damage] of Object.entries(damages)) {
          const dataDir = join(scratch, `case${cases++}`);
          cpSync(whole, dataDir, { recursive: true });
          damage(join(dataDir, file));
          const what = `${file.replace(/[0-9a-f]{64}/, 'workspace')} ${name}`;
          const { asItIs, seen } = (await inChild(folder, dataDir)) as {
            asItIs: { answers?: unknown; complete?: number; reason?: string };
            seen: Seen[];
          };
          // Nothing, or the right thing; without all vectors the answer says that it is partial.
          if (asItIs.reason !== undefined) assert.match(asItIs.reason, /^(store-damaged|not-indexed)$/, what);
          else if (asItIs.complete === 1) assert.deepEqual(asItIs.answers, expected, what);
          assert.deepEqual(seen[0]?.answers, expected, what);
          assert.deepEqual(seen[1], { answers: expected, embedded: 0, rebuilt: 0 }, `${what}, the second time`);
          rmSync(dataDir, { recursive: true });
        }
      }
      assert.ok(cases >= 30, `${cases} cases`);
    },
  );

  test(
    'a full disk is said in one sentence, and the next run with room completes the index',
    { timeout: 300_000 },
    t => {
      if (process.platform !== 'linux' || process.getuid?.() !== 0)
        return t.skip('a small disk can be mounted by root on Linux only');
      buildPrograms();
      const folder = makeFileTree(t, sources(12));
      const calm = newDataDir(t);
      succeed(['index', folder], calm);
      const expected = cliAnswers(folder, calm);
      const used = filesBelow(calm).reduce((sum, file) => sum + statSync(join(calm, file)).size, 0);
      const disk = newDataDir(t);
      const resize = (bytes: number, how = 'remount,'): boolean =>
        spawnSync('mount', ['-t', 'tmpfs', '-o', `${how}size=${Math.ceil(bytes / 4096) * 4}k`, 'tmpfs', disk])
          .status === 0;
      if (!resize(4 * used, '')) return t.skip('no file system can be mounted here');
      cleanUp(t, () => spawnSync('umount', [disk]));
      for (const share of [0, 0.1, 0.3, 0.6, 0.8, 0.95]) {
        const dataDir = join(disk, `share ${share}`);
        assert.ok(resize(Math.max(4096, share * used)));
        assertOneSentence(landmark(['index', folder], dataDir), /Free some space/, `with room for ${share}`);
        assert.ok(resize(4 * used));
        const report = JSON.parse(succeed(['index', folder, '--json'], dataDir).out) as IndexReport;
        assert.equal(report.embedded + report.reused, 12);
        assert.deepEqual(cliAnswers(folder, dataDir), expected);
        rmSync(dataDir, { recursive: true });
      }
    },
  );

  test('a data folder that cannot be written, or is a file, is named with the way out', t => {
    buildPrograms();
    const folder = makeFileTree(t, sources(2));
    const file = join(folder, 'settings.json');
    writeFileSync(file, '{"a": 1}\n');
    assertOneSentence(landmark(['index', folder], file), /settings\.json.*another data folder/);
    assertOneSentence(landmark(['search', folder, 'x'], file), /settings\.json.*another data folder/);
    if (process.platform === 'linux')
      // Here every new folder is refused with “there is no such folder”.
      assertOneSentence(landmark(['index', folder], '/proc/none/index'), /no folder can be made.*another data folder/);
    const asNobody = nobody(t);
    if (asNobody === undefined) return t.skip('setpriv cannot run the program as another user here');
    const dataDir = newDataDir(t);
    chmodSync(folder, 0o755);
    chmodSync(dataDir, 0o755);
    assertOneSentence(landmark(['index', folder], dataDir, asNobody), /another data folder/);
    // Whoever may read an index may search it.
    succeed(['index', folder], dataDir);
    spawnSync('chmod', ['-R', 'a+rX', dataDir]);
    const { status, out, err } = landmark(['search', folder, 'violin'], dataDir, asNobody);
    assert.equal(status, 0, err);
    assert.match(out, /part\d\.ts/);
    assertOneSentence(landmark(['index', folder], dataDir, asNobody), /another data folder/);
  });

  test('files and folders without rights are reported one by one, and the rest is indexed', t => {
    buildPrograms();
    const asNobody = nobody(t);
    if (asNobody === undefined) return t.skip('setpriv cannot run the program as another user here');
    const folder = makeFileTree(t, { ...sources(2), 'locked.ts': 'let locked;\n', 'closed/a.ts': 'let closed;\n' });
    const dataDir = newDataDir(t);
    chmodSync(folder, 0o755);
    chmodSync(dataDir, 0o777);
    chmodSync(join(folder, 'locked.ts'), 0o000);
    chmodSync(join(folder, 'closed'), 0o000);
    const { status, out, err } = landmark(['index', folder, '--json'], dataDir, asNobody);
    assert.equal(status, 0, err);
    const report = JSON.parse(out) as IndexReport;
    assert.deepEqual(report.failed.map(({ path }) => path).sort(), ['closed', 'locked.ts']);
    for (const { path, reason, failure } of report.failed) {
      assert.equal(reason, `${path} cannot be read with your rights: change its permissions.`);
      assert.deepEqual(failure, { kind: 'no-permission' });
    }
    assert.deepEqual([report.files, report.embedded], [4, 2]);
    chmodSync(join(folder, 'locked.ts'), 0o644);
    chmodSync(join(folder, 'closed'), 0o755);
    const after = JSON.parse(landmark(['index', folder, '--json'], dataDir, asNobody).out) as IndexReport;
    assert.deepEqual([after.files, after.embedded, after.failed], [4, 2, []]);
  });

  test('a lost lock file, a stray file and an index of another version do no harm', t => {
    buildPrograms();
    const folder = makeFileTree(t, sources(2));
    const dataDir = newDataDir(t);
    succeed(['index', folder], dataDir);
    const expected = cliAnswers(folder, dataDir);
    for (const file of filesBelow(dataDir)) {
      if (file.endsWith('lock.mdb')) rmSync(join(dataDir, file));
      else if (file.endsWith('data.mdb')) writeFileSync(join(dataDir, `${file}.bad`), 'old');
    }
    mkdirSync(join(dataDir, 'workspaces/stray'));
    writeFileSync(join(dataDir, 'workspaces/stray/folder.json'), 'null');
    assert.deepEqual(cliAnswers(folder, dataDir), expected);
    assert.equal((JSON.parse(succeed(['index', folder, '--json'], dataDir).out) as IndexReport).windows.embedded, 0);
  });

  /** A child that dies of what it reads is started once more, as the editor does; a second death is a failure. */
  async function inChild(folder: string, dataDir: string): Promise<unknown> {
    for (let attempt = 0; ; attempt++) {
      const child = startRole(__filename, folder, dataDir);
      const answer = await messageFrom(child).catch((error: unknown) => error);
      await endOf(child);
      if (answer instanceof Error && attempt === 0) continue;
      if (answer instanceof Error) throw answer;
      const { value, error } = answer as { value?: unknown; error?: string };
      assert.equal(error, undefined, `${folder} with ${dataDir}`);
      return value;
    }
  }
}

function flip(path: string, bits: number, random: () => number): void {
  const bytes = readFileSync(path);
  if (bytes.length === 0) return;
  for (let bit = 0; bit < bits; bit++) bytes[Math.floor(random() * bytes.length)]! ^= 1 << Math.floor(random() * 8);
  writeFileSync(path, bytes);
}

function succeed(args: readonly string[], dataDir: string): Finished {
  const finished = landmark(args, dataDir);
  assert.equal(finished.status, 0, finished.err);
  return finished;
}

function cliAnswers(folder: string, dataDir: string): unknown {
  const { results, complete } = JSON.parse(
    succeed(['search', folder, QUERIES[0]!, '--json'], dataDir).out,
  ) as SearchResponse;
  const { files, windows, landmarks, queue } = JSON.parse(
    succeed(['stats', folder, '--json'], dataDir).out,
  ) as IndexStats;
  return { results, complete, files, windows, landmarks, queue };
}

function assertOneSentence({ status, out, err }: Finished, says: RegExp, what = ''): void {
  const lines = err
    .trimEnd()
    .split('\n')
    .filter(line => !/^[A-Z][a-z]+ [a-z]+ {2}/.test(line)); // without progress
  assert.equal(status, 1, `${what}: ${err}`);
  assert.equal(out, '');
  assert.equal(lines.length, 1, err);
  assert.match(lines[0]!, /^[A-Z/].*\.$/);
  assert.match(lines[0]!, says);
}

/** Runs a program as a user without rights; undefined where that cannot be done. Root may read everything. */
function nobody(t: TestContext): readonly string[] | undefined {
  if (process.platform !== 'linux') return undefined;
  if (process.getuid?.() !== 0) return [];
  // Root's own settings of git are not for others to read.
  const wrapper = ['env', 'HOME=/nonexistent', 'setpriv', '--reuid=65534', '--regid=65534', '--clear-groups'];
  return landmark(['--version'], newDataDir(t), wrapper).status === 0 ? wrapper : undefined;
}
