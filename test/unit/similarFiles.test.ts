import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Vocabulary } from '../../src/engine/lexical/vocabulary';
import { sharedFolders, SimilarFiles } from '../../src/engine/search/similarFiles';
import { VectorTable } from '../../src/engine/search/vectorTable';
import { corpusOf } from '../support/corpus';

test('folders count from the top, as a share of the deeper path', () => {
  assert.equal(sharedFolders('a/b/x.ts', 'a/b/y.ts'), 1);
  assert.equal(sharedFolders('a/b/x.ts', 'a/c/y.ts'), 0.5);
  assert.equal(sharedFolders('a/b/x.ts', 'a/b/c/d/y.ts'), 0.5);
  assert.equal(sharedFolders('a/b/x.ts', 'b/a/y.ts'), 0);
  assert.equal(sharedFolders('x.ts', 'y.ts'), 0);
});

test('shared rare words come first, the nearer folder decides between equals, a copy is before all', () => {
  const vocabulary = new Vocabulary();
  const files = {
    'src/net/retry.ts': 'const backoff = jitter + attempts;\n',
    'lib/other.ts': 'const backoff = jitter + attempts; // also\n',
    'src/net/near.ts': 'const backoff = jitter + attempts; // also\n// near\n',
    'src/net/little.ts': 'const jitter = 1;\nconst nothing = 2;\n',
    'far/copy.ts': 'const backoff = jitter + attempts;\n',
    'src/net/none.ts': 'export {};\n',
  };
  const corpus = corpusOf(files, vocabulary);
  const document = corpus.at('src/net/retry.ts');
  assert.ok(document !== undefined);
  const row = corpus.content(document.hash);
  assert.ok(row !== undefined);
  const ranked = new SimilarFiles(corpus, new VectorTable(4)).rank(document, row);
  assert.deepEqual(
    ranked.map(({ doc }) => corpus.document(doc)?.path),
    ['far/copy.ts', 'src/net/near.ts', 'lib/other.ts', 'src/net/little.ts', 'src/net/none.ts'],
  );
  assert.equal(ranked[0]?.score, 1);
});
