import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ARM_NAMES, type ArmName, type Draft, type SearchHit } from '../../src/engine/types';
import { testRuntime } from '../support/engineRuntime';
import { makeFileTree } from '../support/fileTree';
import { notebookJson } from '../support/notebook';

const UPLOAD = `${Array.from({ length: 60 }, (_, at) => `const filler${at} = ${at};`).join('\n')}

/** Sends a file and tries again when the line breaks. */
export function retryUpload(file: File): Promise<void> {
  return withBackoff(() => send(file));
}
`;
const TREE = {
  'src/upload.ts': UPLOAD,
  'src/header.ts': 'export class HeaderParser {\n  parse(line: string) {\n    return line.split(":");\n  }\n}\n',
  'src/thumbnail.ts': 'export function shrinkPicture(side: number) {\n  return scale(side);\n}\n',
  '.env': 'SECRET=walrus\n',
};

const draft = (path: string, text: string, isNew = false): Draft => ({ id: `file:///${path}`, path, text, isNew });

async function indexed(context: Parameters<typeof testRuntime>[0], tree: Readonly<Record<string, string>> = TREE) {
  const folder = makeFileTree(context, tree);
  const { engine, sync } = await (await testRuntime(context)).open(folder);
  await sync();
  const search = async (
    query: string,
    drafts: readonly Draft[] = [],
    arms: readonly ArmName[] = ARM_NAMES,
  ): Promise<readonly SearchHit[]> => (await engine.search({ query, limit: 10, drafts, arms })).results;
  return { folder, engine, search };
}

test('a function that was typed and not saved is found, at its line in the editor', async context => {
  const { search } = await indexed(context);
  const added = '\n/** Mails an invitation to a meeting. */\nexport function sendInvitation() {}\n';
  const unsaved = draft('src/header.ts', `${TREE['src/header.ts']}${added}`);
  for (const query of ['mail an invitation to a meeting', 'sendInvitation', '"invitation to a meeting"']) {
    const [hit] = await search(query, [unsaved]);
    assert.deepEqual([hit?.path, hit?.draft], ['src/header.ts', 'file:///src/header.ts'], query);
    assert.equal(hit?.places[0]?.live, true);
    assert.equal(hit.places[0].symbol, 'sendInvitation');
    assert.match(hit.places[0].lineText, /invitation/i);
    assert.ok(hit.places[0].line === 7 || hit.places[0].line === 8, `line ${hit.places[0].line}`);
    assert.equal(unsaved.text.split('\n')[hit.places[0].line - 1]?.trim(), hit.places[0].lineText);
  }
  assert.ok(
    (await search('sendInvitation')).every(({ places }) => places.every(place => place.symbol !== 'sendInvitation')),
  );
});

test('lines that were put above a hit and not saved move its place', async context => {
  const { search } = await indexed(context);
  const above = Array.from({ length: 30 }, (_, at) => `// note ${at}`).join('\n');
  const text = `${above}\n${UPLOAD}`;
  const [saved] = await search('retry the upload of a file with backoff');
  const [hit] = await search('retry the upload of a file with backoff', [draft('src/upload.ts', text)]);
  assert.equal(hit?.path, 'src/upload.ts');
  assert.equal(hit.places[0]?.line, (saved?.places[0]?.line ?? 0) + 30);
  assert.equal(text.split('\n')[hit.places[0].line - 1]?.trim(), hit.places[0].lineText);
});

test('what was taken out of the editor is not found any more', async context => {
  const { search } = await indexed(context);
  const paths = async (drafts: readonly Draft[]): Promise<string[]> =>
    (await search('HeaderParser', drafts, ['definition'])).map(({ path }) => path);
  assert.deepEqual(await paths([]), ['src/header.ts']);
  assert.deepEqual(await paths([draft('src/header.ts', 'export const nothing = 1;\n')]), []);
});

test('a dirty file keeps what its saved vectors and history know', async context => {
  const { search } = await indexed(context);
  const query = 'shrink a picture';
  const arms = async (drafts: readonly Draft[]): Promise<Partial<Record<string, number>> | undefined> =>
    (await search(query, drafts)).find(({ path }) => path === 'src/thumbnail.ts')?.arms;
  const saved = await arms([]);
  const dirty = await arms([draft('src/thumbnail.ts', `${TREE['src/thumbnail.ts']} `)]);
  assert.deepEqual(dirty, saved);
  assert.ok((saved?.['file'] ?? 0) > 0);
});

test('a question that only the vectors answer leads to the place in the saved text', async context => {
  const { search } = await indexed(context);
  const unsaved = draft('src/upload.ts', 'export const other = 1;\n');
  const hit = (await search('withBackoff', [unsaved])).find(({ path }) => path === 'src/upload.ts');
  if (hit === undefined) return; // the words are gone, the vectors alone need not find it
  assert.equal(hit.draft, unsaved.id);
  assert.equal(hit.places[0]?.live, undefined);
});

test('a line that the question names is that of the unsaved text, though none of its words stands there', async context => {
  const { search } = await indexed(context);
  const text = '\n\nexport const other = 1;\nexport const further = 2;\n';
  for (const [query, line] of [
    ['src/header.ts:4', 4],
    ['at C:\\work\\src\\header.ts:3:5', 3],
  ] as const) {
    const [hit] = await search(query, [draft('src/header.ts', text)]);
    assert.equal(hit?.path, 'src/header.ts', query);
    const [place] = hit.places;
    assert.deepEqual([place?.live, place?.line, place?.lineText], [true, line, text.split('\n')[line - 1]], query);
  }
});

test('a text that was never saved is searched too, and a secret that is open is not', async context => {
  const { search } = await indexed(context);
  const untitled = draft('Untitled-1', 'walrus walrus\nfunction feedTheWalrus() {}\n', true);
  const hits = await search('feed the walrus', [untitled, draft('.env', 'SECRET=walrus\n')]);
  assert.deepEqual([hits[0]?.path, hits[0]?.draft], ['Untitled-1', untitled.id]);
  assert.equal(hits[0]?.places[0]?.line, 2);
  assert.ok(!hits.some(({ path }) => path === '.env'));
  assert.ok(!(await search('walrus')).some(({ path }) => path === 'Untitled-1'));
});

test('filters hold for unsaved texts', async context => {
  const { search } = await indexed(context);
  const drafts = [draft('Untitled-1', 'walrus', true), draft('src/header.ts', 'const walrus = 1;')];
  const paths = async (query: string): Promise<string[]> => (await search(query, drafts)).map(({ path }) => path);
  assert.deepEqual(await paths('"walrus" path:src'), ['src/header.ts']);
  assert.deepEqual((await paths('"walrus"')).sort(), ['Untitled-1', 'src/header.ts']);
  assert.ok(!(await paths('parser -walrus')).includes('src/header.ts'));
});

test('nothing of a draft is stored', async context => {
  const { engine, search } = await indexed(context);
  const before = await engine.stats();
  const plain = await search('retry upload');
  await search('feed the walrus', [
    draft('Untitled-1', 'feed the walrus', true),
    draft('src/header.ts', 'brand new words'),
  ]);
  assert.deepEqual(await search('retry upload'), plain);
  assert.deepEqual(await engine.stats(), before);
});

test('the cells of an unsaved notebook are searched, at lines of the cell', async context => {
  const saved = notebookJson([{ source: 'import os' }]);
  const { search } = await indexed(context, { ...TREE, 'study.ipynb': saved });
  const text = 'import os\n# Heading\n\nx = 1\nwalrus_count = 3';
  const unsaved: Draft = { ...draft('study.ipynb', text), cellStartLines: [1, 2, 4] };
  const place = (await search('walrus count', [unsaved]))[0]?.places[0];
  assert.deepEqual([place?.cell, place?.line, place?.startLine, place?.endLine], [2, 2, 1, 2]);
});

test('a file that is saved while it is in the drafts answers from the draft, then from the index', async context => {
  const { folder, engine, search } = await indexed(context);
  const text = 'export function feedTheWalrus() {}\n';
  writeFileSync(join(folder, 'src/header.ts'), text);
  const drafts = [draft('src/header.ts', text)];
  const [, hits] = await Promise.all([engine.update(['src/header.ts']), search('feed the walrus', drafts)]);
  assert.equal(hits[0]?.path, 'src/header.ts');
  assert.deepEqual((await search('feed the walrus'))[0]?.draft, undefined);
  assert.equal((await search('feed the walrus'))[0]?.path, 'src/header.ts');
});

test('usual buffers cost a few milliseconds a search', async context => {
  const names = ['retry', 'upload', 'header', 'parser', 'shrink', 'picture', 'queue', 'socket', 'cursor', 'buffer'];
  const word = (at: number): string => `${names[at % 10]}${names[(at >> 3) % 10]}${at % 97}`;
  const source = (file: number, functions: number): string =>
    Array.from({ length: functions }, (_, at) => {
      const first = word(file * 7 + at);
      return `/** Gives the ${names[(file + at) % 10]} to the ${first}. */\nfunction ${first}(${word(at)}) {\n  return ${word(file + at)}.${word(at + 1)}(${word(at)});\n}\n`;
    }).join('\n');
  const files = Object.fromEntries(
    Array.from({ length: 400 }, (_, at) => [`src/file${at}.ts`, source(at, at < 3 ? 120 : 20)]),
  );
  const { search } = await indexed(context, files);
  // Two sources that are being edited, about as long as most are, and a new one.
  const edited = (path: string): Draft => draft(path, `${UPLOAD.slice(-200)}${files[path]}\nfunction added() {}\n`);
  const drafts = [edited('src/file1.ts'), edited('src/file2.ts'), draft('Untitled-1', source(9, 20), true)];
  /** Processor time of a search in milliseconds: other programs on the machine do not count in it. */
  const cost = async (of: readonly Draft[]): Promise<number> => {
    const rounds = 20;
    const begin = process.cpuUsage();
    for (let round = 0; round < rounds; round++) await search(`retry upload word${round}`, of);
    const { user, system } = process.cpuUsage(begin);
    return (user + system) / 1000 / rounds;
  };
  await cost(drafts);
  const [without, withDrafts] = [await cost([]), await cost(drafts)];
  const kilobytes = Math.round(drafts.reduce((sum, { text }) => sum + text.length, 0) / 1024);
  const more = (withDrafts - without).toFixed(1);
  context.diagnostic(`three drafts of together ${kilobytes} KB: ${more} ms more than ${without.toFixed(1)} ms`);
  // Far above what it is, far below what one would notice.
  assert.ok(withDrafts - without < 25);
});

test('a text that has no vectors yet is not behind for want of them', async context => {
  const { search } = await indexed(context);
  const query = 'walrus count';
  const [nearest] = await search(query, [], ['landmark']);
  const unsaved = draft('src/new.ts', 'export const walrus = 1;\nexport const count = walrus;\n', true);
  const hits = await search(query, [unsaved]);
  assert.equal(hits[0]?.draft, unsaved.id);
  assert.deepEqual([hits[0].arms.landmark, hits[0].arms.file], [1, 1]);
  // Beside the file whose vectors are nearest, which has none of the words.
  assert.equal(hits.find(({ path }) => path === nearest?.path)?.arms.landmark, 1);
  assert.equal(
    (await search(query, [unsaved], ['landmark'])).find(({ draft: id }) => id === unsaved.id),
    undefined,
  );
});
