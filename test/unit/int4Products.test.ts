import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import fc from 'fast-check';
import wabt from 'wabt';
import { Int4Query, kernelModule } from '../../src/engine/vectors/int4Products';
import { packedBytes } from '../../src/engine/vectors/quantization';

const SOURCE = 'src/engine/vectors/int4Products.wat';

/** Levels from -7 to 7, `[rows × dimensions]`, two a byte. */
function packed(levels: readonly number[], dimensions: number): Uint8Array {
  const width = packedBytes(dimensions);
  const bytes = new Uint8Array((levels.length / dimensions) * width).fill(0x88);
  for (const [index, level] of levels.entries()) {
    const [row, at] = [Math.floor(index / dimensions), index % dimensions];
    const byte = row * width + Math.floor(at / 2);
    const old = bytes[byte] ?? 0;
    bytes[byte] = at % 2 === 0 ? (old & 0xf0) | (level + 8) : (old & 0x0f) | ((level + 8) << 4);
  }
  return bytes;
}

/** Number by number, in double precision. */
function expected(levels: readonly number[], query: Float32Array, first: number, count: number): number[] {
  return Array.from({ length: count }, (_, row) =>
    query.reduce((sum, value, at) => sum + value * (levels[(first + row) * query.length + at] ?? NaN), 0),
  );
}

function someLevels(count: number, factor: number, seed: number): number[] {
  return Array.from({ length: count }, (_, at) => (Math.abs(at * factor + seed) % 15) - 7);
}

test('the module in the source is what its text says', async () => {
  const tools = await wabt();
  const module = tools.parseWat(SOURCE, readFileSync(SOURCE, 'utf8'), { simd: true });
  assert.equal(kernelModule().toString('base64'), Buffer.from(module.toBinary({}).buffer).toString('base64'));
});

const cases = fc
  .record({ dimensions: fc.constantFrom(1, 4, 7, 32, 96, 128, 130, 256, 384), rows: fc.nat(40), seed: fc.integer() })
  .chain(({ dimensions, rows, seed }) =>
    fc.record({
      query: fc
        .array(fc.float({ min: -1, max: 1, noNaN: true }), { minLength: dimensions, maxLength: dimensions })
        .map(values => Float32Array.from(values)),
      levels: fc.constant(someLevels(dimensions * rows, 7919, seed)),
      first: fc.nat(rows),
      rows: fc.constant(rows),
    }),
  );

for (const [name, slow] of [
  ['thirty-two at a time', false],
  ['one by one', true],
] as const) {
  test(`products ${name} are those of plain arithmetic, whatever the length`, () => {
    fc.assert(
      fc.property(cases, ({ query, levels, first, rows }) => {
        const asked = slow ? new Int4Query(query, undefined) : new Int4Query(query);
        const found = new Float64Array(rows - first + 1).fill(NaN);
        asked.products(packed(levels, query.length), first, rows - first, found, 1);
        const largest = query.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
        // Half a step of rounding for each number of the query, against the largest level.
        const allowed = (0.5 * largest * 7 * query.length) / 32767 + 1e-9;
        for (const [row, value] of expected(levels, query, first, rows - first).entries()) {
          assert.ok(Math.abs((found[row + 1] ?? NaN) - value) <= allowed);
        }
        assert.ok(Number.isNaN(found[0]), 'what is in front of the offset stays');
      }),
      { seed: 11, numRuns: 300 },
    );
  });
}

test('scaled products of a packet are those of its vectors, each by its scale', () => {
  const scale = fc.constantFrom(0, 0.25, 0.01, 1.5);
  fc.assert(
    fc.property(cases, fc.array(scale, { minLength: 40, maxLength: 40 }), fc.boolean(), (one, scales, isSlow) => {
      const asked = isSlow ? new Int4Query(one.query, undefined) : new Int4Query(one.query);
      const vectors = packed(one.levels, one.query.length);
      assertScaled(asked, vectors, Float32Array.from(scales.slice(0, one.rows)));
    }),
    { seed: 12, numRuns: 300 },
  );
  const [rows, dimensions] = [1500, 128];
  const vectors = packed(someLevels(rows * dimensions, 31, 0), dimensions);
  const scales = Float32Array.from({ length: rows }, (_, row) => (row % 7) / 7);
  assertScaled(new Int4Query(Float32Array.from({ length: dimensions }, (_, at) => Math.sin(at))), vectors, scales);
});

function assertScaled(query: Int4Query, vectors: Uint8Array, scales: Float32Array): void {
  const products = new Float32Array(scales.length);
  query.products(vectors, 0, scales.length, products);
  const packet = new Uint8Array(4 + scales.byteLength + vectors.length).subarray(4);
  packet.set(new Uint8Array(scales.buffer));
  packet.set(vectors, scales.byteLength);
  const found = new Float32Array(scales.length);
  query.scaledProducts(packet, scales.length, found);
  assert.deepEqual(
    found,
    scales.map((scale, row) => (scale === 0 ? NaN : scale * (products[row] ?? NaN))),
  );
}

test('more rows than fit at a time are all compared, and queries take turns', () => {
  const rows = 3000;
  const levels = someLevels(rows * 384, 1, 0);
  const vectors = packed(levels, 384);
  const queries = [1, -1].map(sign => Float32Array.from({ length: 384 }, (_, at) => sign * Math.cos(at)));
  const asked = queries.map(query => new Int4Query(query));
  for (const turn of [0, 1, 0]) {
    const found = new Float64Array(rows);
    asked[turn]?.products(vectors, 0, rows, found);
    const right = expected(levels, queries[turn] ?? new Float32Array(), 0, rows);
    assert.ok(found.every((value, row) => Math.abs(value - (right[row] ?? NaN)) < 0.05));
  }
});

test('a long flat query does not overflow', () => {
  const found = new Float64Array(2);
  const vectors = packed(
    Array.from({ length: 8192 }, (_, at) => (at < 4096 ? 7 : -7)),
    4096,
  );
  new Int4Query(new Float32Array(4096).fill(1)).products(vectors, 0, 2, found);
  assert.ok(Math.abs((found[0] ?? 0) / (4096 * 7) - 1) < 1e-3);
  assert.ok(Math.abs((found[1] ?? 0) / (4096 * 7) + 1) < 1e-3);
});

test('a query of zeros is like nothing, one that is not finite is refused', () => {
  const found = new Float64Array(1).fill(7);
  new Int4Query(new Float32Array(32)).products(new Uint8Array(16).fill(0xd5), 0, 1, found);
  assert.equal(found[0], 0);
  assert.throws(() => new Int4Query(Float32Array.of(1, NaN)), /not finite/);
});
