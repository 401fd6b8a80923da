// What users of other code searches reported about the order of answers, as small repositories with the right answer.
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { type FileTree, makeFileTree } from '../support/fileTree';
import { type TestEngine, testRuntime } from '../support/engineRuntime';

async function indexed(context: TestContext, files: FileTree): Promise<TestEngine> {
  const { open } = await testRuntime(context);
  const opened = await open(makeFileTree(context, files));
  await opened.sync();
  return opened;
}

const many = (count: number, file: (at: number) => readonly [string, string]): FileTree =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => file(at)));

/** Sixteen names, each defined once and used, tested and documented elsewhere. */
const NAMES = (
  'ContextFrame parseHeader RetryPolicy MAX_RETRIES openSocket SessionStore normalisePath EventLoop ' +
  'writeCheckpoint LeaseTable decodeVarint UserAgent shutdownGracefully BloomFilter evictOldest TokenBucket'
).split(' ');

const definitionOf = (name: string): string => {
  if (/^[A-Z]+_/.test(name)) return `export const ${name} = 5;\n`;
  if (/^[A-Z]/.test(name)) return `export class ${name} {\n  run() {\n    return 1;\n  }\n}\n`;
  return `export function ${name}(input) {\n  return input;\n}\n`;
};

test('the one file that defines a name is first for it, whoever else uses, tests or documents it', async context => {
  const files: Record<string, string> = {};
  for (const [at, name] of NAMES.entries()) files[`src/part${at}.ts`] = definitionOf(name);
  const uses = NAMES.map(name => `use(${name}, new ${name}(${name}));`).join('\n');
  Object.assign(
    files,
    many(30, at => [`src/use/caller${at}.ts`, `import { ${NAMES.join(', ')} } from '..';\n// ${at}\n${uses}\n`]),
    many(16, at => [`test/${NAMES[at]}.test.ts`, `test('${NAMES[at]}', () => {\n  ${NAMES[at]}(${at});\n});\n`]),
    many(16, at => [`docs/${NAMES[at]}.md`, `# ${NAMES[at]}\n\n${NAMES[at]} is ${NAMES[at]} number ${at}.\n`]),
  );
  const { engine } = await indexed(context, files);
  for (const [at, name] of NAMES.entries()) {
    const { results } = await engine.search({ query: name });
    assert.equal(results[0]?.path, `src/part${at}.ts`, name);
    assert.ok(results.length <= 10, 'no more than were asked for');
    assert.equal(results[0].weak, false);
    assert.equal(results[0].places[0]?.line, 1);
  }
});

const SUBJECTS = 'upload download session cache queue worker socket parser logger router'.split(' ');
const code = (subject: string, at: number): string =>
  `export function ${subject}Limit${at}(items) {\n  // keeps the ${subject} limit\n  return items.slice(0, ${at});\n}\n`;
const prose = (subject: string, at: number): string =>
  `# ${subject} limit ${at}\n\nThe ${subject} limit keeps the ${subject} small. The limit of the ${subject} is ${at}.\n`;

test('code comes before documents for a question about code, and after them where documents are asked for', async context => {
  const { find } = await indexed(context, {
    ...many(20, at => [`src/${SUBJECTS[at % 10]}${at}.ts`, code(SUBJECTS[at % 10] ?? '', at)]),
    ...many(200, at => [`notes/page${at}.md`, prose(SUBJECTS[at % 10] ?? '', at)]),
  });
  for (const subject of SUBJECTS) {
    assert.match((await find(`keep the ${subject} limit`))[0] ?? '', /\.ts$/, subject);
    assert.match((await find(`guide to the ${subject} limit`))[0] ?? '', /\.md$/, subject);
  }
});

test('examples, benches and sites of documents take few of the first places, but are found', async context => {
  const text = (at: number): string => `export function retryUpload${at}() {\n  // retry the failed upload ${at}\n}\n`;
  const { find } = await indexed(context, {
    ...many(6, at => [`packages/core/src/upload${at}.ts`, text(at)]),
    ...many(10, at => [`packages/docs/pages/upload${at}.ts`, text(100 + at)]),
    ...many(10, at => [`examples/upload${at}.ts`, text(200 + at)]),
    ...many(10, at => [`bench/upload${at}.ts`, text(300 + at)]),
  });
  const found = await find('retry the failed upload');
  assert.ok(
    found.slice(0, 6).every(path => path.startsWith('packages/core/')),
    found.slice(0, 6).join(' '),
  );
  assert.ok(found.some(path => path.startsWith('examples/')));
});

test('a scope of few and poor files is searched as a whole', async context => {
  const { engine } = await indexed(context, {
    ...many(500, at => [`src/big/file${at}.ts`, `function retryFailedUpload${at}() {\n  // retry the upload\n}\n`]),
    'lib/one.ts': 'const retry = 1;\n',
    'lib/two.ts': 'function upload() {}\n',
    'lib/three.ts': '// upload later\n',
  });
  const { results } = await engine.search({ query: 'retry the failed upload', scope: 'lib' });
  assert.deepEqual(results.map(({ path }) => path).sort(), ['lib/one.ts', 'lib/three.ts', 'lib/two.ts']);
});

test('a file that says it was generated is demoted like one that is named so', async context => {
  const body = 'export function readSchema() {\n  return "read the schema of the table";\n}\n';
  const { find } = await indexed(context, {
    'src/a.ts': `// Code generated by tables. DO NOT EDIT.\n${body}`,
    'src/b.ts': `/* eslint-disable */\n// edit here what generated code needs\n${body}`,
  });
  assert.deepEqual(await find('read the schema of the table'), ['src/b.ts', 'src/a.ts']);
});

test('a pasted message leads to the line that prints it', async context => {
  const filler = many(40, at => [
    `src/net/connection${at}.ts`,
    `// connection refused by the server\nexport const connection${at} = 'the server refused'; // after retries ${at}\n`,
  ]);
  const lines = Array.from({ length: 80 }, (_, at) => `  step(${at}); // connection, server, retries`);
  const printing = [...lines, "  throw new Error('connection was refused by the server after 3 retries');", ...lines];
  const { engine } = await indexed(context, { ...filler, 'src/deep/last.ts': printing.join('\n') });
  for (const query of [
    'connection was refused by the server after 3 retries',
    'FATAL main: connection was refused by the server after 99 retries',
    'why "refused by the server after 3 retries"',
  ]) {
    const [first] = (await engine.search({ query })).results;
    assert.equal(first?.path, 'src/deep/last.ts', query);
    assert.equal(first.places[0]?.line, 81, query);
  }
});

test('a pasted stack trace leads to its files and lines, innermost first', async context => {
  const lines = (name: string): string =>
    Array.from({ length: 100 }, (_, at) => `export const ${name}${at} = ${at};`).join('\n');
  const { engine } = await indexed(context, {
    'src/app/server.ts': lines('server'),
    'src/lib/pool.ts': lines('pool'),
    'src/other/server.ts': lines('other'),
    'src/loader.js': lines('loader'),
  });
  const trace = `TypeError: Cannot read properties of undefined (reading 'close')
    at Pool.release (/home/me/work/src/lib/pool.ts:42:17)
    at async handle (/home/me/work/src/app/server.ts:77:5)
    at node:internal/modules/cjs/loader.js:12:3`;
  const { results } = await engine.search({ query: trace });
  assert.deepEqual(
    results.slice(0, 2).map(({ path, places }) => [path, places[0]?.line]),
    [
      ['src/lib/pool.ts', 42],
      ['src/app/server.ts', 77],
    ],
  );
});

test('whoever asks for tests gets tests first', async context => {
  const { find } = await indexed(context, {
    'src/retry.ts': 'export function retryPolicy() {\n  // the retry policy\n  return 1;\n}\n',
    'test/retry.test.ts': "test('retry policy', () => {\n  retryPolicy();\n});\n",
  });
  assert.equal((await find('tests for the retry policy'))[0], 'test/retry.test.ts');
  assert.equal((await find('the retry policy'))[0], 'src/retry.ts');
});
