import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Bm25Parameters } from '../../src/engine/lexical/bm25Index';
import { BodyIndex, type CloseLook } from '../../src/engine/lexical/bodyIndex';
import { LineTerms } from '../../src/engine/lexical/lineTerms';
import type { QueryTerms } from '../../src/engine/lexical/queryTerms';
import { BlobTable } from '../../src/engine/store/blobTable';
import type { SnapshotSource } from '../../src/engine/store/snapshot';
import { assertDefined } from '../../src/util/assert';
import { MemorySnapshot } from '../support/memorySnapshot';

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

function add(index: BodyIndex, doc: number, { path, lines }: Sample): void {
  index.add(doc, Uint32Array.from(path), contentOf(lines));
}

function remove(index: BodyIndex, doc: number, { path, lines }: Sample): void {
  index.remove(doc, Uint32Array.from(path), contentOf(lines));
}

function indexOf(samples: ReadonlyMap<number, Sample>): BodyIndex {
  const index = new BodyIndex();
  for (const [doc, sample] of samples) add(index, doc, sample);
  return index;
}

/** A close look at documents and at a number that none has; every content is spoilt when the next is asked for. */
function look(index: BodyIndex, samples: ReadonlyMap<number, Sample>, query: QueryTerms): CloseLook {
  const buffer = new Uint8Array(1 << 12);
  return index.closeLook([...samples.keys(), 1000], query, doc => {
    buffer.fill(0xee);
    const sample = samples.get(doc);
    if (sample === undefined) return undefined;
    const { bytes } = contentOf(sample.lines);
    buffer.set(bytes);
    return LineTerms.of(buffer.subarray(0, bytes.length));
  });
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
      const { pairs, longest, windows } = look(index, documents, asked);
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
      for (const [doc, one] of goneFirst ? [...shifted, ...kept] : [...kept, ...shifted]) add(index, doc, one);
      for (const [doc, one] of shifted) remove(index, doc, one);
      const fresh = indexOf(kept);
      assert.equal(index.size, kept.size);
      assert.deepEqual(scoresOf(index, asked), scoresOf(fresh, asked));
      assert.deepEqual(look(index, kept, asked), look(fresh, kept, asked));
      for (let id = 0; id < 10; id++) assert.equal(index.idf(id), fresh.idf(id));
    }),
    { seed: 5, numRuns: 300 },
  );
});

test('an index of one document, or of none, has finite scores that are never negative', () => {
  const index = new BodyIndex();
  const only = new Map([[4, { path: [], lines: [[1]] }]]);
  assert.equal(index.score(asQuery(1), USUAL).docs.length, 0);
  for (const [doc, one] of only) add(index, doc, one);
  assert.ok(index.idf(1) > 0);
  assert.deepEqual(
    [...look(index, only, asQuery(1)).windows].map(score => score > 0),
    [true, false],
  );
  for (const [doc, one] of only) remove(index, doc, one);
  assert.equal(index.size, 0);
  assert.equal(index.score(asQuery(1), USUAL).docs.length, 0);
});

test('a freed number may come again with other terms', () => {
  const index = new BodyIndex();
  add(index, 0, { path: [], lines: [[1]] });
  remove(index, 0, { path: [], lines: [[1]] });
  add(index, 0, { path: [], lines: [[2]] });
  assert.deepEqual([...scoresOf(index, asQuery(1, 2)).keys()], [0]);
  assert.equal(index.idf(1), Math.log(1 + 1.5 / 0.5));
});

test('a document is not taken out with terms that it does not have', () => {
  const index = indexOf(new Map([[0, { path: [], lines: [[1]] }]]));
  assert.throws(() => remove(index, 0, { path: [], lines: [[2]] }), RangeError);
});

test('the whole query is counted where it stands term by term inside one line', () => {
  const lines = [
    [1, 2, 3, 1, 2, 3],
    [1, 2],
    [3, 1, 2, 4],
  ];
  const documents = new Map([[0, { path: [1, 2, 3], lines }]]);
  const index = indexOf(documents);
  const exact = (...sequence: number[]): number | undefined => look(index, documents, asQuery(...sequence)).exact[0];
  assert.equal(exact(1, 2, 3), 2);
  assert.equal(exact(1, 2, 9), 0);
  assert.equal(exact(1, 2, -1), 0, 'a term that no file has is nowhere');
  assert.equal(exact(1), 0, 'one term is no phrase');
});

/** The same index, whose lists rest in a snapshot. */
async function restored(index: BodyIndex, isChecked: boolean): Promise<{ index: BodyIndex; snapshot: MemorySnapshot }> {
  const snapshot = new MemorySnapshot(isChecked);
  await index.save(snapshot.sink, 'body');
  const again = new BodyIndex();
  await again.restore(snapshot.source, 'body');
  return { index: again, snapshot };
}

/** The contents of these documents as they rest in a snapshot, each valid until anything else is read from it. */
async function restingContents(
  snapshot: MemorySnapshot,
  documents: ReadonlyMap<number, Sample>,
): Promise<(doc: number) => LineTerms> {
  const contents = new BlobTable();
  for (const [doc, { lines }] of documents) contents.set(doc, contentOf(lines).bytes);
  await snapshot.sink.blobs('contents', contents);
  await snapshot.source.blobs('contents', contents);
  return doc => LineTerms.of(assertDefined(contents.get(doc), `the content of document ${doc}`));
}

function assertSame(index: BodyIndex, documents: ReadonlyMap<number, Sample>, asked: QueryTerms): void {
  const fresh = indexOf(documents);
  assert.equal(index.size, documents.size);
  assert.deepEqual(scoresOf(index, asked), scoresOf(fresh, asked));
  assert.deepEqual(look(index, documents, asked), look(fresh, documents, asked));
  for (let id = 0; id < 12; id++) assert.equal(index.idf(id), fresh.idf(id));
}

const changes = fc.array(fc.tuple(fc.nat(18), fc.option(sample, { nil: undefined })), { maxLength: 8 });

function change(
  index: BodyIndex,
  documents: Map<number, Sample>,
  [doc, after]: readonly [number, Sample | undefined],
): void {
  const before = documents.get(doc);
  if (before !== undefined) remove(index, doc, before);
  documents.delete(doc);
  if (after === undefined) return;
  add(index, doc, after);
  documents.set(doc, after);
}

test('an index that rests in a snapshot answers exactly as a fresh one, also after changes and after a second save', async () => {
  await fc.assert(
    fc.asyncProperty(samples, changes, changes, query, fc.boolean(), async (saved, first, second, asked, isChecked) => {
      const documents = new Map(saved);
      let { index } = await restored(indexOf(documents), isChecked);
      assertSame(index, documents, asked);
      for (const step of first) change(index, documents, step);
      assertSame(index, documents, asked);
      ({ index } = await restored(index, isChecked));
      assertSame(index, documents, asked);
      for (const step of second) change(index, documents, step);
      assertSame(index, documents, asked);
    }),
    { seed: 21, numRuns: 150 },
  );
});

test('numbers of documents and terms far beyond the first ones are found, fresh and restored', async () => {
  const documents = new Map([
    [0, { path: [5], lines: [[70_000, 5], [3]] }],
    [30_000, { path: [], lines: [[5, 70_000, 5], [70_001]] }],
  ]);
  const asked = asQuery(5, 70_000);
  const oracle = new Oracle(documents);
  const fresh = indexOf(documents);
  for (const index of [fresh, (await restored(fresh, true)).index]) {
    assertClose(scoresOf(index, asked), oracle.body(asked, USUAL));
    const { exact, windows } = look(index, documents, asked);
    assert.deepEqual([...exact], [0, 1, 0]);
    assertClose(
      [0, 30_000].map((doc, at) => [doc, windows[at] ?? NaN]),
      [0, 30_000].map(doc => [doc, oracle.window(doc, asked)]),
    );
  }
});

test('saving changes nothing, and an index can be saved while its lists rest', async () => {
  const documents = new Map([
    [0, { path: [1], lines: [[1, 2], [3]] }],
    [5, { path: [2], lines: [[3, 3]] }],
  ]);
  const { index, snapshot } = await restored(indexOf(documents), false);
  const again = await restored(index, true);
  assertSame(index, documents, asQuery(1, 2, 3));
  const { reads } = snapshot;
  assertSame(again.index, documents, asQuery(1, 2, 3));
  assert.equal(snapshot.reads, reads, 'the later snapshot has lists of its own');
});

test('an index goes on exactly as before when its lists come to rest in what was written of it', async () => {
  await fc.assert(
    fc.asyncProperty(samples, changes, changes, query, async (saved, first, second, asked) => {
      const documents = new Map(saved);
      const index = indexOf(documents);
      for (const steps of [first, second]) {
        for (const step of steps) change(index, documents, step);
        const snapshot = new MemorySnapshot(false);
        await index.save(snapshot.sink, 'body');
        const rest = await index.rest(snapshot.source, 'body');
        rest();
        assertSame(index, documents, asked);
      }
    }),
    { seed: 24, numRuns: 80 },
  );
});

test('a draft laid over a resting content and taken back leaves the same answers', async () => {
  await fc.assert(
    fc.asyncProperty(samples, sample, query, fc.boolean(), async (saved, draft, asked, isChecked) => {
      const { index, snapshot } = await restored(indexOf(saved), isChecked);
      const resting = await restingContents(snapshot, saved);
      const lines = contentOf(draft.lines);
      for (const [doc, { path }] of saved) {
        index.replace(doc, Uint32Array.from(path), resting(doc), lines);
        assertSame(index, new Map(saved).set(doc, { path, lines: draft.lines }), asked);
        index.replace(doc, Uint32Array.from(path), lines, resting(doc));
        assertSame(index, saved, asked);
      }
    }),
    { seed: 22, numRuns: 80 },
  );
});

test('contents may rest next to the lists, in whatever is read into the same buffer', async () => {
  await fc.assert(
    fc.asyncProperty(samples, query, fc.boolean(), async (saved, asked, isChecked) => {
      const { index, snapshot } = await restored(indexOf(saved), isChecked);
      const resting = await restingContents(snapshot, saved);
      const expected = look(indexOf(saved), saved, asked);
      const found = index.closeLook([...saved.keys(), 1000], asked, doc => (doc === 1000 ? undefined : resting(doc)));
      assert.deepEqual(found, expected);
      for (const [doc, { path }] of saved) index.remove(doc, Uint32Array.from(path), resting(doc));
      for (let id = 0; id < 10; id++) assert.equal(index.score(asQuery(id), USUAL).docs.length, 0);
      for (const [doc, { path }] of saved) index.add(doc, Uint32Array.from(path), resting(doc));
      assertSame(index, saved, asked);
    }),
    { seed: 23, numRuns: 80 },
  );
});

test('sums that are not what was written make a snapshot damaged', async () => {
  for (const part of ['body.totals', 'body.windows.totals']) {
    for (const wrong of [undefined, {}, [1], [1, -1], [1, 0.5], [1, 2, 3]]) {
      const snapshot = new MemorySnapshot(true);
      await indexOf(new Map([[0, { path: [1], lines: [] }]])).save(snapshot.sink, 'body');
      const source: SnapshotSource = {
        ...snapshot.source,
        json: async name => (name === part ? wrong : snapshot.source.json(name)),
      };
      await assert.rejects(new BodyIndex().restore(source, 'body'), { reason: 'store-damaged' });
    }
  }
});
