import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { copyFileSync, cpSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { Catalog, type CatalogChange } from '../../src/engine/store/catalog';
import type { ContentRow, FileRow, WindowRecord } from '../../src/engine/store/records';
import { WindowStore } from '../../src/engine/store/windowStore';
import { KeyedGraph } from '../../src/engine/vectors/keyedGraph';
import { LandmarkError } from '../../src/util/errors';
import { nullLogger } from '../../src/util/logger';
import { childRole, endOf, messageFrom, startRole } from '../support/childRole';
import { clusteredVectors, randomNumbers } from '../support/vectors';

// What a store holds in this test is computed, so that a reader can tell a right value from a wrong one.
const MODEL = 'cc'.repeat(32);
const DIMENSIONS = 24;
const COUNT = 250;
const NUMBERS = Array.from({ length: COUNT }, (_, at) => at);
const vector = clusteredVectors(DIMENSIONS, 10, randomNumbers(3));
const VECTORS = new Map(NUMBERS.map(at => [hashOf(at), vector()]));

function hashOf(at: number): string {
  return createHash('sha256').update(`content ${at}`).digest('hex');
}

function pathOf(at: number): string {
  return at % 50 === 0 ? `${'long/'.repeat(500)}${at}` : `src/folder${at % 7}/file${at}.ts`;
}

function fileOf(at: number): FileRow {
  return { hash: hashOf(at), size: at * 100, stamp: at + 0.5, state: 'indexed', reason: '' };
}

function contentOf(at: number): ContentRow {
  const terms = Uint32Array.from({ length: at % 25 === 0 ? 6000 : 300 }, (_, term) => (term * 7919 + at * 613) % 900);
  return {
    lineCount: 3,
    tokens: at,
    windowKeys: new Uint8Array(Buffer.from(hashOf(at), 'hex')),
    landmarkCounts: Uint8Array.of(2),
    spans: Uint32Array.of(1, 2, 2, 3),
    terms,
    lineEnds: Uint32Array.of(10, 20, terms.length),
    definitions: [{ name: `thing${at}`, line: 2, kind: 'function' }],
  };
}

function windowOf(at: number): WindowRecord {
  return {
    landmarks: Uint8Array.from({ length: 256 }, (_, place) => (place * (at + 3)) % 127),
    scales: Float32Array.of(at, 0.5),
  };
}

const TERMS = Array.from({ length: 900 }, (_, at) => `term${at}`);

interface Stores {
  readonly catalog: Catalog;
  readonly windows: WindowStore;
  readonly graph: KeyedGraph;
}

async function openAll(root: string): Promise<Stores> {
  const catalog = await Catalog.open(join(root, 'catalog'), {
    access: 'write',
    fingerprint: MODEL,
    logger: nullLogger,
  });
  const windows = await WindowStore.open(join(root, 'windows'), {
    access: 'write',
    fingerprint: MODEL,
    logger: nullLogger,
  });
  const graph = await KeyedGraph.load(join(root, 'graphs'), 'files', catalog.graphs, {
    dimensions: DIMENSIONS,
    fingerprint: MODEL,
    logger: nullLogger,
  });
  return { catalog, windows, graph };
}

/** Adds what is missing, as the engine does. */
async function complete({ catalog, windows, graph }: Stores, root: string): Promise<void> {
  const changes: CatalogChange[] = [{ kind: 'addTerms', terms: TERMS }];
  for (const at of NUMBERS) {
    if (!catalog.getFile(pathOf(at))) changes.push({ kind: 'putFile', path: pathOf(at), row: fileOf(at) });
    if (!catalog.getContent(hashOf(at))) changes.push({ kind: 'putContent', hash: hashOf(at), row: contentOf(at) });
  }
  changes.push({ kind: 'putMeta', key: 'complete', value: true });
  await catalog.write(changes);
  const absent = NUMBERS.filter(at => !windows.get(Buffer.from(hashOf(at), 'hex')));
  await windows.putMany(absent.map(at => [Buffer.from(hashOf(at), 'hex'), windowOf(at)]));
  await graph.sync(
    [...VECTORS.keys()].map(hash => Buffer.from(hash, 'hex')),
    key => VECTORS.get(Buffer.from(key).toString('hex')),
  );
  await graph.save(join(root, 'graphs'));
}

/** Throws when something is there and is not what was stored. */
function refuseWrong({ catalog, windows, graph }: Stores): void {
  const paths = new Map(NUMBERS.map(at => [pathOf(at), at]));
  const seen = new Set<string>();
  for (const [path, row] of catalog.files()) {
    assert.ok(!seen.has(path), `${path} is listed twice`);
    seen.add(path);
    assert.ok(isDeepStrictEqual(row, fileOf(paths.get(path) ?? -1)), `the row of ${path} is wrong`);
  }
  for (const at of NUMBERS) {
    const [file, content] = [catalog.getFile(pathOf(at)), catalog.getContent(hashOf(at))];
    const window = windows.get(Buffer.from(hashOf(at), 'hex'));
    assert.ok(!file || isDeepStrictEqual(file, fileOf(at)), `file ${at} is wrong`);
    assert.ok(!content || isDeepStrictEqual(content, contentOf(at)), `content ${at} is wrong`);
    assert.ok(!window || isDeepStrictEqual(window, windowOf(at)), `window ${at} is wrong`);
    const [nearest] = graph.search(VECTORS.get(hashOf(at))!, 1);
    assert.ok(
      graph.size === 0 || Buffer.from(nearest?.key ?? []).toString('hex') === hashOf(at),
      `neighbour ${at} is wrong`,
    );
  }
  assert.deepEqual(catalog.vocabulary.termsFrom(0), TERMS.slice(0, catalog.vocabulary.size));
}

async function useAll(root: string): Promise<void> {
  let stores = await openAll(root);
  try {
    refuseWrong(stores);
    await complete(stores, root);
  } catch (error) {
    // What the engine does with damage that shows only while it reads: put it aside, once, and index again.
    if (!(error instanceof LandmarkError) || error.reason !== 'store-damaged') throw error;
    await closeAll(stores);
    await Catalog.quarantine(join(root, 'catalog'), nullLogger);
    stores = await openAll(root);
    refuseWrong(stores);
    await complete(stores, root);
  }
  await closeAll(stores);
}

async function closeAll({ catalog, windows, graph }: Stores): Promise<void> {
  await graph.close();
  await catalog.close();
  await windows.close();
}

/** Everything is there and right, and nothing has to be built again. */
async function assertWhole(root: string): Promise<void> {
  const stores = await openAll(root);
  refuseWrong(stores);
  for (const at of NUMBERS) {
    assert.ok(stores.catalog.getFile(pathOf(at)) && stores.catalog.getContent(hashOf(at)), `row ${at} is missing`);
    assert.ok(stores.windows.get(Buffer.from(hashOf(at), 'hex')), `window ${at} is missing`);
  }
  assert.equal(stores.graph.size, COUNT);
  await closeAll(stores);
}

const role = childRole();
if (role) {
  useAll(role[0]!)
    .then(() => assertWhole(role[0]!))
    .then(
      () => process.send?.('right', () => process.disconnect()),
      (error: unknown) => process.send?.(String(error), () => process.disconnect()),
    );
} else defineTests();

function defineTests(): void {
  let base: string;
  let whole: string;
  before(async () => {
    base = await mkdtemp(join(tmpdir(), 'damage-'));
    whole = join(base, 'whole');
    const stores = await openAll(whole);
    await complete(stores, whole);
    // Pages that were used and freed again, as in every store that has lived for a while.
    for (let round = 0; round < 4; round++) {
      const files = NUMBERS.slice(round * 60, round * 60 + 60);
      await stores.catalog.write(files.map(at => ({ kind: 'deleteFile', path: pathOf(at) })));
      await stores.catalog.write(files.map(at => ({ kind: 'deleteContent', hash: hashOf(at) })));
      await complete(stores, whole);
    }
    await closeAll(stores);
    await assertWhole(whole);
  });
  after(() => rm(base, { recursive: true, force: true }));

  let cases = 0;

  async function survives(what: string, file: string, damage: (path: string) => void): Promise<void> {
    const root = join(base, `case${cases++}`);
    cpSync(whole, root, { recursive: true });
    damage(join(root, file));
    for (let attempt = 0; ; attempt++) {
      const child = startRole(__filename, root);
      const answer = await messageFrom(child).catch((error: unknown) => error);
      await endOf(child);
      // Damage may end a process, but only once.
      if (answer instanceof Error && attempt === 0) continue;
      assert.equal(answer instanceof Error ? answer.message : answer, 'right', `${what} of ${file}`);
      break;
    }
    rmSync(root, { recursive: true });
  }

  const files = (): [string, string][] => [
    ['catalogue', join('catalog', 'data.mdb')],
    ['window store', join('windows', 'data.mdb')],
    ['graph', join('graphs', readdirSync(join(whole, 'graphs'))[0]!)],
  ];

  const rounds = { catalogue: 14, 'window store': 14, graph: 6 };
  for (const [part, count] of Object.entries(rounds)) {
    const file = () => files().find(([name]) => name === part)![1];

    test(`a ${part} that was cut or lengthened never gives a wrong answer`, async () => {
      const { length } = readFileSync(join(whole, file()));
      const sizes = [0, 10, length >> 1, Math.floor(length * 0.99)];
      for (const size of sizes) await survives(`cut to ${size} bytes`, file(), path => truncateSync(path, size));
      for (const more of [1, 4096]) {
        await survives(`${more} bytes more`, file(), path => {
          writeFileSync(path, Buffer.alloc(more, 0x5a), { flag: 'a' });
        });
      }
    });

    test(`a ${part} that is zeros, noise or another kind of file never gives a wrong answer`, async () => {
      const random = randomNumbers(part.length + 100);
      const noise = (path: string, from: number): void => {
        const bytes = readFileSync(path);
        for (let at = from; at < bytes.length; at++) bytes[at] = Math.floor(random() * 256);
        writeFileSync(path, bytes);
      };
      await survives('zeros', file(), path => writeFileSync(path, Buffer.alloc(readFileSync(path).length)));
      await survives('zeros from the middle on', file(), path => {
        const bytes = readFileSync(path);
        writeFileSync(path, bytes.fill(0, bytes.length >> 1));
      });
      await survives('noise', file(), path => noise(path, 0));
      await survives('noise behind a good beginning', file(), path => noise(path, 8192));
      await survives('a text', file(), path => writeFileSync(path, 'This is no index.\n'.repeat(3000)));
      for (const [other, otherFile] of files()) {
        if (other !== part) await survives(`the ${other}`, file(), path => copyFileSync(join(whole, otherFile), path));
      }
    });

    test(`a ${part} with flipped bits never gives a wrong answer`, async () => {
      const random = randomNumbers(part.length);
      for (let round = 0; round < count; round++) {
        await survives(`round ${round} of flipped bits`, file(), path => {
          const bytes = readFileSync(path);
          const flips = 1 + Math.floor(random() * 4);
          for (let flip = 0; flip < flips; flip++) {
            // Every other round in the first bytes of a page: its head, its pointers, the meta data.
            const page = 4096 * Math.floor((random() * bytes.length) / 4096);
            const within = Math.floor(random() * (round % 2 === 0 ? 180 : 4096));
            bytes[Math.min(page + within, bytes.length - 1)]! ^= 1 << Math.floor(random() * 8);
          }
          writeFileSync(path, bytes);
        });
      }
    });
  }
}
