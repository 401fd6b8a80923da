import { LandmarkError } from '../../util/errors';

/** `int8Products.wat` in binary; a test builds it again and compares. */
const MODULE =
  'AGFzbQEAAAABCAFgBH9/f38AAwIBAAUDAQAFBxUCBm1lbW9yeQIACHByb2R1Y3RzAAAKpQEBogECAn8CewJAA0AgAUUNAUEAIQQgACACaiEF' +
  '/QwAAAAAAAAAAAAAAAAAAAAAIQcDQCAA/QAEACEGIAcgBv2HASAE/QAEAP26ASAG/YgBIAT9AAQQ/boB/a4B/a4BIQcgBEEgaiEEIABBEGoh' +
  'ACAAIAVJDQALIAMgB/0bACAH/RsBaiAH/RsCIAf9GwNqajYCACADQQRqIQMgAUEBayEBDAALCws=';
const STEP = 16;
/** Numbers that a query may have: its place in the module's memory. */
const MOST_DIMENSIONS = 4096;
const QUERY_BYTES = MOST_DIMENSIONS * 2;
const PAGE_BYTES = 65536;
const PAGES = 5;
const MOST_ROWS = 1024;
const SUMS_AT = QUERY_BYTES;
const ROWS_AT = SUMS_AT + MOST_ROWS * 4;
const ROOM = PAGES * PAGE_BYTES - ROWS_AT;
/** The greatest sum of products must stay inside int32. */
const MOST_SUM = (2 ** 31 - 1) / 127;

interface Kernel {
  readonly bytes: Int8Array;
  /** The same memory as bytes without sign and as numbers. */
  readonly packed: Uint8Array;
  readonly floats: Float32Array;
  readonly query: Int16Array;
  readonly sums: Int32Array;
  readonly products: (rows: number, count: number, width: number, sums: number) => void;
  /** Whose numbers lie in its memory. */
  holds: Int8Query | undefined;
}

/**
 * A vector to compare with many int8 vectors. It is rounded to 16 bits, which costs less than a hundredth of what rounding the
 * others to eight did; products are then whole numbers, sixteen at a time where the processor can.
 */
export class Int8Query {
  private readonly levels: Int16Array;
  private readonly scale: number;

  /** @param kernel for tests: undefined compares number by number. */
  constructor(
    readonly vector: Float32Array,
    private readonly kernel: Kernel | undefined = sharedKernel(),
  ) {
    const largest = vector.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
    const sum = vector.reduce((total, value) => total + Math.abs(value), 0);
    if (!Number.isFinite(sum)) throw new LandmarkError('internal', 'A query has a vector that is not finite.');
    const steps = Math.min(32767, Math.floor((MOST_SUM / sum) * largest)) || 1;
    this.scale = largest / steps;
    this.levels = Int16Array.from(vector, value => (largest > 0 ? Math.round((value / largest) * steps) : 0));
  }

  get dimensions(): number {
    return this.levels.length;
  }

  /** Dot products with `count` vectors from number `first` of `vectors`, `[rows × dimensions]`, on, written to `into` from `offset` on. */
  products(vectors: Int8Array, first: number, count: number, into: Float32Array | Float64Array, offset = 0): void {
    const { dimensions } = this;
    const kernel = this.readyKernel();
    if (kernel === undefined) return this.oneByOne(vectors, first, count, into, offset);
    const portion = Math.min(MOST_ROWS, Math.floor(ROOM / dimensions));
    for (let done = 0; done < count; done += portion) {
      const rows = Math.min(portion, count - done);
      const start = (first + done) * dimensions;
      const bytes = rows * dimensions;
      // A view takes longer to make than a few rows to copy.
      kernel.bytes.set(bytes === vectors.length ? vectors : vectors.subarray(start, start + bytes), ROWS_AT);
      kernel.products(ROWS_AT, rows, dimensions, SUMS_AT);
      for (let row = 0; row < rows; row++) into[offset + done + row] = (kernel.sums[row] as number) * this.scale;
    }
  }

  /**
   * Products with `count` vectors that have a scale each, in one packet: the scales as 32-bit numbers, then the int8 values; it
   * begins at a multiple of four. NaN where a scale is 0. The packet is copied in one go: views of its parts take longer to make
   * than a file's vectors to multiply.
   */
  scaledProducts(packet: Uint8Array, count: number, into: Float32Array): void {
    const { dimensions, scale } = this;
    const kernel = this.readyKernel();
    if (kernel === undefined || count > MOST_ROWS || packet.length > ROOM) {
      const scales = new Float32Array(packet.buffer, packet.byteOffset, count);
      this.products(new Int8Array(packet.buffer, packet.byteOffset + 4 * count, count * dimensions), 0, count, into);
      for (let row = 0; row < count; row++) into[row] = scaled(into[row] as number, scales[row] as number);
      return;
    }
    const { packed, floats, sums } = kernel;
    packed.set(packet, ROWS_AT);
    kernel.products(ROWS_AT + 4 * count, count, dimensions, SUMS_AT);
    for (let row = 0; row < count; row++) {
      const product = Math.fround((sums[row] as number) * scale);
      into[row] = scaled(product, floats[ROWS_AT / 4 + row] as number);
    }
  }

  /** Undefined where it cannot multiply vectors of this length. */
  private readyKernel(): Kernel | undefined {
    const { kernel, dimensions } = this;
    if (kernel === undefined || dimensions % STEP !== 0 || dimensions > MOST_DIMENSIONS) return undefined;
    if (kernel.holds !== this) kernel.query.set(this.levels);
    kernel.holds = this;
    return kernel;
  }

  private oneByOne(
    vectors: Int8Array,
    first: number,
    count: number,
    into: Float32Array | Float64Array,
    offset: number,
  ): void {
    const { levels, dimensions } = this;
    for (let row = 0; row < count; row++) {
      const start = (first + row) * dimensions;
      let sum = 0;
      for (let at = 0; at < dimensions; at++) sum += (vectors[start + at] as number) * (levels[at] as number);
      into[offset + row] = sum * this.scale;
    }
  }
}

function scaled(product: number, scale: number): number {
  return scale === 0 ? NaN : scale * product;
}

/** What is used of it; Node's types leave it to the browser's. */
const { WebAssembly } = globalThis as unknown as {
  readonly WebAssembly: {
    readonly Module: new (bytes: Uint8Array) => object;
    readonly Instance: new (module: object) => { readonly exports: Readonly<Record<string, unknown>> };
  };
};

let shared: Kernel | undefined | 'unknown' = 'unknown';

/** One for the process; undefined where the processor has no such instructions. */
function sharedKernel(): Kernel | undefined {
  if (shared === 'unknown') shared = createKernel();
  return shared;
}

function createKernel(): Kernel | undefined {
  try {
    const { exports } = new WebAssembly.Instance(new WebAssembly.Module(kernelModule()));
    const { buffer } = exports.memory as { readonly buffer: ArrayBuffer };
    return {
      bytes: new Int8Array(buffer),
      packed: new Uint8Array(buffer),
      floats: new Float32Array(buffer),
      query: new Int16Array(buffer, 0, MOST_DIMENSIONS),
      sums: new Int32Array(buffer, SUMS_AT, MOST_ROWS),
      products: exports.products as Kernel['products'],
      holds: undefined,
    };
  } catch {
    return undefined;
  }
}

/** The WebAssembly module that multiplies. */
export function kernelModule(): Buffer<ArrayBuffer> {
  return Buffer.from(MODULE, 'base64');
}
