import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { cellAtLine, notebookText } from '../../src/engine/files/notebook';
import { decodeText, type TextEncoding } from '../../src/engine/files/textEncoding';
import { fileError, readFileBytes, readTextFile } from '../../src/engine/files/textReader';
import { isCancelled, LandmarkError } from '../../src/util/errors';
import { makeFileTree } from '../support/fileTree';

const hasReason = (reason: string) => (error: unknown) =>
  error instanceof LandmarkError && error.reason === reason && /\.$/.test(error.message);

function assertDecodes(bytes: Uint8Array, text: string, encoding: TextEncoding): void {
  const decoded = decodeText(bytes);
  assert.equal(decoded.encoding, encoding);
  assert.equal(decoded.text.slice(0, 200), text.slice(0, 200));
  assert.ok(decoded.text === text);
}

/** Bytes in hexadecimal, spaces allowed. */
const hex = (digits: string): Buffer => Buffer.from(digits.replace(/\s/g, ''), 'hex');

const CODE = 'class Señor:\r\n    name = "Ñandú"  # größer als, ça va\rx\n';

test('UTF-8 is itself, its byte order mark goes and its line ends stay', () => {
  assertDecodes(Buffer.from(CODE), CODE, 'utf-8');
  assertDecodes(Buffer.from(`\ufeff${CODE}`), CODE, 'utf-8');
  // Only the first mark is one.
  assertDecodes(Buffer.from('\ufeff\ufeffa'), '\ufeffa', 'utf-8');
  assertDecodes(Buffer.from('a\u2028b\fc\r\n😀'), 'a\u2028b\fc\r\n😀', 'utf-8');
  assertDecodes(Buffer.alloc(0), '', 'utf-8');
});

test('UTF-16 is recognised in both orders, with and without byte order mark, for any script', () => {
  for (const text of [
    CODE,
    'int x = 1;\n',
    `${'// 日本語の説明です。\nfn f() {}\n'.repeat(3)}`,
    `a${'😀 ok\n'.repeat(2_000)}`,
    `ab${'😀 ok\n'.repeat(2_000)}`,
  ]) {
    const little = Buffer.from(text, 'utf16le');
    const big = Buffer.from(little).swap16();
    assertDecodes(little, text, 'utf-16le');
    assertDecodes(big, text, 'utf-16be');
    assertDecodes(Buffer.concat([hex('fffe'), little]), text, 'utf-16le');
    assertDecodes(Buffer.concat([hex('feff'), big]), text, 'utf-16be');
  }
});

test('western text in Latin-1 and windows-1252 keeps its letters', () => {
  assertDecodes(Buffer.from(CODE, 'latin1'), CODE, 'windows-1252');
  // 0x80 is the euro sign, 0x93 and 0x94 are quotation marks.
  assertDecodes(hex('80 20 93 61 94'), '€ “a”', 'windows-1252');
  assertDecodes(Buffer.from('// ÀÉÈÙ ÇÀ\nint x;\n', 'latin1'), '// ÀÉÈÙ ÇÀ\nint x;\n', 'windows-1252');
});

test('a UTF-8 file with stray bytes stays UTF-8 and shows replacement characters', () => {
  assertDecodes(
    Buffer.concat([Buffer.from('x = 1\n'.repeat(300)), hex('81')]),
    `${'x = 1\n'.repeat(300)}\ufffd`,
    'utf-8',
  );
  assertDecodes(Buffer.concat([Buffer.from('añadir größe\n'), hex('e9 0a')]), 'añadir größe\n\ufffd\n', 'utf-8');
  const cut = Buffer.from('naïve café 日本');
  assertDecodes(cut.subarray(0, -1), 'naïve café 日\ufffd', 'utf-8');
});

test('Shift-JIS, EUC-JP and windows-1251 are recognised by what their text looks like', () => {
  // "// データを読み込む" and a line of code
  const code = Buffer.from('\nint main() { return 0; }\n');
  const japanese = '// データを読み込む\nint main() { return 0; }\n';
  assertDecodes(Buffer.concat([hex('2f2f20 8366815b835e 82f0 93c7 82dd 8d9e 82de'), code]), japanese, 'shift_jis');
  assertDecodes(Buffer.concat([hex('2f2f20 a5c7a1bca5bf a4f2 c6c9 a4df b9fe a4e0'), code]), japanese, 'euc-jp');
  // "# Читает файл"
  assertDecodes(
    Buffer.concat([hex('2320 d7e8f2e0e5f2 20 f4e0e9eb'), code]),
    `# Читает файл${code.toString()}`,
    'windows-1251',
  );
});

test('a file is read whole or not at all, never as an empty text', async context => {
  const folder = makeFileTree(context, { 'a.ts': CODE, 'empty.ts': '' });
  assert.deepEqual(await readTextFile(join(folder, 'a.ts'), 1_000), { text: CODE, encoding: 'utf-8' });
  assert.equal((await readFileBytes(join(folder, 'empty.ts'), 10)).length, 0);
  await assert.rejects(readTextFile(join(folder, 'a.ts'), 5), hasReason('invalid-argument'));
  await assert.rejects(readTextFile(join(folder, 'b.ts'), 5), hasReason('not-found'));
  await assert.rejects(readTextFile(folder, 5), hasReason('not-a-file'));
  await assert.rejects(readTextFile(join(folder, 'a.ts', 'b'), 5), hasReason('not-found'));
  await assert.rejects(readTextFile(join(folder, 'a.ts'), 1_000, AbortSignal.abort()), isCancelled);
});

test(
  'a pipe is no file to read, and does not make the reader wait',
  { skip: process.platform === 'win32' },
  async context => {
    const folder = makeFileTree(context);
    execFileSync('mkfifo', [join(folder, 'pipe')]);
    await assert.rejects(readTextFile(join(folder, 'pipe'), 1_000), hasReason('not-a-file'));
  },
);

test(
  'a file that does not say how large it is, is read to its end',
  { skip: process.platform !== 'linux' },
  async () => {
    const bytes = await readFileBytes('/proc/self/status', 100_000);
    assert.ok(bytes.length > 0 && bytes.toString().startsWith('Name:') && bytes.toString().endsWith('\n'));
  },
);

test('a file without read permission says so', { skip: process.platform === 'win32' }, async context => {
  const folder = makeFileTree(context, { 'a.ts': CODE });
  chmodSync(folder, 0o755);
  chmodSync(join(folder, 'a.ts'), 0);
  const isSuperuser = process.getuid?.() === 0;
  if (isSuperuser) process.seteuid?.(65534);
  try {
    await assert.rejects(readTextFile(join(folder, 'a.ts'), 1_000), hasReason('no-permission'));
  } finally {
    if (isSuperuser) process.seteuid?.(0);
  }
});

test('a failure that has no name of its own keeps its cause', () => {
  const cause = Object.assign(new Error('i/o error'), { code: 'EIO' });
  const error = fileError(cause, 'a.ts');
  assert.equal(error.reason, 'internal');
  assert.equal(error.cause, cause);
  assert.equal(error.message, 'a.ts cannot be read (i/o error): try again.');
});

test('the cells of a notebook are in order, each on lines of its own', () => {
  const cells = [
    { source: ['import os\n', 'import sys'] },
    { source: '' },
    { source: 'a\r\nb\rc\n' },
    { cell_type: 'markdown', source: '# end', outputs: [{ text: 'no' }] },
  ];
  const notebook = notebookText(JSON.stringify({ cells }));
  // Lines: 1-2 first cell, 3 the empty one, 4-7 the third with its last, empty line, 8 the fourth.
  assert.deepEqual(notebook, { text: 'import os\nimport sys\n\na\nb\nc\n\n# end', cellStartLines: [1, 3, 4, 8] });
  const lines = notebook.text.split('\n');
  assert.equal(lines[8 - 1], '# end');
  const at = [1, 2, 3, 4, 7, 8, 99].map(line => cellAtLine(notebook.cellStartLines, line));
  assert.deepEqual(at, [0, 0, 1, 2, 2, 3, 3]);
});

test('notebooks of the older format are read too, and anything else is no notebook', () => {
  assert.deepEqual(notebookText('{"worksheets":[{"cells":[{"input":["x=1"]},{"source":"t"}]}]}')?.text, 'x=1\nt');
  for (const json of ['', '[]', 'null', '{"cells":{}}', '{"cells":[{"source":3}]}', '{"cells":[null]}', '{']) {
    assert.equal(notebookText(json), undefined, json);
  }
});
