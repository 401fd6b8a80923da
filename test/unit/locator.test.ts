import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { queryTerms } from '../../src/engine/lexical/queryTerms';
import { Vocabulary } from '../../src/engine/lexical/vocabulary';
import { locatePlaces } from '../../src/engine/search/locator';
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
  assert.deepEqual(place, { startLine: 1, endLine: 1, line: 1, score: 1 / 1.3 });
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
  const lines = [
    ...filler(60),
    'upload file',
    ...filler(60),
    'function retry() {',
    ...filler(40),
    '  upload file',
    ...filler(10),
    '}',
    ...filler(60),
  ];
  const { row, placeQuery } = setUp(lines, 'retry upload');
  assert.equal(locatePlaces(row, placeQuery, NONE, 1)[0]?.line, 163);
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
