import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import table from '../src/build/layers.json';
import type { SourceFile } from './support/layerCheck';
import { layerBreaches } from './support/layerCheck';

/** Longer modules want to be cut; most have less than 300 lines. */
const MOST_LINES = 400;
const CAMEL_CASE = /^[a-z][A-Za-z0-9]*(\.[a-z][A-Za-z0-9]*)*$/;

const filesBelow = (folder: string, kinds: RegExp): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map(name => join(folder, name).replaceAll('\\', '/'))
    .filter(path => kinds.test(path));
const read = (path: string): SourceFile => ({ path, text: readFileSync(path, 'utf8') });

const breaches = (path: string, text: string): string[] => layerBreaches([{ path, text }], table);

test('every import of the program stays within its layer', () => {
  const sources = filesBelow('src', /\.ts$/).map(read);
  assert.ok(sources.length > 0);
  assert.deepEqual(layerBreaches(sources, table), []);
});

test('every file of the program belongs to a layer', () => {
  const lost = filesBelow('src', /\.[a-z]+$/).flatMap(path => breaches(path, ''));
  assert.deepEqual(lost, []);
  assert.deepEqual(breaches('src/helpers/misc.ts', ''), ['src/helpers/misc.ts belongs to no layer.']);
});

test('modules are short and file names are camelCase', () => {
  const sources = filesBelow('src', /\.(ts|mjs)$/);
  const long = sources.map(read).filter(({ text }) => text.trimEnd().split('\n').length > MOST_LINES);
  assert.deepEqual(
    long.map(({ path }) => path),
    [],
  );
  const named = [...sources, ...filesBelow('test', /\.(ts|mjs)$/)].map(path => path.split('/').at(-1) ?? '');
  assert.deepEqual(
    named.filter(name => !CAMEL_CASE.test(name) || name.startsWith('index.')),
    [],
  );
});

test('the owner of a package lies in a layer that may use it', () => {
  for (const [name, path] of Object.entries(table.owners)) {
    assert.deepEqual(breaches(path, `import x from '${name}';`), []);
  }
});

test('the table names only layers that exist', () => {
  const names = new Set(table.layers.map(layer => layer.name));
  const named = table.layers.flatMap(layer => [...layer.mayImport, ...layer.mayImportTypes]);
  assert.deepEqual(
    named.filter(name => !names.has(name)),
    [],
  );
});

const FORBIDDEN: readonly (readonly [path: string, source: string, says: RegExp])[] = [
  ['src/engine/a.ts', "import * as vscode from 'vscode';", /engine may not use the package vscode/],
  ['src/engine/a.ts', "import type { Uri } from 'vscode';", /package vscode/],
  ['src/engine/a.ts', "let uri: import('vscode').Uri;", /package vscode/],
  ['src/engine/a.ts', "const vscode = require('vscode');", /package vscode/],
  ['src/engine/a.ts', "import vscode = require('vscode');", /package vscode/],
  ['src/engine/a.ts', "export { Uri } from 'vscode';", /package vscode/],
  ['src/engine/a.ts', "require.resolve('vscode');", /package vscode/],
  ['src/engine/a.ts', "import 'left-pad/lib';", /package left-pad\./],
  ['src/engine/a.ts', "import '../host/protocol';", /engine may not import host client/],
  ['src/engine/a.ts', "import type { Message } from '../host/protocol';", /engine may not import host client/],
  ['src/engine/a.ts', "import '../../test/support/run';", /belongs to no layer/],
  ['src/engine/a.ts', "import manifest from '../../package.json';", /engine may not import manifest/],
  ['src/engine/a.ts', "import { readFile } from 'fs';", /should be written node:fs/],
  ['src/engine/a.ts', 'await import(name);', /computed name/],
  ['src/engine/model/windows.ts', "import { open } from 'lmdb';", /only src\/engine\/store\/indexStore\.ts/],
  ['src/engine/model/windows.ts', "import type { Database } from 'lmdb';", /only src\/engine\/store\/indexStore\.ts/],
  ['src/util/a.ts', "import { readFile } from 'node:fs/promises';", /util may not use built-in modules/],
  ['src/util/a.ts', "import type { Place } from '../engine/types';", /util may not import engine/],
  ['src/host/engineClient.ts', "import { ARM_NAMES } from '../engine/types';", /only types of engine/],
  ['src/host/engineClient.ts', "import { type Place } from '../engine/types';", /only types of engine/],
  ['src/host/engineClient.ts', "export * from '../engine/types';", /only types of engine/],
  ['src/host/engineClient.ts', "await import('../engine/types');", /only types of engine/],
  ['src/host/engineClient.ts', "import './searchMain';", /may not import search process/],
  ['src/host/watchdog.ts', "import '../engine/search/searcher';", /only types of engine/],
  ['src/host/searchMain.ts', "import '../cli/main';", /may not import command line/],
  ['src/cli/main.ts', "import '../extension/ids';", /command line may not import extension/],
  ['src/cli/main.ts', "import '../host/embedderMain';", /command line may not import embedder process/],
  ['src/extension/extension.ts', "import { ARM_NAMES } from '../engine/types';", /only types of engine/],
  ['src/extension/extension.ts', "import '../host/watchdog';", /extension may not import host/],
  ['src/extension/extension.ts', "import 'lmdb';", /package lmdb/],
  ['src/extension/model/rows.ts', "import type { Uri } from 'vscode';", /view models may not use the package vscode/],
  ['src/extension/model/rows.ts', "import '../services';", /view models may not import extension/],
];

for (const [path, source, says] of FORBIDDEN) {
  test(`${path} may not say: ${source}`, () => {
    const found = breaches(path, source);
    assert.equal(found.length, 1);
    assert.match(found[0] ?? '', says);
  });
}

const ALLOWED: readonly (readonly [path: string, source: string])[] = [
  ['src/engine/store/indexStore.ts', "import { open } from 'lmdb'; import { join } from 'node:path';"],
  ['src/engine/search/fusion.ts', "import weights from './weights.json'; import type { Place } from '../types';"],
  ['src/host/searchMain.ts', "import { search } from '../engine/search/searcher'; import './protocol';"],
  ['src/host/protocol.ts', "import type { Place } from '../engine/types'; type A = import('../engine/types').ArmName;"],
  ['src/cli/version.ts', "import manifest from '../../package.json';"],
  ['src/cli/main.ts', "import '../engine/types'; import '../host/engineClient'; import '../util/errors';"],
  [
    'src/extension/services.ts',
    "import * as vscode from 'vscode'; import '../host/engineClient'; import './model/rows';",
  ],
];

for (const [path, source] of ALLOWED) {
  test(`${path} may say: ${source}`, () => assert.deepEqual(breaches(path, source), []));
}
