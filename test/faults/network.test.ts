import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import ts from 'typescript';
import { buildPrograms } from '../support/landmark';

/** Modules of Node that reach the network, or open a door to the process. */
const NETWORK = new Set('http https http2 tls dgram dns net inspector cluster quic undici ws'.split(' '));
/** What every program has at hand without an import. */
const NETWORK_GLOBALS = new Set('fetch WebSocket XMLHttpRequest EventSource RTCPeerConnection'.split(' '));

/** Packages that ship as they are, beside the programs. */
const SHIPPED = ['lmdb/dist/index.cjs', 'msgpackr/dist/node.cjs', 'onnxruntime-node/dist', 'onnxruntime-common/dist/cjs', 'hnswlib-node/lib', 'bindings', 'file-uri-to-path', 'ordered-binary/dist/index.cjs', 'weak-lru-cache/dist/index.cjs', 'node-gyp-build-optional-packages', 'detect-libc/lib']; // prettier-ignore

/** Addresses that stand in code (not in comments), and why none of them is ever asked. */
const ALLOWED: readonly (readonly [where: RegExp, why: string])[] = [
  [/^https?:\/\/json-schema\.org\//, 'names of versions of JSON Schema, compared as text'],
  [/^https:\/\/raw\.githubusercontent\.com\/ajv-validator\/ajv\/master\/lib\/refs\/data\.json#$/, 'name of a schema that is part of the bundle'],
  [/^http:\/\/$/, 'beginning of the texts that an address in a schema may have'],
  [/^http:\/\/\[/, 'a text that is parsed to tell whether it is an address'],
]; // prettier-ignore

interface Finding {
  readonly modules: readonly string[];
  readonly globals: readonly string[];
  readonly addresses: readonly string[];
}

function lookInto(name: string, text: string): Finding {
  const modules: string[] = [];
  const globals: string[] = [];
  const addresses: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isStringLiteralLike(node) || ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node)) {
      addresses.push(...(node.text.match(/\b(?:https?|wss?|ftp):\/\/\S*/g) ?? []));
      if (ts.isCallExpression(node.parent) && /^(require|import|getBuiltinModule)$/.test(lastName(node.parent.expression))) modules.push(node.text);
      if (ts.isImportDeclaration(node.parent) || ts.isExportDeclaration(node.parent)) modules.push(node.text);
    }
    if (ts.isIdentifier(node) && NETWORK_GLOBALS.has(node.text) && isGlobal(node)) globals.push(node.text);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(name, text, ts.ScriptTarget.Latest, true, ts.ScriptKind.JS));
  return { modules, globals, addresses };
} // prettier-ignore

const lastName = (node: ts.Node): string =>
  ts.isPropertyAccessExpression(node)
    ? node.name.text
    : node.kind === ts.SyntaxKind.ImportKeyword
      ? 'import'
      : node.getText();

/** Not a method, property or declaration of that name, unless it is one of the global object's. */
function isGlobal(node: ts.Identifier): boolean {
  const { parent } = node;
  if (ts.isPropertyAccessExpression(parent) && parent.name === node) return /^(globalThis|global|window|self)$/.test(parent.expression.getText());
  return !(ts.isMethodDeclaration(parent) || ts.isPropertyAssignment(parent) || ts.isPropertyDeclaration(parent)) || parent.name !== node;
} // prettier-ignore

function programs(): string[] {
  return readdirSync('dist').filter(name => name.endsWith('.js')).map(name => join('dist', name));
} // prettier-ignore

function packages(): string[] {
  return SHIPPED.flatMap(path => {
    const full = join('node_modules', path);
    if (/\.c?js$/.test(path)) return [full];
    return readdirSync(full, { recursive: true, encoding: 'utf8' }).filter(name => /\.c?js$/.test(name) && !/(^|[\\/])(script|bin|build-test|optional)|\.test\./.test(name)).map(name => join(full, name));
  });
} // prettier-ignore

test('no shipped program can open a connection, and every address in it stands on the list', () => {
  buildPrograms();
  const files = [...programs(), ...packages()];
  assert.ok(files.length > 20, `only ${files.length} files`);
  const faults: string[] = [];
  const named = new Set<string>();
  for (const file of files) {
    const { modules, globals, addresses } = lookInto(file, readFileSync(file, 'utf8'));
    for (const name of modules) {
      const [first = ''] = name.replace(/^node:/, '').split('/');
      if (NETWORK.has(first)) faults.push(`${file} imports ${name}`);
    }
    for (const name of globals) faults.push(`${file} uses ${name}`);
    for (const address of addresses)
      if (!ALLOWED.some(([where]) => where.test(address))) faults.push(`${file} names ${address}`);
    for (const address of addresses) named.add(address);
  }
  for (const [where] of ALLOWED)
    if (![...named].some(address => where.test(address))) faults.push(`nothing names ${String(where)} any more`);
  assert.deepEqual(faults, []);
});

test('the search for connections finds what it looks for', () => {
  const text = "const a = require('node:https'); import('net'); process.getBuiltinModule('dns/promises'); fetch(x); globalThis.fetch; map.fetch(y); new WebSocket(`wss://a.example/${b}`);";
  const { modules, globals, addresses } = lookInto('a.js', text);
  assert.deepEqual(modules, ['node:https', 'net', 'dns/promises']);
  assert.deepEqual(globals, ['fetch', 'fetch', 'WebSocket']);
  assert.deepEqual(addresses, ['wss://a.example/']);
}); // prettier-ignore
