import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { test } from 'node:test';
import { type FileClass, fileClassOf } from '../../src/engine/files/fileClass';
import { classifyContent, classifyPath, DEFAULT_MAX_FILE_SIZE } from '../../src/engine/files/indexable';
import { extensionOf, languageOf } from '../../src/engine/files/languages';
import type { SkipReason } from '../../src/engine/types';

const KB = 1024;

function nameVerdict(path: string, size = 100): SkipReason | 'read' {
  return classifyPath(path, size)?.reason ?? 'read';
}

function textVerdict(path: string, content: string | Uint8Array): SkipReason | 'text' {
  const verdict = classifyContent(path, typeof content === 'string' ? Buffer.from(content) : content);
  return verdict.kind === 'text' ? 'text' : verdict.reason;
}

function assertNames(expected: SkipReason | 'read', list: string): void {
  for (const path of list.trim().split(/\s+/)) assert.equal(nameVerdict(path), expected, path);
}

/** A file of ordinary lines, none repeated. */
const ordinary = (lines: number): string =>
  Array.from(
    { length: lines },
    (_, i) => `export function step${i}(value: number): number { return value + ${i}; }`,
  ).join('\n');

/** What a minifier makes: few spaces, all in one line. */
const squeezed = (characters: number): string =>
  Array.from({ length: Math.ceil(characters / 30) }, (_, i) => `function f${i}(a,b){return a*b+${i}};`)
    .join('')
    .slice(0, characters);

test('files that by their name hold secrets are never read', () => {
  assertNames(
    'secret',
    `.env config/.env .env.local .env.production.json prod.env id_rsa .ssh/id_ed25519 server.pem tls.key store.p12 a.pfx app.keystore
     credentials.json .aws/credentials .npmrc .netrc .pypirc .htpasswd pass.kdbx service-account.json service_account-prod.json
     .git-credentials secrets.yaml terraform.tfstate home/.docker/config.json ID_RSA`,
  );
  assertNames(
    'read',
    `.env.example .env.sample .env.template env.ts .env.d.ts config.json settings.json src/credentials.ts id_rsa.pub keys.ts
     service-accounts.ts docker/config.json secret.ts .npmrc.example environment.json`,
  );
});

test('lock files, files without text and data written by programs are left out by name', () => {
  assertNames(
    'lock-file',
    'package-lock.json web/yarn.lock pnpm-lock.yaml Cargo.lock go.sum poetry.lock composer.lock Gemfile.lock uv.lock',
  );
  assertNames('read', 'lock.ts clock.go package.json go.mod src/lockfile.rs');
  assertNames(
    'unknown-kind',
    'a.png b.JPG c.woff2 d.zip e.mp4 f.exe lib.so lib.so.1.2 g.pyc h.pdf i.sqlite m.onnx n.jar',
  );
  assertNames('generated-data', 'app.js.map logo.svg');
  assertNames('minified', 'jquery.min.js site.min.css vendor-min.js');
  assertNames(
    'read',
    'Makefile Dockerfile Jenkinsfile deploy admin.js min.js minimum.ts x.cjs data.csv graph.dot form.res',
  );
});

test('the size limits are those of source, configuration and rows of data', () => {
  assert.equal(DEFAULT_MAX_FILE_SIZE, 1024 * KB);
  assert.equal(nameVerdict('a.ts', 0), 'empty');
  assert.equal(nameVerdict('a.ts', 1024 * KB), 'read');
  assert.equal(nameVerdict('a.ts', 1024 * KB + 1), 'too-large');
  assert.equal(nameVerdict('Makefile', 512 * KB), 'read');
  for (const path of ['map.json', 'a.yaml', 'a.yml', 'a.toml', 'a.xml', 'a.ini', 'a.geojson']) {
    assert.equal(nameVerdict(path, 100 * KB), 'read', path);
    assert.equal(nameVerdict(path, 100 * KB + 1), 'too-large', path);
  }
  assert.equal(nameVerdict('a.csv', 100 * KB + 1), 'generated-data');
  assert.equal(nameVerdict('a.ipynb', 5000 * KB), 'read');
  assert.equal(classifyPath('a.ts', 2_000, 1_000)?.reason, 'too-large');
  assert.equal(classifyPath('a.json', 2_000, 1_000)?.reason, 'too-large');
  assert.equal(classifyPath('a.ts', 3 * 1024 * KB, 4 * 1024 * KB), undefined);
});

test('every verdict is a sentence that names the file', () => {
  assert.equal(
    classifyPath('data/map.json', 40 * 1024 * KB)?.detail,
    'map.json has 40,960 KB; the limit for configuration is 100 KB.',
  );
  assert.equal(
    classifyPath('a.ts', 2_000, 1_000)?.detail,
    'a.ts has 2 KB; the limit (landmark.maxFileSize in the editor, --max-file-size on the command line) is 1 KB.',
  );
  for (const path of ['.env', 'yarn.lock', 'a.png', 'a.svg', 'a.min.js']) {
    assert.match(classifyPath(path, 10)?.detail ?? '', new RegExp(`^${path.replaceAll('.', '\\.')} .*\\.$`));
  }
});

test('a file without words is empty', () => {
  for (const content of ['', '\n'.repeat(1_000_000), ' \t\r\n', '\ufeff', '{}\n', '// ---\n']) {
    assert.equal(textVerdict('a.ts', content), 'empty', JSON.stringify(content.slice(0, 10)));
  }
  assert.equal(textVerdict('a.ts', 'é'), 'text');
  assert.equal(textVerdict('a.ts', '7'), 'text');
});

test('binary data is told from text in the first block, in short files and behind a text header', () => {
  const noise = (length: number): Buffer => gzipSync(randomBytes(length)).subarray(10);
  assert.equal(
    textVerdict('data', Buffer.concat([Buffer.from('RIFF'), Buffer.from([0, 1, 2, 3]), Buffer.from('abcdef')])),
    'binary',
  );
  // Without any zero byte, 600 bytes long: the control characters tell.
  const noZero = Buffer.from(noise(700).filter(byte => byte !== 0)).subarray(0, 600);
  assert.equal(textVerdict('tool', noZero), 'binary');
  assert.equal(textVerdict('image.dat', readFileSync(process.execPath).subarray(0, 4_096)), 'binary');
  const installer = Buffer.concat([
    Buffer.from(`#!/bin/sh\n${'echo unpacking the archive\n'.repeat(400)}`),
    noise(50_000),
  ]);
  assert.equal(textVerdict('install', installer), 'binary');
});

test('text with a few control characters, and text of any script, is text', () => {
  assert.equal(textVerdict('log', '\u001b[31mred\u001b[0m\n'.repeat(10)), 'text');
  assert.equal(textVerdict('a.c', `${ordinary(50)}\n\f\n${ordinary(3)}`), 'text');
  for (const text of ['日本語のコメント\n'.repeat(20), 'const привет = 1;\n'.repeat(20), 'def f(): pass\n']) {
    assert.equal(textVerdict('a.py', text), 'text');
    for (const bytes of [
      Buffer.from(text, 'utf16le'),
      Buffer.from(`\ufeff${text}`, 'utf16le'),
      Buffer.from(text, 'utf16le').swap16(),
    ]) {
      const verdict = classifyContent('a.py', bytes);
      assert.ok(verdict.kind === 'text' && verdict.text === text);
    }
  }
});

test('numbers written as 16-bit words are binary, not UTF-16', () => {
  const samples = Buffer.alloc(4_000);
  for (let i = 0; i < 2_000; i++) samples.writeUInt16LE(i % 256, i * 2);
  assert.equal(textVerdict('samples', samples), 'binary');
});

test('files without a known ending are judged by their content', () => {
  assert.equal(textVerdict('Makefile', 'all:\n\tcc -o app main.c\n'), 'text');
  assert.equal(textVerdict('deploy', '#!/usr/bin/env python3\nprint("hello")\n'), 'text');
  assert.equal(textVerdict('x.unheardof', 'plain words\n'), 'text');
});

test('minified text is told by its lines in any language', () => {
  for (const path of ['app.js', 'page.html', 'data.json', 'style.css', 'query.php']) {
    assert.equal(textVerdict(path, squeezed(5_000)), 'minified', path);
  }
  assert.equal(
    textVerdict('app.js', `/*! licence */\n'use strict';\n${squeezed(200_000)}\n//# sourceMappingURL=x`),
    'minified',
  );
  // A long licence text in front changes nothing.
  assert.equal(
    textVerdict('app.js', `${'// You may use this software freely.\n'.repeat(40)}${squeezed(100_000)}`),
    'minified',
  );
  assert.equal(textVerdict('app.js', Array.from({ length: 20 }, () => squeezed(2_000)).join('\n')), 'minified');
});

test('long lines inside an ordinary file, prose and long ordinary files are not minified', () => {
  const tokens = Array.from({ length: 3_000 }, (_, i) => `t${i}`).join(',');
  assert.ok(tokens.length > 15_000);
  assert.equal(textVerdict('a.ts', `${ordinary(10)}\nconst table = '${tokens}';\n${ordinary(10)}`), 'text');
  assert.equal(
    textVerdict(
      'a.ts',
      `import a from 'a';\n\nfunction f() {\n  return 1;\n}\n\nconst t = [${tokens}];\nexport default f;\n`,
    ),
    'text',
  );
  const paragraph =
    'This paragraph is written in one line, as many editors for prose leave it to the window to wrap. '.repeat(20);
  assert.equal(textVerdict('notes.md', `${paragraph}\n\n`.repeat(3)), 'text');
  assert.equal(textVerdict('notes.md', `${paragraph}\n\n`.repeat(60)), 'text');
  assert.equal(textVerdict('generated.go', ordinary(12_000).slice(0, 512 * KB)), 'text');
  assert.equal(textVerdict('small.json', `{"a":1,"list":[${'1,'.repeat(400)}1]}`), 'text');
});

test('a file that is mostly base64 or hexadecimal is data', () => {
  const base64 = randomBytes(150_000).toString('base64');
  assert.equal(textVerdict('logo.ts', `export const logo = '${base64}';\n`), 'generated-data');
  assert.equal(textVerdict('blob.txt', base64.replace(/.{76}/g, '$&\n')), 'generated-data');
  assert.equal(textVerdict('hash.txt', randomBytes(4_000).toString('hex')), 'generated-data');
  assert.equal(
    textVerdict('logo.ts', `${ordinary(3_000)}\nexport const logo = '${base64.slice(0, 20_000)}';\n`),
    'text',
  );
  assert.equal(
    textVerdict(
      'font.c',
      'static const unsigned char font[] = {\n' + '0x3f, 0x2a, 0x00, 0x11, 0x3f, 0x2a, 0x00,\n'.repeat(2_000),
    ),
    'text',
  );
});

test('hard inputs are judged in time that grows with their size only', () => {
  const started = performance.now();
  for (const text of [
    '['.repeat(1_000_000),
    'a'.repeat(1_000_000),
    `${'a'.repeat(199)} `.repeat(5_000),
    'A'.repeat(59).concat('\n').repeat(17_000),
  ]) {
    textVerdict('a.ts', text);
  }
  // Far above what a slow machine needs; a search that is not linear takes minutes.
  assert.ok(performance.now() - started < 10_000);
});

test('a private key is a secret under any name', () => {
  assert.equal(textVerdict('deploy_access', '-----BEGIN OPENSSH PRIVATE KEY-----\nabc\n'), 'secret');
  assert.equal(textVerdict('keys.ts', "const header = '-----BEGIN PRIVATE KEY-----';\n"), 'text');
});

test('a notebook is the sources of its cells; a damaged one is left out', () => {
  const cell = (type: string, source: string | string[]): object => ({
    cell_type: type,
    source,
    outputs: [{ data: 'OUTPUT' }],
  });
  const notebook = JSON.stringify({
    cells: [cell('markdown', ['# Title\n', 'text']), cell('code', 'x = 1'), cell('code', [])],
  });
  const verdict = classifyContent('a.ipynb', Buffer.from(notebook));
  assert.deepEqual(verdict, {
    kind: 'text',
    text: '# Title\ntext\nx = 1\n',
    encoding: 'utf-8',
    cellStartLines: [1, 3, 4],
  });
  assert.equal(textVerdict('a.ipynb', notebook.slice(0, -5)), 'generated-data');
  assert.equal(textVerdict('a.ipynb', '{"cells": 3}'), 'generated-data');
  assert.equal(textVerdict('a.ipynb', '{"cells": []}'), 'empty');
  const verbose = JSON.stringify({ cells: [{ source: ordinary(100), outputs: ['A'.repeat(3_000_000)] }] });
  assert.equal(textVerdict('a.ipynb', verbose), 'text');
  assert.equal(textVerdict('a.ipynb', JSON.stringify({ cells: [{ source: ordinary(20_000) }] })), 'too-large');
});

test('the language follows from the name', () => {
  const expected: Record<string, string | undefined> = {
    'a.ts': 'typescript', 'a.TSX': 'typescript', 'a.mjs': 'javascript', 'a.py': 'python', 'a.go': 'go', 'a.rs': 'rust', 'a.h': 'c',
    'a.hpp': 'cpp', 'a.cs': 'csharp', 'a.kt': 'kotlin', 'A.java': 'java', 'a.rb': 'ruby', 'a.php': 'php', 'a.vue': 'vue', 'a.md': 'markdown',
    'a.yml': 'yaml', 'x/Makefile': 'makefile', Dockerfile: 'dockerfile', 'Dockerfile.dev': 'dockerfile', BUILD: 'starlark', build: undefined,
    'CMakeLists.txt': 'cmake', '.bashrc': 'shell', 'a.ipynb': 'notebook', LICENSE: undefined, '.gitignore': undefined, 'a.b/c': undefined,
  }; // prettier-ignore
  for (const [path, language] of Object.entries(expected)) assert.equal(languageOf(path), language, path);
  assert.equal(extensionOf('a.b/.hidden'), '');
  assert.equal(extensionOf('a.tar.GZ'), 'gz');
});

test('what a file is for follows from whole words of its path', () => {
  const expected: Record<FileClass, string> = {
    source: `src/a.ts src/latest.ts lib/contest.py src/Testing/TestResponse.php src/attest/x.go src/build/strings.ts src/docs.ts
      src/vendoring.rs src/target_spec.rs src/redis-benchmark.c src/test.c src/examples.ts lib/deps/x.ts src/external/a.go`,
    test: `test/a.ts src/__tests__/a.tsx a_test.go a.spec.ts test_a.py FooTest.java FooTests.cs foo_spec.rb tests/data/x.json
      integration-tests/a.rs my-app-e2e/a.ts crates/x/benches/b.rs conftest.py test-utils/a.ts test_data/x.rs FooSpec.scala spec/a.md
      a.cy.ts`,
    docs: `README.md docs/conf.py doc/x.txt LICENSE guide.rst notes.adoc`,
    configuration:
      'package.json .github/workflows/ci.yml Cargo.toml pom.xml Makefile Dockerfile .gitignore .editorconfig go.mod requirements.txt',
    example: 'examples/a.ts lib/samples/x.py demo/index.html',
    generated: 'api.pb.go x_pb2.py zz_generated.deepcopy.go a.g.dart src/generated/a.ts dist/index.js Form.Designer.cs',
    vendored: 'vendor/x/a.go third_party/a.c a/node_modules/b.js deps/lua/src/lua.c Pods/x.m',
  };
  for (const [kind, list] of Object.entries(expected)) {
    for (const path of list.trim().split(/\s+/)) assert.equal(fileClassOf(path), kind, path);
  }
});
