import assert from 'node:assert/strict';
import { readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { cleanData } from '../../src/engine/dataKeeping';
import { EngineRuntime } from '../../src/engine/engineRuntime';
import { SemanticEngine } from '../../src/engine/semanticEngine';
import { graphDimensions, WINDOW_GRAPH } from '../../src/engine/search/windowGraph';
import { Catalog } from '../../src/engine/store/catalog';
import { dataLayout } from '../../src/engine/store/dataFolder';
import { KeyedGraph } from '../../src/engine/vectors/keyedGraph';
import { nullLogger } from '../../src/util/logger';
import { amount, noteFigures, seedFrom, soakTime } from '../support/amount';
import { newDataDir, testModel } from '../support/engineRuntime';
import { assertExact, ExactSearch, sha256 } from '../support/exactSearch';
import { makeFileTree } from '../support/fileTree';
import { RandomFiles, WORDS, writeFile } from '../support/randomFiles';
import { randomNumbers } from '../support/vectors';
import { WordEmbedder } from '../support/wordEmbedder';

const DAY_MS = 24 * 3600_000;
const MOST_FILES = 45;
const KINDS = {
  add: 18,
  edit: 22,
  copy: 3,
  remove: 9,
  rename: 6,
  renameFolder: 2,
  search: 26,
  switchBranch: 4,
  sync: 4,
  reopen: 4,
} as const;
type Kind = keyof typeof KINDS;
const CHOICES = (Object.keys(KINDS) as Kind[]).flatMap(kind => Array<Kind>(KINDS[kind]).fill(kind));

/** A folder, its index, and what the folder holds as a plain list. */
class Subject {
  readonly counts = new Map<Kind, number>();
  private readonly branches: Map<string, string>[] = Array.from({ length: 3 }, () => new Map<string, string>());
  private branch = 0;
  private runtime: EngineRuntime | undefined;
  private engine: SemanticEngine | undefined;

  constructor(
    private readonly folder: string,
    private readonly dataDir: string,
    private readonly exact: ExactSearch,
    private readonly random: RandomFiles,
  ) {}

  get files(): Map<string, string> {
    return this.branches[this.branch] ?? new Map<string, string>();
  }

  async run(kind: Kind, what: string): Promise<void> {
    this.counts.set(kind, (this.counts.get(kind) ?? 0) + 1);
    const { random, files } = this;
    const known = files.size > 0 ? random.pick([...files.keys()]) : undefined;
    switch (kind) {
      case 'add':
        if (files.size < MOST_FILES) await this.write([[random.path(), random.text()]]);
        return;
      case 'edit':
        if (known !== undefined) await this.write([[known, random.edited(files.get(known) ?? '')]]);
        return;
      case 'copy':
        if (known !== undefined && files.size < MOST_FILES) await this.write([[random.path(), files.get(known)]]);
        return;
      case 'remove':
        if (known !== undefined) await this.write([[known, undefined]]);
        return;
      case 'rename':
        if (known !== undefined)
          await this.write([
            [known, undefined],
            [random.path(), files.get(known)],
          ]);
        return;
      case 'renameFolder':
        return this.renameFolder();
      case 'search':
        return assertExact(await this.open(), this.exact, files, random.query(), what);
      case 'switchBranch':
        return this.switchBranch();
      case 'sync':
        await (await this.open()).sync({ rebuild: random.below(20) === 0 }, () => {});
        return;
      case 'reopen':
        return this.close();
    }
  }

  async open(): Promise<SemanticEngine> {
    if (this.engine !== undefined) return this.engine;
    const { dimensions, k } = (await testModel()).manifest;
    this.runtime = new EngineRuntime({
      dataDir: this.dataDir,
      model: testModel,
      queryEmbedder: () => Promise.resolve(new WordEmbedder(dimensions, k)),
      indexEmbedder: () => Promise.resolve(new WordEmbedder(dimensions, k)),
      logger: nullLogger,
      snapshots: { changesWorth: 1, mostHeld: 4096 },
    });
    this.engine = await SemanticEngine.open(this.folder, { access: 'write' }, this.runtime, () => {});
    return this.engine;
  }

  async close(): Promise<void> {
    await this.engine?.close();
    await this.runtime?.close();
    this.engine = undefined;
    this.runtime = undefined;
  }

  private async write(changes: readonly (readonly [path: string, text: string | undefined])[]): Promise<void> {
    for (const [path, text] of changes) {
      writeFile(this.folder, path, text);
      if (text === undefined) this.files.delete(path);
      else this.files.set(path, text);
    }
    await (await this.open()).update(changes.map(([path]) => path));
  }

  private async renameFolder(): Promise<void> {
    const [from, to] = [`${this.random.pick(['alpha', 'beta'])}`, `moved${this.random.below(3)}`];
    const inside = [...this.files].filter(([path]) => path.startsWith(`${from}/`));
    const isFree = [...this.files.keys()].every(path => !path.startsWith(`${to}/`));
    if (inside.length === 0 || !isFree) return;
    rmSync(join(this.folder, to), { recursive: true, force: true });
    renameSync(join(this.folder, from), join(this.folder, to));
    for (const [path, text] of inside) {
      this.files.delete(path);
      this.files.set(`${to}${path.slice(from.length)}`, text);
    }
    await (await this.open()).update([from, to]);
  }

  private async switchBranch(): Promise<void> {
    const before = this.files;
    this.branch = this.random.below(this.branches.length);
    // A new branch begins where the one before it stands.
    if (this.files.size === 0) for (const [path, text] of before) this.files.set(path, text);
    const after = this.files;
    const differs = [...new Set([...before.keys(), ...after.keys()])].filter(
      path => before.get(path) !== after.get(path),
    );
    for (const path of differs) writeFile(this.folder, path, after.get(path));
    await (await this.open()).update(differs);
  }

  /** After a sync: nothing missing, nothing left over, in the catalogue, the graphs and the folder of the data. */
  async assertTidy(): Promise<void> {
    const engine = await this.open();
    await engine.sync({ rebuild: false }, () => {});
    const stats = await engine.stats();
    assert.deepEqual([stats.files, stats.complete, stats.queue], [this.files.size, 1, 0]);
    await this.close();
    const { workspace } = dataLayout(this.dataDir, this.folder);
    const { fingerprint, manifest } = await testModel();
    const catalog = await Catalog.open(workspace, { access: 'read', fingerprint, logger: nullLogger });
    const rows = new Map([...catalog.files()].map(([path, row]) => [path, row.hash]));
    assert.deepEqual(rows, new Map([...this.files].sort().map(([path, text]) => [path, sha256(text)])));
    const options = { dimensions: graphDimensions(manifest), fingerprint, logger: nullLogger };
    const graph = await KeyedGraph.load(workspace, WINDOW_GRAPH, catalog.graphs, options);
    const wanted = this.exact.contentKeys(this.files.values());
    assert.equal(graph.size, wanted.size, 'the graph of windows');
    for (const key of wanted) assert.ok(graph.has(Buffer.from(key, 'hex')));
    await graph.close();
    assert.ok(catalog.contentCount() <= 2 * new Set(rows.values()).size + 1000);
    await catalog.close();
    assert.ok(readdirSync(workspace).length <= 5, readdirSync(workspace).join(' '));
  }

  /** Bytes of all files below the data folder. */
  size(): number {
    return readdirSync(this.dataDir, { recursive: true, withFileTypes: true })
      .filter(entry => entry.isFile())
      .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
  }

  /** Deletes what no file needs any more, as a later day would; exactly that. */
  async clean(): Promise<void> {
    await this.open();
    const runtime = this.runtime;
    if (runtime === undefined) return;
    await cleanData(runtime, undefined, Date.now() + DAY_MS);
    assert.equal((await runtime.windowStore('write')).count(), this.exact.keys(this.files).size);
    await this.close();
  }
}

test(
  'after any operations the index answers as if every file were looked at, and its files stay bounded',
  { timeout: 6 * 3600_000 },
  async t => {
    const seed = seedFrom(31);
    const operations = amount('operations', 250);
    const random = new RandomFiles(randomNumbers(seed));
    const exact = await ExactSearch.create();
    const subject = new Subject(makeFileTree(t), newDataDir(t), exact, random);
    t.after(() => subject.close());
    const startedAt = performance.now();
    const tidyEvery = Math.min(500, Math.ceil(operations / 4));
    let largest = 0;
    const mayGoOn = soakTime();
    let at = 0;
    for (; at < operations && mayGoOn(); at++) {
      const kind = at < 12 ? 'add' : random.pick(CHOICES);
      await subject.run(kind, `seed ${seed}, operation ${at}`);
      largest = Math.max(largest, at % 50 === 0 ? subject.size() : 0);
      if ((at + 1) % tidyEvery === 0) await subject.assertTidy();
      if (at % 2000 === 1999) await subject.clean();
    }
    await subject.assertTidy();
    await subject.clean();
    for (const word of [WORDS[0], WORDS[77]])
      await assertExact(await subject.open(), exact, subject.files, word ?? '', 'at the end');
    // A fresh index of these files takes 1 to 2 MB.
    assert.ok(subject.size() < 60_000_000, `${subject.size()} bytes`);
    noteFigures('random operations against looking at every file', {
      operations: at,
      seed,
      searches: subject.counts.get('search') ?? 0,
      reopened: subject.counts.get('reopen') ?? 0,
      'largest data MB': Math.round(largest / 1e5) / 10,
      seconds: Math.round((performance.now() - startedAt) / 1000),
    });
  },
);
