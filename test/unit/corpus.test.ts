import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { NameIndex } from '../../src/engine/lexical/nameIndex';
import { queryTerms } from '../../src/engine/lexical/queryTerms';
import { Vocabulary } from '../../src/engine/lexical/vocabulary';
import { Corpus } from '../../src/engine/search/corpus';
import { contentRow } from '../support/contentRow';

const TEXTS: Readonly<Record<string, string>> = {
  upload: 'export function retryUpload() {\n  return backoff();\n}\n',
  parse: 'class HeaderParser {\n  parse(line) {}\n}\n',
  empty: 'const x = 1;\n',
};

function fill(files: ReadonlyMap<string, string>) {
  const vocabulary = new Vocabulary();
  const corpus = new Corpus(vocabulary);
  for (const [path, name] of files) corpus.put(path, 10, name, contentRow(path, TEXTS[name] ?? '', vocabulary));
  return { corpus, vocabulary };
}

/** What can be seen of a corpus from outside, by path. */
function answers(corpus: Corpus, vocabulary: Vocabulary) {
  const terms = queryTerms('retry upload header parser backoff src', vocabulary);
  const { docs, scores } = corpus.body.score(terms, { k1: 1.2, b: 0.75 });
  const body = [...docs].map((doc, at) => [corpus.document(doc)?.path, scores[at]?.toFixed(9)]);
  const named = (index: NameIndex) => {
    const found = index.search(terms.distinct);
    return [...found.docs].map((doc, at) => [corpus.document(doc)?.path, found.scores[at]?.toFixed(9)]).sort();
  };
  return {
    body: body.sort(),
    base: named(corpus.baseNames),
    folder: named(corpus.folders),
    definition: named(corpus.definitions),
    definers: [...corpus.definersOf('RETRYUPLOAD')].map(doc => corpus.document(doc)?.path).sort(),
  };
}

test('the words of path and content, the names and the definitions can all be found', () => {
  const { corpus, vocabulary } = fill(
    new Map([
      ['src/net/uploader.ts', 'upload'],
      ['src/http/headerParser.ts', 'parse'],
    ]),
  );
  const found = answers(corpus, vocabulary);
  assert.deepEqual(
    found.definition.map(([path]) => path),
    ['src/http/headerParser.ts', 'src/net/uploader.ts'],
  );
  assert.deepEqual(found.definers, ['src/net/uploader.ts']);
  assert.deepEqual(
    found.base.map(([path]) => path),
    ['src/http/headerParser.ts'],
  );
});

test('a file whose name of a definition was cut off can be taken out when others have brought that word', () => {
  const { corpus, vocabulary } = fill(new Map());
  const field = `private static final HashMap<${'String, '.repeat(34)}Integer> headerParserConfiguration = null;`;
  const cut = contentRow('a.java', `class A {\n  ${field}\n}\n`, vocabulary);
  const name = cut.definitions[1]?.name ?? '';
  assert.match(name, /^header(?!ParserConfiguration)/);
  corpus.put('a.java', 10, 'cut', cut);
  assert.deepEqual([...corpus.definersOf(name)], [corpus.at('a.java')?.doc]);
  corpus.put('b.java', 10, 'words', contentRow('b.java', `// ${name}`, vocabulary));
  corpus.remove('a.java');
  assert.equal(corpus.size, 1);
  assert.deepEqual([...corpus.definersOf(name)], []);
});

test('copies share one content, and it stays until the last of them is gone', () => {
  const { corpus } = fill(
    new Map([
      ['a.ts', 'upload'],
      ['b.ts', 'upload'],
    ]),
  );
  assert.equal(corpus.docsOf('upload').length, 2);
  corpus.remove('a.ts');
  assert.notEqual(corpus.content('upload'), undefined);
  corpus.remove('b.ts');
  assert.equal(corpus.content('upload'), undefined);
  assert.equal(corpus.size, 0);
});

test('after any changes the answers equal those of a fresh corpus', () => {
  const paths = ['src/a.ts', 'src/upload.ts', 'lib/header.ts', 'b.ts'];
  const step = fc.record({
    path: fc.constantFrom(...paths),
    name: fc.constantFrom(...Object.keys(TEXTS), undefined),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), steps => {
      const files = new Map<string, string>();
      const { corpus, vocabulary } = fill(files);
      for (const { path, name } of steps) {
        if (name === undefined) {
          corpus.remove(path);
          files.delete(path);
        } else {
          corpus.put(path, 10, name, contentRow(path, TEXTS[name] ?? '', vocabulary));
          files.set(path, name);
        }
      }
      const fresh = fill(files);
      assert.deepEqual(answers(corpus, vocabulary), answers(fresh.corpus, fresh.vocabulary));
      assert.equal(corpus.size, files.size);
    }),
    { seed: 7, numRuns: 100 },
  );
});
