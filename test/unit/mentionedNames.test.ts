import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Vocabulary } from '../../src/engine/lexical/vocabulary';
import { mentionBonus, mentionedNames } from '../../src/engine/search/mentionedNames';
import { corpusOf } from '../support/corpus';

const named = (query: string): string[] =>
  mentionedNames(query).map(({ name, qualifier }) => (qualifier === undefined ? name : `${qualifier} ${name}`));

test('names of code are told from words, however they are written', () => {
  assert.deepEqual(named('why does Arr::forget() keep keys'), ['Arr forget']);
  assert.deepEqual(named('Fix Gson#getAdapter and app->run for parse_line'), [
    'Gson getAdapter',
    'app run',
    'parse_line',
  ]);
  assert.deepEqual(named('std::io::Error in takeHeaders and _load_objects()'), [
    'io Error',
    'takeHeaders',
    '_load_objects',
  ]);
  assert.deepEqual(named('hugo.Sites.Default or HTTPServer'), ['Sites Default', 'HTTPServer']);
  assert.deepEqual(named('Where is the Set kept, e.g. when it ends. Then close it'), []);
  assert.deepEqual(named('read config.yaml and src/parse_all.ts in well-known places'), []);
});

function bonuses(query: string, allowed?: readonly number[]): Record<string, number> {
  const vocabulary = new Vocabulary();
  const files = {
    'arr.ts': 'export class Arr {\n  static forget() {}\n}\n',
    'helpers.ts': 'export function forget() {\n  Arr.forget();\n}\nfunction takeAll() {\n}\n',
    'copy.ts': 'function takeAll() {\n}\n',
    'uses.ts': 'loadAllObjects();\n',
  };
  const corpus = corpusOf(files, vocabulary);
  const sum = new Float64Array(corpus.docLimit);
  mentionBonus(query, corpus, vocabulary, allowed === undefined ? undefined : Uint8Array.from(allowed), sum);
  return Object.fromEntries([...corpus.documents()].flatMap(({ path, doc }) => (sum[doc] ? [[path, sum[doc]]] : [])));
}

test('the one file that defines what a name is qualified with, and holds the name, is lifted', () => {
  assert.deepEqual(Object.keys(bonuses('keys stay after Arr::forget()')), ['arr.ts']);
});

test('the one file that holds a whole name is lifted; what two files define lifts neither', () => {
  assert.deepEqual(Object.keys(bonuses('what does loadAllObjects return')), ['uses.ts']);
  assert.deepEqual(bonuses('what does takeAll return'), {});
  assert.deepEqual(bonuses('what does loadAllObjects return', [0, 0, 0, 0]), {}, 'out of scope');
});

test('a name that runs into a text without spaces, or into an odd digit, is looked up and lifts nothing', () => {
  assert.deepEqual(bonuses('loadAllObjects函数在哪里'), {});
  assert.deepEqual(bonuses('loadAllObjectsอยู่ที่ไหน takeAll½()'), {});
});
