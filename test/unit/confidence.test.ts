import assert from 'node:assert/strict';
import { test } from 'node:test';
import { queryTerms } from '../../src/engine/lexical/queryTerms';
import { Vocabulary } from '../../src/engine/lexical/vocabulary';
import { confidence, type ConfidenceFeatures, confidenceFeatures } from '../../src/engine/search/confidence';
import { Corpus } from '../../src/engine/search/corpus';
import { contentRow } from '../support/contentRow';

const NOTHING: ConfidenceFeatures = { gap2: 0, gap5: 0, agree: 0, coverage: 0, known: 0, landmark: 0 };

test('a ranking with nothing for it is doubted, one that everything speaks for is trusted', () => {
  assert.ok(confidence(NOTHING) < 0.05);
  assert.ok(confidence({ gap2: 0.3, gap5: 0.5, agree: 0.8, coverage: 0.9, known: 1, landmark: 0.6 }) > 0.9);
});

test('the features of a ranking, computed by hand', () => {
  const vocabulary = new Vocabulary();
  const corpus = new Corpus(vocabulary);
  corpus.put('a.ts', 1, 'a', contentRow('a.ts', 'retry upload', vocabulary));
  corpus.put('b.ts', 1, 'b', contentRow('b.ts', 'retry', vocabulary));
  const parts = new Map([
    ['body', Float64Array.of(1, 0.5)],
    ['base', Float64Array.of(0, 1)],
    ['phrase', Float64Array.of(0, 0)],
  ] as const);
  const terms = queryTerms('retry upload nowhere', vocabulary);
  const first = corpus.at('a.ts');
  assert.ok(first);
  const features = confidenceFeatures([2, 1.5, 1, 1, 0.5], first, parts, terms, corpus, [0.2, 0.7, NaN]);
  const [retry, upload, nowhere] = [Math.log(1 + 0.5 / 2.5), Math.log(1 + 1.5 / 1.5), Math.log(1 + 2.5 / 0.5)];
  assert.equal(features.gap2, 0.25);
  assert.equal(features.gap5, 0.75);
  assert.equal(features.agree, 1 / 3);
  assert.equal(features.known, 2 / 3);
  assert.equal(features.landmark, 0.7);
  for (const [landmarks, expected] of [
    [undefined, 0.5],
    [[], 0.5],
    [[NaN, NaN], 0.5],
    [[-0.2, -0.1, NaN], -0.1],
  ] as const) {
    assert.equal(confidenceFeatures([2], first, parts, terms, corpus, landmarks).landmark, expected);
  }
  assert.ok(Math.abs(features.coverage - (retry + upload) / (retry + upload + nowhere)) < 1e-9);
});
