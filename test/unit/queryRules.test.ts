import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FileClass } from '../../src/engine/files/fileClass';
import { tokenize } from '../../src/engine/lexical/identifiers';
import { Vocabulary } from '../../src/engine/lexical/vocabulary';
import { Corpus } from '../../src/engine/search/corpus';
import { demotionFor } from '../../src/engine/search/demotion';
import { exactNameBonus } from '../../src/engine/search/exactName';
import { scopeFilter } from '../../src/engine/search/scope';
import { contentRow } from '../support/contentRow';

const PATHS = [
  'src/a.ts',
  'src-old/b.ts',
  'src/deep/c.py',
  'a_b/x.ts',
  'axb/x.ts',
  '100%/y.ts',
  'app/[id]/page.tsx',
  'app/i/page.tsx',
];
const inScope = (scope: string): string[] => PATHS.filter(scopeFilter(scope, PATHS));

test('a folder as scope is that folder and no other whose name starts like it', () => {
  assert.deepEqual(inScope('src'), ['src/a.ts', 'src/deep/c.py']);
  assert.deepEqual(inScope('./src/'), ['src/a.ts', 'src/deep/c.py']);
  assert.deepEqual(inScope('a_b'), ['a_b/x.ts']);
  assert.deepEqual(inScope('100%'), ['100%/y.ts']);
  assert.deepEqual(inScope('app/[id]'), ['app/[id]/page.tsx']);
  assert.deepEqual(inScope('src/a.ts'), ['src/a.ts']);
});

test('a glob as scope has the meaning it has in an ignore file', () => {
  assert.deepEqual(inScope('*.py'), ['src/deep/c.py']);
  assert.deepEqual(inScope('/src/*.ts'), ['src/a.ts']);
  assert.deepEqual(inScope('**/x.ts'), ['a_b/x.ts', 'axb/x.ts']);
  assert.deepEqual(inScope('nowhere'), []);
  assert.deepEqual(inScope('.'), PATHS);
});

test('tests and documents are demoted unless the query asks for them', () => {
  const usual = demotionFor('retry upload', ['retry', 'upload']);
  assert.equal(usual('source'), 1);
  assert.ok(usual('test') < 1 && usual('docs') < 1 && usual('vendored') < 1);
  const asked = demotionFor('where is upload tested', ['upload', 'test']);
  assert.equal(asked('test'), 1);
  assert.equal(asked('source'), 1);
  assert.ok(asked('docs') < 1);
});

test('code is demoted where a query begins by asking for another kind of file', () => {
  const factor = (query: string, fileClass: FileClass): number => demotionFor(query, tokenize(query))(fileClass);
  assert.ok(factor('unit tests for the upload', 'source') < factor('unit tests for the upload', 'test'));
  assert.ok(factor('documentation of uploads', 'source') < factor('documentation of uploads', 'docs'));
  assert.ok(factor('an example of an upload', 'source') < factor('an example of an upload', 'example'));
  assert.equal(factor('test whether the upload failed', 'source'), 1);
  assert.equal(factor('guide the user to the upload', 'source'), 1);
});

function definers() {
  const vocabulary = new Vocabulary();
  const corpus = new Corpus(vocabulary);
  const files = {
    'use.ts': 'import { ContextFrame } from "./frame";\nnew ContextFrame();\n',
    'frame.ts': 'export class ContextFrame {\n}\n',
    'make.ts': 'export function contextFrame() {\n  return 1;\n}\n',
  };
  for (const [path, text] of Object.entries(files)) corpus.put(path, 1, path, contentRow(path, text, vocabulary));
  return corpus;
}

const bonuses = (query: string, allowed?: Uint8Array): Record<string, number> => {
  const corpus = definers();
  const sum = new Float64Array(corpus.docLimit);
  exactNameBonus(query, corpus, allowed, sum);
  return Object.fromEntries([...corpus.documents()].map(({ path, doc }) => [path, sum[doc] ?? 0]));
};

test('the file that defines the name which is asked for is lifted, the one that writes it the same way most', () => {
  const lifted = bonuses('ContextFrame');
  assert.ok((lifted['frame.ts'] ?? 0) > (lifted['make.ts'] ?? 0));
  assert.ok((lifted['make.ts'] ?? 0) > 0);
  assert.equal(lifted['use.ts'], 0);
  const other = bonuses('contextFrame()');
  assert.ok((other['make.ts'] ?? 0) > (other['frame.ts'] ?? 0));
});

test('a sentence lifts nothing, and neither does a name out of scope', () => {
  assert.deepEqual(Object.values(bonuses('where is ContextFrame')), [0, 0, 0]);
  assert.deepEqual(Object.values(bonuses('ContextFrame', new Uint8Array(3))), [0, 0, 0]);
});
