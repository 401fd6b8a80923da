import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import type { Place } from '../../src/engine/types';
import type { ResultFile, ResultSet } from '../../src/extension/model/resultSet';
import { resultSetFrom, searchResults, similarResults, toStored } from '../../src/extension/model/resultSet';
import type { ResultNode } from '../../src/extension/model/resultTree';
import { headline, ResultTree, targetOf } from '../../src/extension/model/resultTree';

const place = (line: number, lineText = `line ${line} text`, symbol?: string): Place => ({
  startLine: line - 1,
  endLine: line + 1,
  score: 1,
  line,
  lineText,
  ...(symbol === undefined ? {} : { symbol }),
});
const file = (path: string, lines: readonly number[], change: Partial<ResultFile> = {}): ResultFile => ({
  folder: '/f',
  path,
  weak: false,
  copies: [],
  places: lines.map(line => ({ place: place(line) })),
  ...change,
});
const set = (files: readonly ResultFile[], query = 'hashed password'): ResultSet => ({
  question: { kind: 'search', query, scope: {} },
  complete: 1,
  files,
});
const names = new Map([['/f', 'f']]);
const all = (tree: ResultTree): ResultNode[] => tree.roots.flatMap(root => [root, ...tree.children(root)]);
const shown = (tree: ResultTree): string[] =>
  all(tree).map(node => {
    const { label, description } = tree.view(node, names);
    return `${label} | ${description}`;
  });

const tree = new ResultTree(
  set([
    file('src/auth/login.ts', [], {
      places: [{ place: place(250, '\tcompare(hashedPassword)', 'checkPassword') }, { place: place(9) }],
    }),
    file('README.md', [3], { weak: true, copies: ['docs/README.md', 'old/README.md'] }),
    file('src/gone.ts', []),
  ]),
);

test('files in the order of the answer, their places and their copies below', () => {
  assert.deepEqual(shown(tree), [
    'login.ts | src/auth',
    '250: compare(hashedPassword) | checkPassword',
    '9: line 9 text | ',
    'README.md | weak match · 2 copies',
    '3: line 3 text | ',
    'README.md | docs · same content',
    'README.md | old · same content',
    'gone.ts | src',
  ]);
});

test('what a screen reader says holds all that the row shows', () => {
  assert.deepEqual(
    all(tree).map(node => tree.view(node, names).spoken),
    [
      'login.ts, in src/auth, 2 places',
      'line 250 in checkPassword: compare(hashedPassword)',
      'line 9: line 9 text',
      'README.md, weak match, 2 copies, 1 place',
      'line 3: line 3 text',
      'docs/README.md, same content as README.md',
      'old/README.md, same content as README.md',
      'gone.ts, in src, 0 places',
    ],
  );
});

test('a word that a narrow view would cut off is brought near, for the ear the line stays whole', () => {
  const line = '/** Runs a task again when it throws; the delay doubles after each failed attempt. */';
  const far = new ResultTree(set([file('a.ts', [], { places: [{ place: place(6, line) }] })], 'failed attempt'));
  const { label, highlights, tooltip, spoken } = far.view(all(far)[1] ?? assert.fail(), names);
  assert.equal(label, '6: …delay doubles after each failed attempt. */');
  assert.deepEqual(
    highlights.map(([start, end]) => label.slice(start, end)),
    ['failed', 'attempt'],
  );
  assert.equal(tooltip, `${line}\nlines 5–7`);
  assert.equal(spoken, `line 6: ${line}`);
  const long = `${'x'.repeat(60)}failed`;
  const one = new ResultTree(
    set([file('a.ts', [], { places: [{ place: place(6, `${long} ${long}Failed`) }] })], 'failed'),
  );
  assert.match(one.view(all(one)[1] ?? assert.fail(), names).label, /^6: (x|…Failed)/);
});

test('matching words are marked in places, weak files are closed, and a file without places cannot be opened up', () => {
  const [login, first] = all(tree);
  assert.ok(login && first);
  assert.deepEqual(tree.view(first, names).highlights, [[13, 27]]);
  assert.deepEqual(
    tree.roots.map(root => tree.view(root, names).expanded),
    [true, false, undefined],
  );
});

test('every row has its own id, which is the same in the answer to another question', () => {
  const ids = all(tree).map(({ id }) => id);
  assert.equal(new Set(ids).size, ids.length);
  const other = new ResultTree({ ...tree.set, question: { kind: 'search', query: 'other', scope: {} } });
  assert.deepEqual(
    all(other).map(({ id }) => id),
    ids,
  );
});

test('every row but the files has its file as parent', () => {
  for (const root of tree.roots) {
    assert.equal(tree.parent(root), undefined);
    for (const child of tree.children(root)) assert.equal(tree.parent(child), root);
  }
});

test('a row opens its own place, a file and a copy the best one', () => {
  const opened = all(tree).map(node => {
    const { path, place: at } = targetOf(node);
    return `${path}:${at?.line ?? ''}`;
  });
  assert.deepEqual(opened, [
    'src/auth/login.ts:250',
    'src/auth/login.ts:250',
    'src/auth/login.ts:9',
    'README.md:3',
    'README.md:3',
    'docs/README.md:3',
    'old/README.md:3',
    'src/gone.ts:',
  ]);
});

const line = (node: ResultNode | undefined): string => {
  if (node === undefined) return 'none';
  const { path, place: at } = targetOf(node);
  return `${path}:${at?.line ?? ''}`;
};

test('next and previous go through the places and round the ends', () => {
  const order = ['src/auth/login.ts:250', 'src/auth/login.ts:9', 'README.md:3', 'src/gone.ts:'];
  let id: string | undefined;
  for (const expected of [...order, order[0]]) {
    const node = tree.step(id, 1);
    assert.equal(line(node), expected);
    id = node?.id;
  }
  for (const expected of [...order].reverse()) {
    const node = tree.step(id, -1);
    assert.equal(line(node), expected);
    id = node?.id;
  }
  assert.equal(line(tree.step(undefined, -1)), 'src/gone.ts:');
  assert.equal(line(tree.step('what was there before', 1)), order[0]);
  const [login, , , readme] = all(tree);
  assert.equal(line(tree.step(login?.id, 1)), order[0], 'from a file to its first place');
  assert.equal(line(tree.step(readme?.id, -1)), order[1], 'from a file to what is before it');
  assert.equal(new ResultTree(set([])).step(undefined, 1), undefined);
});

test('what is dismissed is gone, with its rows below; a file goes with its last place', () => {
  const [login, first, second, , , copy] = all(tree);
  assert.ok(login && first && second && copy);
  assert.equal(shown(tree.without([login])).length, 5);
  assert.ok(!shown(tree.without([first])).some(row => row.startsWith('250')));
  assert.equal(shown(tree.without([first, second]))[0], 'README.md | weak match · 2 copies');
  assert.ok(shown(tree.without([copy])).includes('README.md | weak match · 1 copy'));
  assert.equal(tree.without([login]).find(login.id), undefined);
});

test('dismissing keeps the order and the rest', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.nat({ max: 7 })), gone => {
      const rows = all(tree);
      const picked = gone.flatMap(at => rows[at] ?? []);
      const left = all(tree.without(picked)).map(({ id }) => id);
      const ids = rows.map(({ id }) => id);
      assert.deepEqual(
        left,
        ids.filter(id => left.includes(id)),
      );
      assert.ok(picked.every(({ id }) => !left.includes(id)));
    }),
    { seed: 13 },
  );
});

test('the headline tells the question, the counts, and that the index was partial', () => {
  assert.equal(headline(tree.set), 'hashed password — 4 places in 3 files');
  assert.equal(
    headline({ ...set([file('a', [1])]), complete: 0.424 }),
    'hashed password — 1 place in 1 file — partial: 42 % indexed',
  );
  assert.equal(headline(set([])), 'hashed password — nothing found');
  const scope = { folder: { root: '/f', path: 'src' } };
  assert.equal(headline({ ...set([]), question: { kind: 'search', query: 'q', scope } }), 'q (src) — nothing found');
});

test('a result set comes back from the store as it was', () => {
  const back = resultSetFrom(JSON.parse(JSON.stringify(toStored(tree.set))));
  assert.deepEqual(back, tree.set);
  const likeness = similarResults('/f/a.ts', '/f', {
    file: 'a.ts',
    complete: 0.5,
    results: [{ path: 'b.ts', score: 1, copies: [], regions: [{ from: [1, 2], to: [3, 4], score: 0.5 }] }],
  });
  assert.deepEqual(resultSetFrom(JSON.parse(JSON.stringify(toStored(likeness)))), likeness);
});

test('what is damaged or of another version is left aside', () => {
  const good = JSON.parse(JSON.stringify(toStored(tree.set))) as { version: string; set: Record<string, unknown> };
  for (const wrong of [
    undefined,
    null,
    7,
    {},
    { ...good, version: '0' },
    { ...good, set: { ...good.set, files: 7 } },
    { ...good, set: { ...good.set, files: [{ path: 'a' }] } },
    { ...good, set: { ...good.set, question: { kind: 'search' } } },
    { ...good, set: { ...good.set, question: { kind: 'other', query: '' } } },
  ]) {
    assert.equal(resultSetFrom(wrong), undefined, JSON.stringify(wrong));
  }
});

test('an answer of several folders is one set, best first, weak ones last', () => {
  const hit = (path: string, score: number, weak = false) => ({ path, score, weak, arms: {}, places: [place(2)] });
  const answer = (folder: string, results: ReturnType<typeof hit>[], complete: number) => ({
    folder,
    response: { query: 'q', complete, timing: { loadMs: 0, queryMs: 0 }, results },
  });
  const merged = searchResults(
    'q',
    {},
    [answer('/a', [hit('a1', 1), hit('a2', 0.9, true)], 1), answer('/b', [hit('b1', 0.8)], 0.5)],
    2,
  );
  assert.deepEqual(
    merged.files.map(({ folder, path }) => folder + path),
    ['/aa1', '/bb1'],
  );
  assert.equal(merged.complete, 0.5);
});

test('of similar files tests come first, then copies, then the rest, and none twice', () => {
  const hit = (path: string) => ({
    path,
    score: 0.5,
    copies: [],
    regions: [{ from: [1, 2] as const, to: [30, 40] as const, score: 1 }],
  });
  const similar = similarResults('/f/a.ts', '/f', {
    file: 'a.ts',
    complete: 1,
    results: [hit('b.ts'), hit('a.test.ts'), hit('c.ts')],
    copies: ['copy/a.ts', 'old/a.ts'],
    testPartners: [{ ...hit('a.test.ts'), relation: 'test' }],
  });
  assert.deepEqual(
    similar.files.map(({ path, relation, copies }) => [path, relation, copies.length]),
    [
      ['a.test.ts', 'test', 0],
      ['copy/a.ts', 'copy', 1],
      ['b.ts', undefined, 0],
      ['c.ts', undefined, 0],
    ],
  );
  const rows = new ResultTree(similar);
  assert.deepEqual(shown(rows).slice(0, 3), [
    'a.test.ts | its test',
    'lines 30–40 like lines 1–2 | ',
    'a.ts | copy · same content · 1 copy',
  ]);
  assert.equal(headline(similar), 'Files like a.ts — 4 places in 4 files');
});
