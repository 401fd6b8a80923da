import assert from 'node:assert/strict';
import { closeSync, ftruncateSync, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { testRuntime } from '../support/engineRuntime';
import { makeFileTree } from '../support/fileTree';

const plainLines = (count: number): string[] =>
  Array.from({ length: count }, (_, at) => `const value${at} = sum(${at});`);

test('what stands near the end of a long file is found on its line', async t => {
  const lines = plainLines(1000);
  lines[989] = 'function quetzalFlight() { return wings; }';
  const folder = makeFileTree(t, { 'long.ts': `${lines.join('\n')}\n`, 'other.ts': 'let other;\n' });
  const { engine, sync } = await (await testRuntime(t)).open(folder);
  await sync();
  const [hit] = (await engine.search({ query: 'quetzal flight' })).results;
  assert.deepEqual([hit?.path, hit?.places[0]?.line], ['long.ts', 990]);
  assert.equal((await engine.stats()).complete, 1);
});

test('whatever the line ends and the letters before it, a place is on its line', async t => {
  const before = plainLines(250).map((line, at) => (at % 3 === 0 ? `${line} // 🎉 日本語 é` : line));
  const after = plainLines(249);
  const text = (lineEnd: (at: number) => string): string =>
    [...before, 'function quetzalFlight() {}', ...after].map((line, at) => line + lineEnd(at)).join('');
  const folder = makeFileTree(t, {
    'crlf/a.ts': text(() => '\r\n'),
    'cr/a.ts': text(() => '\r'),
    'mixed/a.ts': text(at => ['\n', '\r\n', '\r'][at % 3] ?? '\n'),
    // A form feed and a Unicode line separator are no ends of lines.
    'odd/a.ts': text(at => (at % 5 === 0 ? '\f\n' : at % 7 === 0 ? '\u2028\n' : '\n')),
    'marked/a.ts': `\ufeff${text(() => '\r\n')}`,
  });
  const { engine, sync } = await (await testRuntime(t)).open(folder);
  await sync();
  const { results } = await engine.search({ query: 'quetzal flight' });
  assert.deepEqual(results.map(hit => hit.path).sort(), [
    'cr/a.ts',
    'crlf/a.ts',
    'marked/a.ts',
    'mixed/a.ts',
    'odd/a.ts',
  ]);
  for (const { path, places } of results) {
    assert.deepEqual([places[0]?.line, places[0]?.lineText], [251, 'function quetzalFlight() {}'], path);
  }
});

test('text in any encoding is indexed with its words', async t => {
  const utf16 = (text: string, bigEndian: boolean, mark: boolean): Buffer => {
    const bytes = Buffer.from(`${mark ? '\ufeff' : ''}${text}`, 'utf16le');
    return bigEndian ? bytes.swap16() : bytes;
  };
  const spanish = '// Ñandú corre por la pampa y come árboles\nclass Ave { String dueño = "señor"; }\n';
  const english = 'class Bird { String owner = "wombat keeper"; int legs = 2; }\n'.repeat(3);
  const folder = makeFileTree(t, {
    'latin/Ñandú.java': Buffer.from(spanish, 'latin1'),
    'le.java': utf16(english, false, true),
    'be.java': utf16(english, true, true),
    'bare.java': utf16(english, false, false),
    'cut.ts': Buffer.concat([
      Buffer.from(`${plainLines(60).join('\n')}\nlet platypus; // `),
      Buffer.from([0x81]),
      Buffer.from('\n'),
    ]),
  });
  const { sync, findWords } = await (await testRuntime(t)).open(folder);
  const report = await sync();
  assert.deepEqual([report.files, report.embedded, report.failed], [5, 5, []]);
  assert.deepEqual(await findWords('dueño'), ['latin/Ñandú.java']);
  assert.deepEqual((await findWords('wombat keeper')).sort(), ['bare.java', 'be.java', 'le.java']);
  assert.deepEqual(await findWords('platypus'), ['cut.ts']);
});

test('huge, nested, endless and empty files keep nothing from being indexed', { timeout: 120_000 }, async t => {
  const folder = makeFileTree(t, {
    'a.ts': 'let aardvark;\n', 'b.ts': 'let badger;\n', 'c.ts': 'let caracal;\n',
    'nested.ts': '['.repeat(50_000) + ']'.repeat(50_000),
    'endless.ts': 'x'.repeat(1_000_000),
    'lines.ts': '\n'.repeat(1_000_000),
    'app.min.js': 'var a=1;'.repeat(50_000),
    'blob.ts': `export const data = '${'QUJDRA+/'.repeat(25_000)}';\n`,
    'package-lock.json': '{"name": "x"}\n', 'icon.svg': '<svg><path d="M0 0"/></svg>\n', 'tsconfig.json': '{"strict": "numbat"}\n',
  }); // prettier-ignore
  const map = openSync(join(folder, 'world.geojson'), 'w');
  ftruncateSync(map, 40 * 1024 * 1024);
  closeSync(map);
  const { engine, sync, findWords } = await (await testRuntime(t)).open(folder);
  const report = await sync();
  assert.deepEqual([report.files, report.failed], [12, []]);
  for (const [word, path] of [['aardvark', 'a.ts'], ['badger', 'b.ts'], ['caracal', 'c.ts'], ['numbat', 'tsconfig.json']] as const)
    assert.deepEqual(await findWords(word), [path]); // prettier-ignore
  for (const path of [
    'nested.ts',
    'lines.ts',
    'app.min.js',
    'blob.ts',
    'package-lock.json',
    'icon.svg',
    'world.geojson',
  ]) {
    const { state, reason } = await engine.explain(path);
    assert.equal(state, 'skipped', `${path}: ${reason}`);
  }
});

test('control tokens in a source file are text, and the file is as near to a question as with other words', async t => {
  const controls = '[CLS] [SEP] </s> <|endoftext|> <s> [MASK] [PAD] [UNK]';
  const text = (words: string): string => `function quetzalFlight() { return '${words}'; }\n`.repeat(300);
  const folder = makeFileTree(t, {
    // Their paths have the same words: what a file is compared with is its text and its path together.
    'some/words.ts': text(controls),
    'some-words.ts': text('cls sep s endoftext s mask pad unk'),
  });
  const { engine, sync } = await (await testRuntime(t)).open(folder);
  const { files, embedded, failed } = await sync();
  assert.deepEqual([files, embedded, failed], [2, 2, []]);
  const { results } = await engine.search({ query: `quetzal flight ${controls}`, arms: ['landmark'] });
  assert.equal(results.length, 2);
  assert.ok(Math.abs((results[0]?.score ?? 0) - (results[1]?.score ?? 0)) < 1e-6);
  writeFileSync(join(folder, 'some/words.ts'), text('[SEP]'));
  assert.equal((await engine.update(['some/words.ts'])).embedded, 1);
});

test('kinds of files that have no ending are known by their content, and explained', async t => {
  const folder = makeFileTree(t, {
    Makefile: 'all:\n\tcc -o wombat main.c\n',
    Dockerfile: 'FROM scratch\nCOPY wombat /\n',
    Jenkinsfile: 'pipeline { agent any /* wombat */ }\n',
    'scripts/x.cjs': 'const wombat = 1;\n',
    deploy: '#!/bin/sh\necho wombat\n',
    blob: Buffer.from([0, 1, 2, 3, 4, 5, 0, 9]),
  });
  const { engine, sync, findWords } = await (await testRuntime(t)).open(folder);
  await sync();
  assert.deepEqual((await findWords('wombat')).sort(), [
    'Dockerfile',
    'Jenkinsfile',
    'Makefile',
    'deploy',
    'scripts/x.cjs',
  ]);
  const { state, rule } = await engine.explain('blob');
  assert.deepEqual([state, rule], ['skipped', 'binary']);
});
