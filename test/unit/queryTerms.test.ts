import assert from 'node:assert/strict';
import { test } from 'node:test';
import { queryTerms, UNKNOWN_TERM } from '../../src/engine/lexical/queryTerms';
import { Vocabulary } from '../../src/engine/lexical/vocabulary';
import { shorterForms } from '../../src/engine/lexical/wordForms';

test('words are taken back to what they may come from', () => {
  assert.ok(shorterForms('waiting').includes('wait'));
  assert.ok(shorterForms('stored').includes('store'));
  assert.ok(shorterForms('stopped').includes('stop'));
  assert.ok(shorterForms('retried').includes('retry'));
  assert.ok(shorterForms('validation').includes('validate'));
  assert.deepEqual(shorterForms('string'), []);
  assert.deepEqual(shorterForms('bed'), []);
  assert.deepEqual(shorterForms('cache'), []);
});

test('a query has its own terms in order, and the shorter forms that occur besides', () => {
  const vocabulary = new Vocabulary(['wait', 'request', 'two', 'upload']);
  const terms = queryTerms('waiting between two requests, two uploads', vocabulary);
  assert.deepEqual(terms.tokens, ['waiting', 'between', 'two', 'request', 'two', 'upload']);
  assert.deepEqual(terms.sequence, [UNKNOWN_TERM, UNKNOWN_TERM, 2, 1, 2, 3]);
  assert.deepEqual(terms.distinct, [2, 1, 3, 0]);
  assert.equal(vocabulary.size, 4, 'reading a query adds no terms');
});

test('a pasted text is cut', () => {
  const vocabulary = new Vocabulary();
  assert.equal(queryTerms('word '.repeat(1000), vocabulary).tokens.length, 200);
});
