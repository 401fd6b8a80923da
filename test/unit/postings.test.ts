import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Postings } from '../../src/engine/lexical/postings';
import { MemorySnapshot } from '../support/memorySnapshot';

/** Counts by document by term. */
type Model = Map<number, Map<number, number>>;

/** Takes a document out of a term's list, or puts it in where it is not. */
function toggle(postings: Postings, model: Model, term: number, document: number, count: number): void {
  const list = model.get(term) ?? new Map<number, number>();
  model.set(term, list);
  if (list.delete(document)) postings.delete(term, document);
  else {
    list.set(document, count);
    postings.insert(term, document, count);
  }
}

function assertSame(postings: Postings, model: Model): void {
  for (const [term, list] of model) {
    assert.equal(postings.frequency(term), list.size);
    const { documents, counts } = postings.list(term);
    assert.deepEqual(
      [...documents].map((document, at) => [document, counts[at]]),
      [...list].sort(([a], [b]) => a - b),
    );
    if (list.size > 0) assert.ok(term < postings.limit);
  }
}

async function restored(postings: Postings, isChecked: boolean): Promise<[Postings, MemorySnapshot]> {
  const snapshot = new MemorySnapshot(isChecked);
  await postings.save(snapshot.sink, 'names');
  const again = new Postings();
  await again.restore(snapshot.source, 'names');
  return [again, snapshot];
}

const steps = (mostTerms: number) =>
  fc.array(fc.tuple(fc.integer({ min: 0, max: mostTerms }), fc.integer({ min: 0, max: 30 })), { maxLength: 300 });

test('postings keep every list in order through any inserting and deleting', () => {
  fc.assert(
    fc.property(steps(3), taken => {
      const postings = new Postings();
      const model: Model = new Map();
      for (const [at, [term, document]] of taken.entries()) toggle(postings, model, term, document, at);
      assertSame(postings, model);
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

test('lists that rest in a snapshot change as others do, through any number of saves', async () => {
  const rounds = fc.array(steps(9), { minLength: 2, maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(rounds, fc.boolean(), async (all, isChecked) => {
      const model: Model = new Map();
      let postings = new Postings();
      for (const taken of all) {
        // Other terms in each round, so that some lists rest through several saves.
        for (const [at, [term, document]] of taken.entries()) toggle(postings, model, term * term, document, at);
        assertSame(postings, model);
        [postings] = await restored(postings, isChecked);
        assertSame(postings, model);
      }
    }),
    { seed: 4, numRuns: 150 },
  );
});

test('a resting list is read when it is asked for or changes; how long it is costs no read', async () => {
  const fresh = new Postings();
  for (let term = 0; term < 50; term++)
    for (let document = 0; document <= term; document++) fresh.insert(term, document, 7);
  const [postings, snapshot] = await restored(fresh, false);
  assert.equal(postings.frequency(20), 21);
  assert.equal(postings.frequency(50), 0);
  assert.equal(snapshot.reads, 0);
  assert.equal(postings.list(20).documents.length, 21);
  assert.equal(snapshot.reads, 1);
  postings.insert(20, 99, 70_000);
  postings.delete(20, 0);
  postings.insert(50, 3, 1);
  assert.equal(snapshot.reads, 2, 'one more to bring it into memory');
  const { documents, counts } = postings.list(20);
  assert.deepEqual([documents[0], documents.at(-1), counts[0], counts.at(-1)], [1, 99, 7, 0xffff]);
  assert.equal(snapshot.reads, 2);
  assert.equal(postings.frequency(20), 21);
  assert.equal(postings.limit, 51);
});

test('saving reads resting lists and leaves them where they are', async () => {
  const fresh = new Postings();
  for (let document = 0; document < 5000; document++) fresh.insert(document % 7, document, 1);
  const [postings, snapshot] = await restored(fresh, true);
  const bytes = postings.byteLength;
  assert.ok(bytes < 100_000, 'the room of lists in memory is claimed when one changes');
  await restored(postings, true);
  assert.equal(snapshot.reads, 7);
  assert.equal(postings.byteLength, bytes);
});

test('lists that changed may rest in the snapshot that was just written of them, and free their memory', async () => {
  await fc.assert(
    fc.asyncProperty(steps(9), steps(9), steps(9), fc.boolean(), async (first, second, third, isChecked) => {
      const model: Model = new Map();
      const fresh = new Postings();
      for (const [at, [term, document]] of first.entries()) toggle(fresh, model, term, document, at);
      const [postings, before] = await restored(fresh, isChecked);
      for (const [at, [term, document]] of second.entries()) toggle(postings, model, term, document, at);
      const after = new MemorySnapshot(isChecked);
      await postings.save(after.sink, 'names');
      const rest = await postings.rest(after.source, 'names');
      assertSame(postings, model);
      rest();
      const { reads } = before;
      assertSame(postings, model);
      assert.equal(before.reads, reads, 'the snapshot before is not needed any more');
      assert.equal(postings.byteLength, new Postings().byteLength);
      for (const [at, [term, document]] of third.entries()) toggle(postings, model, term, document, at);
      assertSame(postings, model);
    }),
    { seed: 5, numRuns: 100 },
  );
});

test('emptied lists leave nothing behind in a snapshot', async () => {
  const fresh = new Postings();
  fresh.insert(3, 1, 1);
  fresh.insert(8, 1, 1);
  const [postings] = await restored(fresh, true);
  postings.delete(8, 1);
  assert.equal(postings.frequency(8), 0);
  assert.equal(postings.list(8).documents.length, 0);
  assert.throws(() => postings.delete(8, 1), RangeError);
  const [again] = await restored(postings, true);
  assert.equal(again.frequency(8), 0);
  assert.throws(() => again.delete(8, 1), RangeError);
  again.insert(8, 2, 5);
  assert.deepEqual([...again.list(8).documents], [2]);
});

test('a damaged list is noticed before anything changes', async () => {
  const fresh = new Postings();
  for (const document of [1, 2]) fresh.insert(3, document, 1);
  const [postings, snapshot] = await restored(fresh, false);
  snapshot.damage('names.lists');
  const damaged = { reason: 'store-damaged' };
  assert.throws(() => postings.list(3), damaged);
  assert.throws(() => postings.insert(3, 9, 1), damaged);
  assert.throws(() => postings.delete(3, 1), damaged);
  assert.equal(postings.frequency(3), 2);
});
