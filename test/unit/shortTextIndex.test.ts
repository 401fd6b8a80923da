import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { tokenize } from '../../src/engine/lexical/identifiers';
import { ShortTextIndex } from '../../src/engine/lexical/shortTextIndex';
import { slowBm25 } from '../support/slowBm25';

const PARAMETERS = { k1: 1.2, b: 0.3 };

function slowScores(texts: ReadonlyMap<number, string>, tokens: readonly string[]): Map<number, number> {
  return slowBm25(new Map([...texts].map(([id, text]) => [id, tokenize(text)])), tokens, PARAMETERS);
}

function assertSame(actual: ReadonlyMap<number, number>, expected: ReadonlyMap<number, number>): void {
  assert.deepEqual([...actual.keys()].sort(), [...expected.keys()].sort());
  for (const [id, score] of expected)
    assert.ok(Math.abs((actual.get(id) ?? NaN) - score) < 1e-9, `${id}: ${actual.get(id)}, not ${score}`);
}

test('scores are plain BM25, also after texts were replaced and removed', () => {
  const text = fc.array(fc.constantFrom('readFile', 'file', 'walker', 'index', 'tests', 'constructor', '__proto__'), {
    maxLength: 5,
  });
  const change = fc.tuple(
    fc.integer({ min: 0, max: 6 }),
    fc.option(
      text.map(words => words.join(' ')),
      { nil: undefined },
    ),
  );
  fc.assert(
    fc.property(fc.array(change, { maxLength: 25 }), text, (changes, words) => {
      const index = new ShortTextIndex(PARAMETERS);
      const texts = new Map<number, string>();
      for (const [id, value] of changes) {
        if (value === undefined) {
          index.remove(id);
          texts.delete(id);
        } else {
          index.add(id, value);
          texts.set(id, value);
        }
      }
      const tokens = tokenize(words.join(' '));
      assert.equal(index.size, texts.size);
      assertSame(index.search(tokens), slowScores(texts, tokens));
    }),
    { seed: 9, numRuns: 400 },
  );
});

test('only whole terms match, of any script', () => {
  const index = new ShortTextIndex(PARAMETERS);
  index.add(1, 'fileWalker');
  index.add(2, '检索代码');
  assert.deepEqual([...index.search(['walk']).keys()], []);
  assert.deepEqual([...index.search(['walker']).keys()], [1]);
  assert.deepEqual([...index.search(tokenize('代码')).keys()], [2]);
  assert.deepEqual([...index.search([]).keys()], []);
});
