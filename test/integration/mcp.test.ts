import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test, type TestContext } from 'node:test';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import type { IndexStats, SimilarResponse } from '../../src/engine/types';
import type { SearchAnswer } from '../../src/tools/searchAnswer';
import { cleanUp } from '../support/cleanUp';
import { writeFileTree } from '../support/fileTree';
import { whenGone } from '../support/hostPrograms';
import { buildPrograms, landmark, whenRunning } from '../support/landmark';

const CLI = join(process.cwd(), 'dist/cli.js');
const RETRY = `/** Calls the service again after a growing pause when the connection was refused. */
export async function callWithBackoff(request, attempts) {
  let pause = 100;
  for (let attempt = 1; attempt < attempts; attempt++) {
    try {
      return await request();
    } catch {
      await sleep((pause *= 2));
    }
  }
}
`;
const APP = {
  'src/retry.ts': RETRY,
  'src/again.ts': RETRY.replaceAll('pause', 'delay').replaceAll('callWithBackoff', 'repeatRequest'),
  'src/thumbnail.go':
    'package image\n\n// Thumbnail shrinks a picture to fit a square.\nfunc Thumbnail(picture Image, side int) Image {\n\treturn picture.Scale(side)\n}\n',
  '.env': 'TOKEN=1\n',
};
const LIBRARY = {
  'mail/sender.py':
    'def send_invitation(address, calendar):\n    """Mails an invitation to a meeting."""\n    smtp.send(address, render(calendar))\n',
};

let scratch: string;
let app: string;
let library: string;
let data: string;

before(() => {
  buildPrograms();
  scratch = realpathSync(mkdtempSync(join(tmpdir(), 'landmark-mcp-')));
  [app, library, data] = [join(scratch, 'app'), join(scratch, 'library'), join(scratch, 'data')];
  writeFileTree(app, APP);
  writeFileTree(library, LIBRARY);
  writeFileTree(join(scratch, 'outside'), { 'plan.md': '# The secret plan\n' });
  symlinkSync(join(scratch, 'outside'), join(app, 'link'));
  for (const folder of [app, library]) assert.equal(landmark(['index', folder], data).status, 0);
});
after(() => rmSync(scratch, { recursive: true, force: true }));

interface Connected {
  readonly client: Client;
  readonly pid: number;
}

async function connect(context: TestContext, folders: readonly string[], dataDir = data): Promise<Connected> {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [CLI, 'mcp', ...folders, '--data', dataDir],
    stderr: 'ignore',
  });
  const client = new Client({ name: 'test', version: '1.0.0' });
  await client.connect(transport);
  cleanUp(context, () => client.close());
  return { client, pid: transport.pid ?? 0 };
}

async function call(client: Client, name: string, input: Record<string, unknown> = {}): Promise<CallToolResult> {
  return (await client.callTool({ name, arguments: input })) as CallToolResult;
}

function textOf({ content }: CallToolResult): string {
  const [part] = content;
  return part?.type === 'text' ? part.text : '';
}

test('a program learns the tools, that they only read, and when to use them', async context => {
  const { client } = await connect(context, [app]);
  assert.match(client.getInstructions() ?? '', /plain words/);
  const { tools } = await client.listTools();
  assert.deepEqual(
    tools.map(({ name }) => name),
    ['search', 'similar', 'explain', 'stats'],
  );
  for (const { annotations, outputSchema, inputSchema } of tools) {
    assert.equal(annotations?.readOnlyHint, true);
    assert.equal(annotations.openWorldHint, false);
    assert.equal(outputSchema?.type, 'object');
    assert.equal(inputSchema['additionalProperties'], false);
    assert.ok(!('folder' in (inputSchema.properties ?? {})), 'one folder need not be named');
  }
});

test('search answers with places, as data and as path:line', async context => {
  const { client } = await connect(context, [app]);
  const result = await call(client, 'search', { query: 'try a failed call again later', limit: 2 });
  assert.notEqual(result.isError, true, textOf(result));
  const answer = result.structuredContent as unknown as SearchAnswer;
  const [first] = answer.results;
  assert.equal(answer.results.length, 2);
  assert.equal(answer.complete, 1);
  assert.equal(first?.folder, app);
  assert.match(first.path, /^src\/(retry|again)\.ts$/);
  assert.match(first.places[0]?.text ?? '', /\S/);
  assert.match(textOf(result), new RegExp(`^1\\. ${first.path}:${first.places[0]?.line} \\(.*lines \\d+-\\d+`));
});

test('search keeps to a path and a language', async context => {
  const { client } = await connect(context, [app]);
  const paths = async (input: Record<string, unknown>): Promise<string[]> => {
    const { structuredContent } = await call(client, 'search', { query: 'shrink or repeat', ...input });
    return (structuredContent as unknown as SearchAnswer).results.map(({ path }) => path);
  };
  assert.deepEqual(await paths({ language: 'go' }), ['src/thumbnail.go']);
  assert.deepEqual(await paths({ path: '*.go' }), ['src/thumbnail.go']);
  assert.deepEqual(await paths({ path: join(app, 'src/thumbnail.go') }), ['src/thumbnail.go']);
  assert.equal((await paths({ path: join(app, 'src') })).length, 3);
  assert.deepEqual(await paths({ path: 'nothing/here' }), []);
});

test('similar, explain and stats answer as the command line does', async context => {
  const { client } = await connect(context, [app]);
  const similar = await call(client, 'similar', { file: 'src/retry.ts', limit: 1 });
  assert.equal((similar.structuredContent as unknown as SimilarResponse).results[0]?.path, 'src/again.ts');
  assert.match(textOf(similar), /src\/again\.ts/);
  const explained = await call(client, 'explain', { file: '.env' });
  assert.equal(explained.structuredContent?.['state'], 'skipped');
  assert.match(textOf(explained), /keys or passwords/);
  const stats = await call(client, 'stats');
  const [folder] = stats.structuredContent?.['folders'] as (IndexStats & { folder: string })[];
  assert.deepEqual([folder?.folder, folder?.files, folder?.complete], [app, 3, 1]);
});

test('what is asked outside of the folders gets one and the same answer', async context => {
  const { client } = await connect(context, [app]);
  const ways = [
    '../library/mail/sender.py',
    '/etc/passwd',
    '/etc/none',
    'link/plan.md',
    'link/none.md',
    join(scratch, 'outside'),
  ];
  for (const file of ways) {
    for (const tool of ['similar', 'explain']) {
      const result = await call(client, tool, { file });
      assert.equal(result.isError, true, file);
      assert.equal(textOf(result), `${file} is outside of what is served here: only ${app} can be asked about.`);
    }
    if (!file.startsWith('/')) continue;
    const result = await call(client, 'search', { query: 'plan', path: file });
    assert.match(textOf(result), /is outside of what is served here/);
  }
  const found = await call(client, 'search', { query: 'secret plan', path: '../outside' });
  assert.deepEqual((found.structuredContent as unknown as SearchAnswer).results, []);
});

test('wrong arguments are named with what was expected, and the server goes on', async context => {
  const { client } = await connect(context, [app]);
  const cases: readonly (readonly [string, Record<string, unknown>, RegExp])[] = [
    ['search', {}, /query: expected a text of 1 to 4000 characters, got nothing/],
    ['search', { query: '' }, /query: expected a text of 1 to 4000 characters, got ""/],
    ['search', { query: ['a'] }, /query: expected a text/],
    ['search', { query: 'x'.repeat(4001) }, /query: expected a text of 1 to 4000 characters/],
    ['search', { query: 'a', limit: 1e9 }, /limit: expected a whole number from 1 to 50, got 1000000000/],
    ['search', { query: 'a', limit: -1 }, /limit: expected/],
    ['search', { query: 'a', limit: '5' }, /limit: expected/],
    ['search', { query: 'a', language: 'go" path:/etc' }, /language: expected/],
    ['search', { query: 'a', arms: ['file'] }, /"arms": expected one of query, limit, path, language/],
    ['search', { query: 'a', constructor: 'x' }, /"constructor": expected one of/],
    ['similar', { file: 7 }, /file: expected a text/],
    ['explain', { file: 'a'.repeat(5000) }, /file: expected a text of 1 to 4096 characters/],
    ['explain', { file: 'src/retry.ts', folder: scratch }, /"folder": expected one of file/],
    ['stats', { folder: '/' }, /"folder"/],
  ];
  for (const [tool, input, says] of cases) {
    const result = await call(client, tool, input);
    assert.equal(result.isError, true, JSON.stringify(input).slice(0, 80));
    assert.match(textOf(result), says);
    assert.ok(textOf(result).length < 400, 'what came is not repeated at length');
  }
  await assert.rejects(call(client, 'remove', {}), /There is no tool "remove": expected one of search, similar/);
  const odd = await call(client, 'search', { query: '\u0000\u202e"unclosed path:../../ -' });
  assert.notEqual(odd.isError, true, textOf(odd));
  assert.notEqual((await call(client, 'search', { query: 'thumbnail' })).isError, true);
});

test('several folders are searched together, or one by its name', async context => {
  const { client } = await connect(context, [app, library]);
  const all = await call(client, 'search', { query: 'mail an invitation to a meeting' });
  const [first] = (all.structuredContent as unknown as SearchAnswer).results;
  assert.deepEqual([first?.folder, first?.path], [library, 'mail/sender.py']);
  assert.match(textOf(all), new RegExp(`^1\\. ${library}/mail/sender\\.py:`));
  const one = await call(client, 'search', { query: 'mail an invitation', folder: app });
  assert.ok((one.structuredContent as unknown as SearchAnswer).results.every(({ folder }) => folder === app));
  const other = await call(client, 'search', { query: 'mail', folder: join(scratch, 'outside') });
  assert.match(textOf(other), /is outside of what is served here/);
});

test('without an index it says what to run, makes none, and answers once there is one', async context => {
  const folder = join(scratch, 'fresh');
  const freshData = join(scratch, 'fresh-data');
  writeFileTree(folder, LIBRARY);
  mkdirSync(freshData);
  const { client } = await connect(context, [folder], freshData);
  for (const [tool, input] of [
    ['search', { query: 'mail' }],
    ['stats', {}],
    ['explain', { file: 'mail/sender.py' }],
  ] as const) {
    const result = await call(client, tool, input);
    assert.equal(result.isError, true);
    assert.match(textOf(result), /run "?landmark index/);
  }
  assert.ok(
    !readdirSync(freshData, { recursive: true }).some(name => String(name).endsWith('.mdb')),
    'nothing was made',
  );
  assert.equal(landmark(['index', folder], freshData).status, 0);
  const result = await call(client, 'search', { query: 'mail an invitation' });
  assert.notEqual(result.isError, true, textOf(result));
});

test('it follows what another process changes in the index', async context => {
  const { client } = await connect(context, [library]);
  const paths = async (): Promise<string[]> => {
    const { structuredContent } = await call(client, 'search', { query: 'compress a video' });
    return (structuredContent as unknown as SearchAnswer).results.map(({ path }) => path);
  };
  assert.ok(!(await paths()).includes('video.py'));
  writeFileSync(
    join(library, 'video.py'),
    'def compress_video(frames):\n    """Compress a video."""\n    return codec(frames)\n',
  );
  assert.equal(landmark(['index', library], data).status, 0);
  assert.equal((await paths())[0], 'video.py');
  rmSync(join(library, 'video.py'));
  assert.equal(landmark(['index', library], data).status, 0);
  assert.ok(!(await paths()).includes('video.py'));
});

test('it changes nothing in the folders', async context => {
  const times = (): string[] =>
    readdirSync(app, { recursive: true, encoding: 'utf8' }).map(name => `${name} ${statSync(join(app, name)).mtimeMs}`);
  const before = times();
  const { client } = await connect(context, [app]);
  await call(client, 'search', { query: 'thumbnail' });
  await call(client, 'similar', { file: 'src/retry.ts' });
  assert.deepEqual(times(), before);
});

test('it ends with the program that started it, and its search process with it', async context => {
  const { client, pid } = await connect(context, [app]);
  await call(client, 'search', { query: 'thumbnail' });
  const search = await whenRunning(pid, 'search.js');
  await client.close();
  await whenGone(pid, 10_000);
  await whenGone(search, 10_000);
});

test('stdout carries messages of the protocol and nothing else, whatever comes in', async () => {
  const child = spawn(process.execPath, [CLI, 'mcp', app, '--data', data], { stdio: ['pipe', 'pipe', 'pipe'] });
  let out = '';
  let err = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text));
  const initialize = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'raw', version: '1' } };
  const lines = [
    'this is no message',
    '{"jsonrpc": "2.0", "id": 1',
    '[]',
    JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params: initialize }),
    JSON.stringify({
      jsonrpc: '2.0',
      id: 2,
      method: 'tools/call',
      params: { name: 'search', arguments: { query: 'thumbnail' } },
    }),
    JSON.stringify({ jsonrpc: '2.0', id: 3, method: 'tools/call', params: { name: 'search', arguments: 'query' } }),
    JSON.stringify({ jsonrpc: '2.0', id: 4, method: 'resources/read', params: { uri: 'file:///etc/passwd' } }),
  ];
  child.stdin.write(`${lines.join('\n')}\n`);
  while (!out.includes('"id":2')) await once(child.stdout, 'data');
  child.stdin.end();
  const [status] = (await once(child, 'close')) as [number];
  const ids = out
    .trim()
    .split('\n')
    .map(line => (JSON.parse(line) as { jsonrpc: string; id: number }).id)
    .sort();
  assert.deepEqual(ids, [1, 2, 3, 4]);
  assert.equal(status, 0);
  assert.match(err, /A message was left aside/);
});

test('a folder that is not there, or none at all, is refused with a sentence', () => {
  const absent = landmark(['mcp', join(scratch, 'nowhere')], data);
  assert.deepEqual([absent.status, absent.out], [1, '']);
  assert.match(absent.err, /^There is no folder .*nowhere: check the spelling\.\n$/);
  const none = landmark(['mcp'], data);
  assert.deepEqual([none.status, none.out], [2, '']);
  assert.match(none.err, /needs the folders/);
});
