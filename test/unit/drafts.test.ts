import assert from 'node:assert/strict';
import { extname } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import type { NameIndex } from '../../src/engine/lexical/nameIndex';
import { queryTerms } from '../../src/engine/lexical/queryTerms';
import { Vocabulary } from '../../src/engine/lexical/vocabulary';
import { Corpus } from '../../src/engine/search/corpus';
import { DraftReader } from '../../src/engine/search/drafts';
import type { Draft } from '../../src/engine/types';
import { contentRow } from '../support/contentRow';

const SAVED = {
  'src/upload.ts': 'export function retryUpload() {\n  return backoff();\n}\n',
  'src/uploadCopy.ts': 'export function retryUpload() {\n  return backoff();\n}\n',
  'src/header.ts': 'class HeaderParser {\n  parse(line) {}\n}\n',
};
const WORDS = ['retry', 'upload', 'backoff', 'header', 'class Fresh {}', 'function brandNew() {}', 'novel', '\n'];

function corpusOf(files: Readonly<Record<string, string>>): { corpus: Corpus; vocabulary: Vocabulary } {
  const vocabulary = new Vocabulary();
  const corpus = new Corpus(vocabulary);
  for (const [path, text] of Object.entries(files)) {
    // Definitions depend on the extension, and one content has one row.
    const hash = `${extname(path)} ${text}`;
    corpus.put(path, text.length, hash, contentRow(path, text, vocabulary));
  }
  return { corpus, vocabulary };
}

const draftOf = (path: string, text: string, isNew = false): Draft => ({ id: `id ${path}`, path, text, isNew });

/** What can be seen of the words and names of a corpus, by path. */
function seen(corpus: Corpus, vocabulary: Vocabulary): object {
  const terms = queryTerms('retry upload header class fresh brand new novel backoff src', vocabulary);
  const { docs, scores } = corpus.body.score(terms, { k1: 1.2, b: 0.75 });
  const { pairs, windows } = corpus.closeLook(docs, terms);
  const numbers = (at: number): (string | undefined)[] => [scores[at], pairs[at], windows[at]].map(n => n?.toFixed(9));
  const body = [...docs].map((doc, at) => [corpus.document(doc)?.path, ...numbers(at)]).sort();
  const named = (index: NameIndex): (readonly (string | undefined)[])[] => {
    const found = index.search(terms.distinct);
    return [...found.docs].map((doc, at) => [corpus.document(doc)?.path, found.scores[at]?.toFixed(9)]).sort();
  };
  return {
    body,
    size: corpus.size,
    paths: [...corpus.documents()].map(({ path }) => path),
    base: named(corpus.baseNames),
    definition: named(corpus.definitions),
    definers: ['retryUpload', 'fresh', 'brandNew', 'headerParser'].map(name =>
      [...corpus.definersOf(name)].map(doc => corpus.document(doc)?.path).sort(),
    ),
  };
}

test('inside, words and names are as if the drafts had been saved; afterwards nothing is left of them', () => {
  const text = fc.array(fc.constantFrom(...WORDS), { maxLength: 12 }).map(words => words.join(' '));
  const drafts = fc.record({ 'src/upload.ts': text, 'src/header.ts': text, 'Untitled-1': text }, { requiredKeys: [] });
  fc.assert(
    fc.property(drafts, changed => {
      const { corpus, vocabulary } = corpusOf(SAVED);
      const before = seen(corpus, vocabulary);
      const size = vocabulary.size;
      const of = Object.entries(changed).map(([path, content]) => draftOf(path, content, path.startsWith('Untitled')));
      const read = new DraftReader().read(of, vocabulary);
      const inside = corpus.withDrafts(read, () => seen(corpus, read.vocabulary));
      const saved = corpusOf({ ...SAVED, ...changed });
      assert.deepEqual(inside, seen(saved.corpus, saved.vocabulary));
      assert.deepEqual(seen(corpus, vocabulary), before);
      assert.equal(vocabulary.size, size, 'the stored vocabulary learns nothing');
    }),
    { seed: 8, numRuns: 200 },
  );
});

test('a draft keeps the identity of the saved file, by which its vectors are known', () => {
  const { corpus, vocabulary } = corpusOf(SAVED);
  const read = new DraftReader().read([draftOf('src/upload.ts', 'novel')], vocabulary);
  const saved = corpus.at('src/upload.ts');
  corpus.withDrafts(read, () => {
    const document = corpus.at('src/upload.ts');
    assert.deepEqual([document?.doc, document?.hash], [saved?.doc, saved?.hash]);
    assert.ok(document);
    assert.equal(corpus.rowOf(document)?.lineCount, 1);
  });
  assert.equal(corpus.at('src/upload.ts'), saved);
});

test('what the index leaves out is not searched because it is open', () => {
  const { corpus, vocabulary } = corpusOf(SAVED);
  const before = seen(corpus, vocabulary);
  const read = new DraftReader().read([draftOf('.env', 'retry upload')], vocabulary);
  corpus.withDrafts(read, () => assert.deepEqual(seen(corpus, read.vocabulary), before));
});

test('an unsaved text called as a file of the folder is another one', () => {
  const { corpus, vocabulary } = corpusOf({ ...SAVED, notes: 'retry' });
  const read = new DraftReader().read([draftOf('notes', 'novel', true)], vocabulary);
  corpus.withDrafts(read, () => {
    assert.deepEqual([...corpus.documents()].map(({ path }) => path).filter(path => path === 'notes').length, 2);
  });
  assert.equal(corpus.size, 4);
});

test('the corpus is put right also when the question fails', () => {
  const { corpus, vocabulary } = corpusOf(SAVED);
  const before = seen(corpus, vocabulary);
  const read = new DraftReader().read([draftOf('src/upload.ts', 'x'), draftOf('new', 'y', true)], vocabulary);
  const failing = (): never => {
    throw new Error('no');
  };
  assert.throws(() => corpus.withDrafts(read, failing), /no/);
  assert.deepEqual(seen(corpus, vocabulary), before);
});

test('unchanged drafts are read once, and again when the vocabulary has grown', () => {
  const { vocabulary } = corpusOf(SAVED);
  const reader = new DraftReader();
  const first = reader.read([draftOf('a', 'novel words')], vocabulary);
  assert.equal(reader.read([draftOf('a', 'novel words')], vocabulary), first);
  assert.notEqual(reader.read([draftOf('a', 'novel text')], vocabulary), first);
  const number = first.vocabulary.idOf('novel');
  assert.equal(number, vocabulary.size);
  vocabulary.add('stored');
  const again = reader.read([draftOf('a', 'novel words')], vocabulary);
  assert.notEqual(again, first);
  assert.equal(again.vocabulary.idOf('novel'), vocabulary.size);
  assert.equal(again.vocabulary.idOf('stored'), number);
  assert.deepEqual(
    ['stored', 'novel'].map(term => again.vocabulary.termOf(again.vocabulary.idOf(term) ?? -1)),
    ['stored', 'novel'],
  );
});
