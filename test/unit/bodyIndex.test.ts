import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Bm25Parameters } from '../../src/engine/lexical/bm25Index';
import { BodyIndex } from '../../src/engine/lexical/bodyIndex';
import { LineTerms } from '../../src/engine/lexical/lineTerms';
import { Postings } from '../../src/engine/lexical/postings';
import type { QueryTerms } from '../../src/engine/lexical/queryTerms';

/** A document as lines of term numbers. */
interface Sample {
  readonly path: readonly number[];
  readonly lines: readonly (readonly number[])[];
}

const USUAL: Bm25Parameters = { k1: 1.2, b: 0.75 };

function contentOf(lines: Sample['lines']): LineTerms {
  let count = 0;
  return LineTerms.pack(
    Uint32Array.from(lines.flat()),
    Uint32Array.from(lines, line => (count += line.length)),
  );
}

function indexOf(samples: ReadonlyMap<number, Sample>): BodyIndex {
  const index = new BodyIndex();
  for (const [doc, { path, lines }] of samples) index.add(doc, Uint32Array.from(path), contentOf(lines));
  return index;
}

function asQuery(...sequence: number[]): QueryTerms {
  return { tokens: sequence.map(String), sequence, distinct: [...new Set(sequence)].filter(term => term >= 0) };
}

function scoresOf(index: BodyIndex, query: QueryTerms, parameters = USUAL): Map<number, number> {
  const { docs, scores } = index.score(query, parameters);
  return new Map([...docs].map((doc, at) => [doc, scores[at] ?? NaN] as const).sort(([a], [b]) => a - b));
}

function occurrences(terms: readonly number[], term: number): number {
  return terms.filter(other => other === term).length;
}

/** The formulas as they are written, from the texts. */
class Oracle {
  constructor(private readonly samples: ReadonlyMap<number, Sample>) {}

  idf(term: number): number {
    const having = [...this.samples.values()].filter(({ path, lines }) =>
      [...path, ...lines.flat()].includes(term),
    ).length;
    return Math.log(1 + (this.samples.size - having + 0.5) / (having + 0.5));
  }

  bm25(terms: readonly number[], average: number, query: QueryTerms, { k1, b }: Bm25Parameters): number {
    let sum = 0;
    for (const term of query.distinct) {
      const count = occurrences(terms, term);
      sum += (this.idf(term) * count * (k1 + 1)) / (count + k1 * (1 - b + (b * terms.length) / average));
    }
    return sum;
  }

  body(query: QueryTerms, parameters: Bm25Parameters): Map<number, number> {
    const texts = [...this.samples].map(([doc, { path, lines }]) => [doc, [...path, ...lines.flat()]] as const);
    const average = texts.reduce((sum, [, terms]) => sum + terms.length, 0) / texts.length;
    const scored = texts.map(([doc, terms]) => [doc, this.bm25(terms, average, query, parameters)] as const);
    return new Map(scored.filter(([, score]) => score > 0).sort(([a], [b]) => a - b));
  }

  private windowsOf({ lines }: Sample): number[][] {
    const windows = [lines.slice(0, 40).flat()];
    for (let start = 20; start < lines.length - 20; start += 20) windows.push(lines.slice(start, start + 40).flat());
    return windows;
  }

  window(doc: number, query: QueryTerms): number {
    const all = [...this.samples.values()].flatMap(sample => this.windowsOf(sample));
    const average = all.reduce((sum, window) => sum + window.length, 0) / all.length;
    const own = this.windowsOf(this.samples.get(doc) ?? { path: [], lines: [] });
    return Math.max(
      ...own.map(window => (window.length === 0 ? 0 : this.bm25(window, average, query, { k1: 1.2, b: 0.5 }))),
    );
  }

  private wantedPairs({ sequence }: QueryTerms): Set<string> {
    const wanted = new Set<string>();
    for (const [at, second] of sequence.entries()) {
      const first = sequence[at - 1];
      if (first !== undefined && first !== second && first >= 0 && second >= 0) wanted.add(`${first},${second}`);
    }
    return wanted;
  }

  private pairsOfLines(doc: number): string[][] {
    return (this.samples.get(doc)?.lines ?? []).map(line => line.slice(1).map((term, at) => `${line[at]},${term}`));
  }

  pairs(doc: number, query: QueryTerms): number {
    const found = this.pairsOfLines(doc).flat();
    const logs = [...this.wantedPairs(query)].map(pair => Math.log(1 + found.filter(other => other === pair).length));
    return logs.reduce((sum, log) => sum + log, 0);
  }

  /** Terms of the longest stretch of a line all of whose pairs are the query's. */
  longest(doc: number, query: QueryTerms): number {
    const wanted = this.wantedPairs(query);
    let longest = 0;
    for (const pairs of this.pairsOfLines(doc)) {
      for (let from = 0; from < pairs.length; from++) {
        for (let to = from + 1; to <= pairs.length; to++) {
          if (pairs.slice(from, to).every(pair => wanted.has(pair))) longest = Math.max(longest, to - from + 1);
        }
      }
    }
    return longest;
  }
}

function assertClose(actual: Iterable<readonly [number, number]>, expected: Iterable<readonly [number, number]>): void {
  const [left, right] = [[...actual], [...expected]];
  assert.deepEqual(
    left.map(([doc]) => doc),
    right.map(([doc]) => doc),
  );
  for (const [at, [doc, score]] of left.entries()) {
    assert.ok(
      Math.abs(score - (right[at]?.[1] ?? NaN)) < 1e-9,
      `document ${doc}: ${score}, expected ${right[at]?.[1]}`,
    );
  }
}

const term = fc.integer({ min: 0, max: 8 });
const sample = fc.record({
  path: fc.array(term, { maxLength: 3 }),
  lines: fc.array(fc.array(term, { maxLength: 4 }), { maxLength: 95 }),
});
const samples = fc
  .array(sample, { minLength: 1, maxLength: 6 })
  .map(list => new Map(list.map((one, at) => [at * 3, one] as const)));
const query = fc.array(fc.integer({ min: -1, max: 9 }), { maxLength: 6 }).map(sequence => asQuery(...sequence));

test('BM25 of two small documents is what the formula gives by hand', () => {
  const index = indexOf(
    new Map([
      [0, { path: [], lines: [[1, 1, 2]] }],
      [1, { path: [3], lines: [] }],
    ]),
  );
  // N = 2, df = 1: IDF = ln(1 + 1.5 / 1.5) = ln 2; lengths 3 and 1, mean 2; tf 2: 2 · 2.2 / (2 + 1.2 · (0.25 + 0.75 · 1.5)).
  assertClose(scoresOf(index, asQuery(1)), [[0, (Math.LN2 * 4.4) / (2 + 1.2 * 1.375)]]);
  assertClose(scoresOf(index, asQuery(3)), [[1, (Math.LN2 * 2.2) / (1 + 1.2 * 0.625)]]);
});

test('all scores are those of the formulas written out', () => {
  fc.assert(
    fc.property(samples, query, fc.constantFrom(USUAL, { k1: 2, b: 0.3 }), (documents, asked, parameters) => {
      const index = indexOf(documents);
      const oracle = new Oracle(documents);
      const docs = [...documents.keys()];
      assertClose(scoresOf(index, asked, parameters), oracle.body(asked, parameters));
      const { pairs, longest, windows } = index.closeLook(docs, asked);
      assert.deepEqual(
        docs.map((doc, at) => [doc, longest[at]]),
        docs.map(doc => [doc, oracle.longest(doc, asked)]),
      );
      assertClose(
        docs.map((doc, at) => [doc, windows[at] ?? NaN]),
        docs.map(doc => [doc, oracle.window(doc, asked)]),
      );
      assertClose(
        docs.map((doc, at) => [doc, pairs[at] ?? NaN]),
        docs.map(doc => [doc, oracle.pairs(doc, asked)]),
      );
    }),
    { seed: 11, numRuns: 400 },
  );
});

test('removing is the inverse of adding', () => {
  fc.assert(
    fc.property(samples, samples, query, fc.boolean(), (kept, gone, asked, goneFirst) => {
      const index = new BodyIndex();
      const shifted = new Map([...gone].map(([doc, one]) => [doc + 1, one] as const));
      for (const [doc, { path, lines }] of goneFirst ? [...shifted, ...kept] : [...kept, ...shifted]) {
        index.add(doc, Uint32Array.from(path), contentOf(lines));
      }
      for (const doc of shifted.keys()) index.remove(doc);
      const fresh = indexOf(kept);
      const docs = [...kept.keys(), ...shifted.keys()];
      assert.equal(index.size, kept.size);
      assert.deepEqual(scoresOf(index, asked), scoresOf(fresh, asked));
      assert.deepEqual(index.closeLook(docs, asked), fresh.closeLook(docs, asked));
      for (let id = 0; id < 10; id++) assert.equal(index.idf(id), fresh.idf(id));
    }),
    { seed: 5, numRuns: 300 },
  );
});

test('an index of one document, or of none, has finite scores that are never negative', () => {
  const index = new BodyIndex();
  assert.equal(index.score(asQuery(1), USUAL).docs.length, 0);
  index.add(4, new Uint32Array(), contentOf([[1]]));
  assert.ok(index.idf(1) > 0);
  assert.deepEqual(
    [...index.closeLook([4, 5], asQuery(1)).windows].map(score => score > 0),
    [true, false],
  );
  index.remove(4);
  index.remove(4);
  assert.equal(index.size, 0);
  assert.equal(index.score(asQuery(1), USUAL).docs.length, 0);
});

test('a number in use is refused, a freed one may come again', () => {
  const index = new BodyIndex();
  index.add(0, new Uint32Array(), contentOf([[1]]));
  assert.throws(() => index.add(0, new Uint32Array(), contentOf([[2]])), RangeError);
  index.remove(0);
  index.add(0, new Uint32Array(), contentOf([[2]]));
  assert.deepEqual([...scoresOf(index, asQuery(1, 2)).keys()], [0]);
  assert.equal(index.idf(1), Math.log(1 + 1.5 / 0.5));
});

test('the whole query is counted where it stands term by term inside one line', () => {
  const index = indexOf(
    new Map([
      [
        0,
        {
          path: [1, 2, 3],
          lines: [
            [1, 2, 3, 1, 2, 3],
            [1, 2],
            [3, 1, 2, 4],
          ],
        },
      ],
    ]),
  );
  assert.deepEqual([...index.closeLook([0], asQuery(1, 2, 3)).exact], [2]);
  assert.deepEqual([...index.closeLook([0], asQuery(1, 2, 9)).exact], [0]);
  assert.deepEqual([...index.closeLook([0], asQuery(1, 2, -1)).exact], [0], 'a term that no file has is nowhere');
  assert.deepEqual([...index.closeLook([0], asQuery(1)).exact], [0], 'one term is no phrase');
});

test('postings keep every list in order through any inserting and deleting', () => {
  const step = fc.tuple(fc.integer({ min: 0, max: 3 }), fc.integer({ min: 0, max: 30 }));
  fc.assert(
    fc.property(fc.array(step, { maxLength: 300 }), steps => {
      const postings = new Postings();
      const model = new Map<number, Map<number, number>>();
      for (const [at, [id, document]] of steps.entries()) {
        const list = model.get(id) ?? new Map<number, number>();
        model.set(id, list);
        if (list.delete(document)) postings.delete(id, document);
        else {
          list.set(document, at);
          postings.insert(id, document, at);
        }
      }
      for (const [id, list] of model) {
        const { documents, counts } = postings.list(id);
        const expected = [...list].sort(([a], [b]) => a - b);
        assert.deepEqual(
          [...documents].map((document, at) => [document, counts[at]]),
          expected,
        );
        assert.equal(postings.frequency(id), list.size);
      }
    }),
    { seed: 2, numRuns: 300 },
  );
  assert.throws(() => new Postings().delete(1, 1), RangeError);
});

test('room of deleted postings is used again', () => {
  const postings = new Postings();
  const round = (): void => {
    for (let document = 0; document < 5000; document++) postings.insert(document % 7, document, 1);
    for (let document = 0; document < 5000; document++) postings.delete(document % 7, document);
  };
  round();
  const bytes = postings.byteLength;
  for (let at = 0; at < 20; at++) round();
  assert.equal(postings.byteLength, bytes);
});
