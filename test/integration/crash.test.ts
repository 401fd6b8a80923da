import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { after, before, test, type TestContext } from 'node:test';
import { setImmediate as nextTurn, setTimeout as moment } from 'node:timers/promises';
import { dataLayout } from '../../src/engine/store/dataFolder';
import { amount, noteFigures, seedFrom, soakTime } from '../support/amount';
import { childRole, endOf, startRole } from '../support/childRole';
import { cleanUp } from '../support/cleanUp';
import { assertSurvived, type CrashCheck } from '../support/crashCheck';
import { runSubject, type SubjectMessage, type SubjectOptions } from '../support/crashSubject';
import { newDataDir } from '../support/engineRuntime';
import { ExactSearch } from '../support/exactSearch';
import { makeFileTree } from '../support/fileTree';
import { buildHostPrograms, type HostPrograms } from '../support/hostPrograms';
import { indexableFiles, RandomFiles, readFiles, writeFile } from '../support/randomFiles';
import { randomNumbers } from '../support/vectors';

/** Graph and snapshot: files that can be made again. */
const CACHE = /windows-[0-9a-f]{16}\.graph$|snapshot-[0-9a-f]{16}\.bin$/;

const role = childRole();
if (role) void runSubject(JSON.parse(role[0]!) as SubjectOptions);
else defineTests();

/** A process under test, with what it has reported as done so far. */
class Running {
  readonly promised: Map<string, string | null>;
  readonly child: ChildProcess;
  private readonly seen = new Map<SubjectMessage['kind'], number>();
  private readonly waiting: { readonly kind: SubjectMessage['kind']; readonly count: number; resolve: () => void }[] =
    [];
  private embedder: number | undefined;
  private errors = '';

  constructor(options: SubjectOptions, promised: ReadonlyMap<string, string | null>) {
    this.promised = new Map(promised);
    this.child = startRole(__filename, JSON.stringify(options));
    this.child.stderr?.on('data', (text: Buffer) => (this.errors += text.toString()));
    this.child.on('message', message => this.note(message as SubjectMessage));
  }

  get embedderPid(): number | undefined {
    return this.embedder;
  }

  /** Resolves when the process has said so for the so-manieth time, or has ended. */
  async when(kind: SubjectMessage['kind'], count: number): Promise<void> {
    if ((this.seen.get(kind) ?? 0) >= count) return;
    const ended = endOf(this.child).then(end => {
      throw new Error(`the process under test ended by itself (${end}): ${this.errors}`);
    });
    await Promise.race([new Promise<void>(resolve => this.waiting.push({ kind, count, resolve })), ended]);
    ended.catch(() => {});
  }

  async kill(): Promise<void> {
    const end = endOf(this.child);
    this.child.kill('SIGKILL');
    assert.equal(await end, 'SIGKILL', this.errors);
    await drained();
  }

  private note(message: SubjectMessage): void {
    this.seen.set(message.kind, (this.seen.get(message.kind) ?? 0) + 1);
    if (message.kind === 'begin') for (const path of message.paths) this.promised.delete(path);
    if (message.kind === 'done') for (const [path, text] of message.files) this.promised.set(path, text);
    if (message.kind === 'embedder') this.embedder = message.pid;
    for (const waiter of this.waiting) {
      if (waiter.kind === message.kind && (this.seen.get(waiter.kind) ?? 0) >= waiter.count) waiter.resolve();
    }
  }
}

/** What a process wrote into its channel before it was stopped has arrived. */
async function drained(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await nextTurn();
}

function kill(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(pid, 'SIGKILL');
  } catch {
    // It had ended.
  }
}

function defineTests(): void {
  let programs: HostPrograms;
  before(async () => {
    programs = await buildHostPrograms();
  });
  after(() => rmSync(programs.directory, { recursive: true, force: true }));

  async function setUp(
    t: TestContext,
    seed: number,
  ): Promise<{ random: RandomFiles; check: CrashCheck; options: SubjectOptions }> {
    const random = new RandomFiles(randomNumbers(seed));
    const folder = makeFileTree(t);
    const dataDir = newDataDir(t);
    for (let at = 0; at < 15; at++) writeFile(folder, random.path(), random.text());
    const exact = await ExactSearch.create();
    const check = { folder, dataDir, exact, query: random.query(), what: `seed ${seed}` };
    return { random, check, options: { folder, dataDir, seed, embedderMain: programs.wordEmbedder } };
  }

  function start(
    t: TestContext,
    options: SubjectOptions,
    promised: ReadonlyMap<string, string | null> = new Map(),
  ): Running {
    const running = new Running(options, promised);
    cleanUp(t, () => running.child.kill('SIGKILL'));
    return running;
  }

  test(
    'whenever the search process or the embedder process is killed, nothing that was done is lost and nothing is wrong',
    { timeout: 3 * 3600_000 },
    async t => {
      const seed = seedFrom(41);
      const rounds = amount('kills', 12);
      const { random, check, options } = await setUp(t, seed);
      let promised: ReadonlyMap<string, string | null> = new Map();
      const killed = { opening: 0, working: 0, closing: 0, embedder: 0 };
      const victims = Object.keys(killed) as (keyof typeof killed)[];
      const mayGoOn = soakTime();
      let round = 0;
      for (; round < rounds && mayGoOn(); round++) {
        const running = start(t, { ...options, seed: seed + round }, promised);
        const victim = round < victims.length ? victims[round]! : random.pick([...victims, 'working' as const]);
        killed[victim]++;
        // The moments are what is tried: each is drawn from the seed.
        if (victim === 'working') await running.when('begin', 1 + random.below(8));
        if (victim === 'closing') await running.when('closing', 1);
        if (victim === 'embedder') {
          await running.when('embedder', 1);
          await moment(random.below(40));
          kill(running.embedderPid);
          await running.when('done', 3 + random.below(4));
        }
        await moment(random.below(victim === 'opening' ? 1000 : 40));
        await running.kill();
        promised = running.promised;
        await assertSurvived(
          { ...check, query: random.query(), what: `seed ${seed}, round ${round} (${victim})` },
          promised,
        );
        promised = indexableFiles(options.folder);
      }
      noteFigures('processes killed at random moments', { ...killed, rounds: round, seed });
    },
  );

  test(
    'the data as it is at any moment, copied while the process stands still, is a whole index or becomes one',
    { timeout: 3 * 3600_000 },
    async t => {
      if (process.platform === 'win32') return t.skip('a process cannot be stopped and continued there');
      const seed = seedFrom(42);
      const count = amount('images', 5);
      const { random, check, options } = await setUp(t, seed);
      const running = start(t, options);
      const images: { readonly dataDir: string; readonly promised: ReadonlyMap<string, string | null> }[] = [];
      const batch = 5;
      const mayGoOn = soakTime();
      let taken = 0;
      for (; taken < count && mayGoOn(); taken += batch) {
        const current = taken === 0 ? running : start(t, { ...options, seed: seed + taken });
        await current.when('opened', 1);
        for (let image = taken; image < Math.min(count, taken + batch); image++) {
          await moment(random.below(150));
          current.child.kill('SIGSTOP');
          await stopped(current.child.pid);
          await drained();
          const dataDir = join(newDataDir(t), 'image');
          cpSync(options.dataDir, dataDir, { recursive: true });
          images.push({ dataDir, promised: new Map(current.promised) });
          current.child.kill('SIGCONT');
        }
        // Markers in the images name a process that is no more, as after a crash.
        await current.kill();
        for (const { dataDir, promised } of images.splice(0)) {
          const what = `seed ${seed}, images from ${taken}`;
          await assertSurvived({ ...check, dataDir, query: random.query(), what }, promised);
          rmSync(dataDir, { recursive: true });
        }
      }
      noteFigures('copies of the data of a stopped process', { images: Math.min(taken, count), seed });
    },
  );

  test('data of which a part was put back from an older copy is brought up to date like any other', async t => {
    const seed = seedFrom(44);
    const { random, check, options } = await setUp(t, seed);
    const { workspace, windows } = dataLayout(options.dataDir, options.folder);
    const copies = newDataDir(t);
    const [older, newer] = [join(copies, 'older'), join(copies, 'newer')];
    await assertSurvived(check, new Map());
    cpSync(options.dataDir, older, { recursive: true });
    for (const path of [...readFiles(options.folder).keys()].slice(0, 6))
      writeFile(options.folder, path, random.text());
    for (let at = 0; at < 4; at++) writeFile(options.folder, random.path(), random.text());
    await assertSurvived(check, new Map());
    cpSync(options.dataDir, newer, { recursive: true });
    const isCache = (name: string): boolean => CACHE.test(name);
    const parts: Readonly<Record<string, (name: string) => boolean>> = {
      'the catalogue': path => path === join(workspace, 'data.mdb'),
      'the vectors': path => path === join(windows, 'data.mdb'),
      'graph and snapshot': path => isCache(path),
      'all but the vectors': path => path.startsWith(workspace),
    };
    for (const [what, isPart] of Object.entries(parts)) {
      rmSync(options.dataDir, { recursive: true });
      cpSync(newer, options.dataDir, { recursive: true });
      if (what === 'graph and snapshot')
        for (const name of readdirSync(workspace)) if (isCache(name)) rmSync(join(workspace, name));
      cpSync(older, options.dataDir, {
        recursive: true,
        filter: from => {
          const to = join(options.dataDir, relative(older, from));
          return statSync(from).isDirectory() || isPart(to);
        },
      });
      const warning = /its file has changed|no such file|[Ss]napshot/;
      await assertSurvived({ ...check, query: random.query(), what: `${what}, seed ${seed}`, warning }, new Map());
    }
  });

  test('files of our own that were torn in the middle of a write cost nothing, and are cleared away', async t => {
    const seed = seedFrom(43);
    const { random, check, options } = await setUp(t, seed);
    await assertSurvived(check, new Map());
    const whole = join(newDataDir(t), 'whole');
    cpSync(options.dataDir, whole, { recursive: true });
    const { workspace, windows, folderFile } = dataLayout(options.dataDir, options.folder);
    const caches = readdirSync(workspace).filter(name => CACHE.test(name));
    assert.equal(caches.length, 2);
    const dead = JSON.stringify({ pid: 2 ** 30, machine: 'elsewhere', started: '' });
    /** A beginning of what was to be written, and zeros where the disk had given room already. */
    const torn = (bytes: Buffer): Buffer => {
      const kept = random.below(bytes.length + 1);
      return Buffer.concat([bytes.subarray(0, kept), Buffer.alloc(random.below(bytes.length - kept + 1))]);
    };
    const tear: Readonly<Record<string, () => void>> = {
      'a cache under its first name': () => {
        for (const name of caches) {
          const bytes = readFileSync(join(workspace, name));
          writeFileSync(join(workspace, `${name.split('-')[0]}-12345.tmp`), torn(bytes));
          writeFileSync(join(workspace, `${name.split('-')[0]}-12345.tmp-abcdef.tmp`), torn(bytes));
        }
      },
      'a cache under its last name, not in force yet': () => {
        for (const name of caches) {
          const bytes = readFileSync(join(workspace, name));
          writeFileSync(join(workspace, name.replace(/-[0-9a-f]{16}/, '-0123456789abcdef')), torn(bytes));
        }
      },
      'a cache in force, on a disk that had lied': () => {
        for (const name of caches) writeFileSync(join(workspace, name), torn(readFileSync(join(workspace, name))));
      },
      'the note of the folder': () => writeFileSync(folderFile, torn(readFileSync(folderFile))),
      'the copy that was to give room back': () => {
        for (const folder of [workspace, windows]) {
          mkdirSync(join(folder, 'compact'));
          writeFileSync(join(folder, 'compact', 'data.mdb'), torn(readFileSync(join(folder, 'data.mdb'))));
        }
      },
      'markers of processes': () => {
        const names = ['owner-1-aa', 'owner.claim-1-ab', 'opening-turn-1-ac', 'opening.claim-1-ad', 'open-1-ae'];
        for (const name of names)
          writeFileSync(join(workspace, `${name}.json`), torn(Buffer.from(dead)).subarray(0, 20));
      },
    };
    for (const [what, damage] of Object.entries(tear)) {
      for (let round = 0; round < Math.max(2, amount('images', 5) / 10); round++) {
        rmSync(options.dataDir, { recursive: true });
        cpSync(whole, options.dataDir, { recursive: true });
        damage();
        const all = readFiles(options.folder);
        // Whatever was torn, the vectors are there: nothing is embedded but what is new.
        const path = `new${round}.ts`;
        writeFile(options.folder, path, random.text());
        await assertSurvived(
          {
            ...check,
            query: random.query(),
            what: `${what}, seed ${seed}, round ${round}`,
            ...(what.includes('in force, on') ? { warning: /its file has changed|[Ss]napshot/ } : {}),
          },
          new Map(all),
        );
        assert.deepEqual(
          readdirSync(workspace).filter(
            name => !/^(data\.mdb|lock\.mdb|folder\.json)$/.test(name) && !CACHE.test(name),
          ),
          [],
          what,
        );
        assert.equal(readdirSync(workspace).length, 5);
        writeFile(options.folder, path, undefined);
      }
    }
  });
}

/** A signal is on its way for a moment: until the system says that the process stands still, it may still delete a file. */
async function stopped(pid: number | undefined): Promise<void> {
  while (stateOf(pid) !== 'T') await drained();
}

/** The letter by which the system names what a process does. */
function stateOf(pid: number | undefined): string | undefined {
  if (process.platform !== 'linux') {
    return execFileSync('ps', ['-o', 'state=', '-p', String(pid)], { encoding: 'utf8' }).trim()[0];
  }
  return /\) (\w)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))?.[1];
}
