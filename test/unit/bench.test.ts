import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bundledModelDir } from '../../src/cli/bundledModel';
import { CodeCorpus, commonWords } from '../bench/codeCorpus';
import { type BenchRun, type Figure, isReached, readRecord, storeRun } from '../bench/report';
import { reportPage, shownFigure } from '../bench/reportPage';
import { growthExponent, median, percentile } from '../bench/statistics';
import { svgPlot } from '../bench/svgPlot';
import { faultsOf } from '../bench/gates';
import { nearestRows, recallOf, toHalf } from '../bench/graph/nearest';
import { indexingFigures } from '../bench/benches/indexing';
import { lengthField, readFields, textsOf, varintField, varintsOf } from '../bench/inference/protobuf';
import { pinnedSources } from '../bench/sourceText';
import { makeFileTree } from '../support/fileTree';

const words = commonWords(`${bundledModelDir('models')}/tokenizer.json`);

const machine = { system: 'x', processor: 'p', processors: 2, features: [], memoryGb: 1, node: '20' };

function runOf(figures: readonly Figure[], commit = 'a'): BenchRun {
  const command = 'npm run bench -- some';
  return { parameters: { size: 3 }, figures, at: '2026-01-01T00:00:00Z', commit, command, seconds: 1, machine };
}

test('the median is the middle value, or the mean of the two in the middle, in whatever order they come', () => {
  assert.equal(median([9, 1, 5]), 5);
  assert.equal(median([10, 1, 3, 2]), 2.5);
  assert.ok(Number.isNaN(median([])));
});

test('a percentile is the least value that covers its share', () => {
  const values = Array.from({ length: 20 }, (_, at) => 20 - at);
  assert.equal(percentile(values, 0.95), 19);
  assert.equal(percentile(values, 0.5), 10);
  assert.equal(percentile(values, 1), 20);
  assert.equal(percentile([7], 0.01), 7);
  assert.ok(Number.isNaN(percentile([], 0.5)));
});

test('growth is told by the exponent', () => {
  const points = (of: (x: number) => number) => [10, 100, 1000].map(x => ({ x, y: of(x) }));
  assert.ok(Math.abs(growthExponent(points(x => 3 * x)) - 1) < 1e-9);
  assert.ok(Math.abs(growthExponent(points(() => 7))) < 1e-9);
  assert.ok(Math.abs(growthExponent(points(x => x ** 1.5)) - 1.5) < 1e-9);
});

test('the same seed gives the same files, queries and commits, another seed others', () => {
  const [one, same, other] = [7, 7, 8].map(seed => {
    const corpus = new CodeCorpus(words, 100, seed);
    return JSON.stringify([corpus.file(42), corpus.query(3), corpus.commit(5), corpus.path(99)]);
  });
  assert.equal(one, same);
  assert.notEqual(one, other);
});

test('generated files have paths of their own, 5 to 9 KB on average, some far longer, and half are shorter', () => {
  const corpus = new CodeCorpus(words, 600);
  const files = Array.from({ length: 600 }, (_, at) => corpus.file(at));
  const sizes = files.map(({ text }) => text.length);
  assert.equal(new Set(files.map(({ path }) => path)).size, 600);
  const average = sizes.reduce((sum, size) => sum + size, 0) / 600;
  assert.ok(average > 5000 && average < 9000, `${average}`);
  assert.ok(median(sizes) < 0.8 * average);
  assert.ok(Math.max(...sizes) > 5 * average);
});

test('a few words of generated files are frequent and many are rare', () => {
  const corpus = new CodeCorpus(words, 200);
  const counts = new Map<string, number>();
  for (let at = 0; at < 200; at++)
    for (const word of corpus.file(at).text.match(/[A-Za-z]{3,}/g) ?? []) counts.set(word, (counts.get(word) ?? 0) + 1);
  const sorted = [...counts.values()].sort((one, more) => more - one);
  assert.ok(sorted.length > 3000);
  assert.ok(sorted[0]! > 20 * sorted[500]!);
  assert.ok(sorted.filter(count => count === 1).length > sorted.length / 5);
});

test('commits and files of a generated folder name the same paths', () => {
  const corpus = new CodeCorpus(words, 50);
  const paths = new Set(Array.from({ length: 50 }, (_, at) => corpus.file(at).path));
  for (let at = 0; at < 20; at++) for (const path of corpus.commit(at).paths) assert.ok(paths.has(path), path);
});

test('a goal is reached, missed, or not to be told', () => {
  const figure = { name: 'f', unit: '×' };
  assert.equal(isReached({ ...figure, value: 0.9, goal: { atLeast: 0.9 } }), true);
  assert.equal(isReached({ ...figure, value: 0.89, goal: { atLeast: 0.9 } }), false);
  assert.equal(isReached({ ...figure, value: 61, goal: { atMost: 60 } }), false);
  assert.equal(isReached({ ...figure, value: null, goal: { atMost: 60 } }), undefined);
  assert.equal(isReached({ ...figure, value: 5 }), undefined);
});

test('the first run stays, the last one is replaced, and a figure that is new counts as first', t => {
  const folder = makeFileTree(t);
  const speed = (value: number | null): Figure => ({ name: 'speed', value, unit: '×', goal: { atLeast: 1 } });
  const memory = (value: number | null): Figure => ({ name: 'memory', value, unit: 'MB' });
  storeRun('some', 'Some', runOf([speed(0.5), memory(null)], 'a'), folder);
  storeRun('some', 'Some', runOf([speed(0.7), memory(80)], 'b'), folder);
  storeRun('some', 'Some', runOf([speed(0.9), memory(70)], 'c'), folder);
  const record = readRecord('some', folder);
  assert.deepEqual(record?.first.figures, [speed(0.5), memory(80)]);
  assert.equal(record.first.commit, 'a');
  assert.deepEqual(record.last.figures, [speed(0.9), memory(70)]);
});

test('the page sets first and last run beside the goal and explains what is not reached', () => {
  const run = runOf([
    { name: 'speed | words', value: 0.5, unit: '×', goal: { atLeast: 0.9 } },
    { name: 'size', value: 3, unit: '', goal: { atMost: 3 } },
    { name: 'other', value: null, unit: 'ms', note: 'no time' },
  ]);
  const page = reportPage([{ name: 'some', title: 'Some', first: run, last: run }], { 'speed | words': 'It waits.' });
  assert.match(page, /\| speed \\\| words \| ≥ 0.9 × \| 0.50 × \| 0.50 × ✗ \| `npm run bench -- some` \|/);
  assert.match(page, /\| size \| ≤ 3 \| 3 \| 3 ✓ \|/);
  assert.match(page, /not measured: no time/);
  assert.match(page, /- \*\*speed \| words\*\*: It waits\./);
});

test('figures are shown with three places or so', () => {
  const shown = (value: number): string => shownFigure({ name: 'f', value, unit: 'ms' });
  assert.deepEqual([1234.5, 12.34, 1.2345, 3].map(shown), ['1,235 ms', '12.3 ms', '1.235 ms', '3 ms']);
});

test('a plot puts its points where the axes say', () => {
  const svg = svgPlot({
    file: 'p',
    title: 'A < B',
    x: { label: 'files', log: true },
    y: { label: 'ms' },
    series: [
      {
        name: 'line',
        points: [
          { x: 1000, y: 0 },
          { x: 100_000, y: 50 },
        ],
      },
    ],
  });
  assert.match(svg, /A &lt; B/);
  assert.match(svg, /points="70,372 720,40"/);
  assert.match(svg, />1,000</);
  assert.match(svg, />10,000</);
});

test('the short form fails on a figure that is out of bounds or missing, and on nothing else', () => {
  const gates = { speed: { atLeast: 0.5 }, lost: { atMost: 0 } };
  const speed = (value: number | null): Figure => ({ name: 'speed', value, unit: '×' });
  const lost = (value: number): Figure => ({ name: 'lost', value, unit: '' });
  assert.deepEqual(faultsOf([speed(0.5), lost(0)], gates), []);
  assert.deepEqual(faultsOf([speed(0.4), lost(2)], gates), [
    '“speed” is 0.40 ×, and must be at least 0.5.',
    '“lost” is 2, and must be at most 0.',
  ]);
  assert.deepEqual(faultsOf([speed(null), lost(0)], gates), ['“speed” was not measured.']);
  assert.deepEqual(faultsOf([lost(0)], gates), ['“speed” was not measured.']);
  assert.deepEqual(faultsOf([], {}), []);
});

test('a ratio is the median of the ratios of its rounds', () => {
  const work = (seconds: number, bytes = 100, tokens = 10) => ({ seconds, tokens, bytes });
  const round = (slowness: number) => ({
    product: work(2 * slowness),
    embedding: work(1 * slowness),
    runtime: work(1),
    batched: work(3, 100, 20),
    single: work(3, 25, 5),
    embedderMb: 100 * slowness,
  });
  const figures = indexingFigures([round(1), round(2), round(4)]);
  const valueOf = (name: string) => figures.find(figure => figure.name.startsWith(name))?.value;
  assert.equal(valueOf('embedding, tokens over'), 0.5);
  assert.equal(valueOf('whole sync, tokens over'), 0.25);
  assert.equal(valueOf('whole sync, source over int8'), 0.75);
  assert.equal(valueOf('whole sync, source over fp32'), 3);
  assert.equal(valueOf('prepared tokens'), 0.5);
  assert.equal(valueOf('most memory'), 400);
});

test('the nearest rows come most similar first, equal ones in order', () => {
  const rows = [
    [1, 0],
    [0, 1],
    [0.6, 0.8],
    [0, 1],
  ];
  assert.deepEqual(nearestRows(rows, [0, 1], 3), [1, 3, 2]);
  assert.equal(recallOf([1, 2, 7], [1, 2, 3, 4]), 0.5);
});

test('half precision keeps eleven bits', () => {
  assert.equal(toHalf(1), 1);
  assert.equal(toHalf(1 + 2 ** -10), 1 + 2 ** -10);
  assert.equal(toHalf(1 + 2 ** -12), 1);
  assert.equal(toHalf(-0.1), -0.0999755859375);
  assert.equal(toHalf(2 ** -25 * 1.5), 2 ** -24);
  assert.equal(toHalf(0), 0);
});

test('fields of a message are read as they were written', () => {
  const message = Buffer.concat([
    varintField(1, 300),
    lengthField(2, 'weights'),
    varintField(1, 7),
    lengthField(9, 'x'),
  ]);
  const fields = readFields(message);
  assert.deepEqual(varintsOf(fields, 1), [300, 7]);
  assert.deepEqual(textsOf(fields, 2), ['weights']);
  assert.deepEqual(Buffer.concat(fields.map(({ whole }) => whole)), message);
  // 300 = 0b10_0101100: the low seven bits first, with the sign that more follows.
  assert.deepEqual([...varintField(1, 300)], [0x08, 0xac, 0x02]);
});

test('the pinned sources are the same each time, are real files, and hold no file twice', () => {
  const once = pinnedSources(2000);
  assert.deepEqual(pinnedSources(2000), once);
  assert.ok(once.reduce((sum, { lines }) => sum + lines, 0) >= 2000);
  assert.equal(new Set(once.map(({ text }) => text)).size, once.length);
});
