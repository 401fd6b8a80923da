import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { queryTerms } from '../../src/engine/lexical/queryTerms';
import { Vocabulary } from '../../src/engine/lexical/vocabulary';
import { type KnownLines, locatePlaces } from '../../src/engine/search/locator';
import { PlaceQuery } from '../../src/engine/search/placeQuery';
import { contentRow } from '../support/contentRow';

const filler = (count: number): string[] => Array.from({ length: count }, (_, at) => `  step${at}();`);
const NONE = new Float32Array();

function setUp(
  lines: readonly string[],
  query: string,
  spans?: readonly (readonly [number, number])[],
  verbatim: readonly string[] = [],
) {
  const vocabulary = new Vocabulary();
  const row = contentRow('a.ts', lines.join('\n'), vocabulary, spans);
  const placeQuery = new PlaceQuery(queryTerms(query, vocabulary), vocabulary, () => 1, verbatim);
  return { row, placeQuery };
}

test('the lines with the words are the best place, and the one line with most of them is named', () => {
  const lines = [...filler(100), '// retry', 'retryFailedUpload();', ...filler(100)];
  const { row, placeQuery } = setUp(lines, 'retry a failed upload');
  const [place] = locatePlaces(row, placeQuery, NONE, 3);
  assert.equal(place?.line, 102);
  assert.ok(place.startLine <= 101 && place.endLine >= 102);
  assert.equal(place.endLine - place.startLine, 29);
});

test('a line that is named hides no place with the words', () => {
  const lines = [...filler(60), '// nothing of it', ...filler(60), 'retry upload', ...filler(60)];
  const { row, placeQuery } = setUp(lines, 'retry upload');
  const comments = new Uint8Array(lines.length);
  comments[60] = 1;
  const places = locatePlaces(row, placeQuery, NONE, 2, { named: [61], comments });
  assert.equal(places.length, 2);
  const [named, words] = places;
  assert.ok(named !== undefined && named.startLine <= 61 && named.endLine >= 61);
  assert.equal(words?.line, 122);
});

test('places do not overlap and come best first', () => {
  const lines = [...filler(50), 'retry upload', ...filler(50), 'retry', ...filler(50)];
  const { row, placeQuery } = setUp(lines, 'retry upload');
  const places = locatePlaces(row, placeQuery, NONE, 3);
  assert.equal(places.length, 2);
  assert.deepEqual(
    places.map(place => place.line),
    [51, 102],
  );
  assert.ok((places[0]?.score ?? 0) > (places[1]?.score ?? 0));
});

test('without a word in common the best landmark says where', () => {
  const spans = [0, 1, 2, 3, 4].map(at => [at * 30 + 1, at * 30 + 30] as const);
  const { row, placeQuery } = setUp(filler(150), 'something else', spans);
  const [place] = locatePlaces(row, placeQuery, Float32Array.of(0.1, 0.2, 0.1, 0.9, 0.1), 3);
  assert.ok(
    place !== undefined && place.startLine >= 86 && place.endLine <= 125 && place.line >= 91,
    JSON.stringify(place),
  );
});

test('landmarks that are not embedded yet are left aside', () => {
  const { row, placeQuery } = setUp(['retry'], 'retry', [[1, 1]]);
  const [place] = locatePlaces(row, placeQuery, Float32Array.of(NaN), 3);
  // The words are all there; of what can speak for lines, name (1) and landmark (0.15) do not.
  assert.deepEqual(place, { startLine: 1, endLine: 1, line: 1, score: 1 / 2.15 });
});

test('a quoted text decides the place and its line, whatever has more of the words', () => {
  const lines = [
    ...filler(50),
    'retry failed upload retry',
    'upload failed',
    ...filler(50),
    'failed upload',
    ...filler(50),
  ];
  const { row, placeQuery } = setUp(lines, 'retry failed upload', undefined, ['failed upload']);
  const places = locatePlaces(row, placeQuery, NONE, 3);
  assert.deepEqual(
    places.map(place => place.line),
    [51, 103],
  );
  const other = setUp(lines, 'retry failed upload', undefined, ['upload failed']);
  assert.equal(locatePlaces(other.row, other.placeQuery, NONE, 1)[0]?.line, 52);
});

test('a line that holds most of the query in a row decides as if it had been quoted', () => {
  const lines = [
    ...filler(50),
    'server, refused, connection, retries',
    'server refused',
    ...filler(50),
    'log("connection refused by server");',
    ...filler(50),
  ];
  const { row, placeQuery } = setUp(lines, 'error 17: connection refused by server');
  assert.equal(locatePlaces(row, placeQuery, NONE, 1)[0]?.line, 103);
});

test('the name of the definition around lines speaks for them', () => {
  const body = [...filler(40), '  upload file', ...filler(41)];
  // The name stands on three lines, so that it does not outweigh the body's word by itself.
  const lines = ['retry', 'retry', ...filler(40), 'function download() {', ...body, 'function retry() {', ...body];
  const { row, placeQuery } = setUp(lines, 'retry upload');
  assert.equal(locatePlaces(row, placeQuery, NONE, 1)[0]?.line, 167);
});

test('a name counts by its share of the query and by how much of it the query has', () => {
  const named = (name: string, query: string): number | undefined => {
    const { row, placeQuery } = setUp([`function ${name}() {`, 'timeout', '}'], query);
    return locatePlaces(row, placeQuery, NONE, 1)[0]?.score;
  };
  // Each word stands on one line of three, so all weigh the same; of what can speak for lines (2.15) the words are 1.
  assert.equal(named('other', 'retry timeout'), 1 / 2.15, 'only one word occurs, and it is in no name');
  assert.equal(named('retry', 'retry timeout'), (1 + 1 / 2) / 2.15, 'half of the query, the whole name');
  // The terms of the name are retry, upload and retryupload.
  assert.equal(
    named('retryUpload', 'retry timeout'),
    (1 + (1 / 2) * (1 / 3)) / 2.15,
    'half of the query, a third of the name',
  );
});

test('a word that stands on many lines of the file says less than one that stands on one', () => {
  const lines = Array.from({ length: 6 }, () => [...filler(30), 'upload']).flat();
  lines.push(...filler(30), 'retry', ...filler(30));
  const { row, placeQuery } = setUp(lines, 'retry upload');
  assert.equal(locatePlaces(row, placeQuery, NONE, 1)[0]?.line, 217);
});

test('of two places alike the one in the code is better than the one in a comment', () => {
  const comment = (text: string): string => `// ${text}`;
  const place = [...filler(10), 'retry upload', ...filler(19)];
  const lines = [...place.map(comment), ...filler(60), ...place];
  const { row, placeQuery } = setUp(lines, 'retry upload');
  const comments = Uint8Array.from(lines, line => (line.startsWith('//') ? 1 : 0));
  const best = (known: KnownLines): number | undefined => locatePlaces(row, placeQuery, NONE, 1, known)[0]?.line;
  assert.equal(best({}), 11, 'the first, while nothing is known of comments');
  assert.equal(best({ comments }), 101);
});

test('comments take their share of the place from its score', () => {
  const { row, placeQuery } = setUp(['// why', '// so', 'retry', ''], 'retry');
  const [place] = locatePlaces(row, placeQuery, NONE, 1, { comments: Uint8Array.of(1, 1, 0, 0) });
  // Two of its three lines, at 0.7.
  assert.ok(Math.abs((place?.score ?? 0) - (1 - 0.7 * (2 / 3)) / 2.15) < 1e-12, String(place?.score));
});

test('words that are neighbours in the query count more where they are neighbours', () => {
  const apart = ['upload', '  a();', 'failed'];
  const lines = [...filler(60), ...apart, ...filler(60), 'failed upload', ...filler(60)];
  const { row, placeQuery } = setUp(lines, 'failed upload');
  assert.equal(locatePlaces(row, placeQuery, NONE, 1)[0]?.line, 124);
});

test('a file shorter than a place is one place, an empty one its first line', () => {
  const { row, placeQuery } = setUp(['a', 'retry', 'other'], 'retry');
  assert.deepEqual(
    locatePlaces(row, placeQuery, NONE, 3).map(({ startLine, endLine, line }) => [startLine, endLine, line]),
    [[1, 3, 2]],
  );
  const ended = setUp(['retry', 'other', ''], 'retry');
  assert.equal(locatePlaces(ended.row, ended.placeQuery, NONE, 1)[0]?.endLine, 2, 'no line follows the last line end');
  const empty = setUp([''], 'retry');
  assert.deepEqual(
    locatePlaces(empty.row, empty.placeQuery, NONE, 3).map(({ startLine, endLine }) => [startLine, endLine]),
    [[1, 1]],
  );
});

test('places of any content stay inside it and do not overlap', () => {
  const word = fc.constantFrom('retry', 'upload', 'other', 'function retry() {', '');
  fc.assert(
    fc.property(fc.array(word, { maxLength: 90 }), fc.integer({ min: 1, max: 5 }), (lines, count) => {
      const { row, placeQuery } = setUp(lines, 'retry upload');
      const places = locatePlaces(row, placeQuery, NONE, count);
      assert.ok(places.length >= 1 && places.length <= count);
      const covered = new Set<number>();
      for (const { startLine, endLine, line } of places) {
        assert.ok(startLine >= 1 && endLine <= Math.max(1, lines.length) && startLine <= line && line <= endLine);
        for (let at = startLine; at <= endLine; at++) {
          assert.ok(!covered.has(at));
          covered.add(at);
        }
      }
      if (lines.includes('retry')) assert.match(lines[(places[0]?.line ?? 0) - 1] ?? '', /retry|upload/);
    }),
    { seed: 3, numRuns: 300 },
  );
});
