import { LandmarkError } from '../../util/errors';
import { packedBytes, ZERO_LEVEL } from './quantization';

/** `int4Products.wat` in binary; a test builds it again and compares. */
const MODULE =
  'AGFzbQEAAAABCAFgBH9/f38AAwIBAAUDAQAFBxUCBm1lbW9yeQIACHByb2R1Y3RzAAAK6wEB6AECAn8De/0MDwAPAA8ADwAPAA8ADwAPACEIAkAD' +
  'QCABRQ0BQQAhBCAAIAJqIQX9DAAAAAAAAAAAAAAAAAAAAAAhBwNAIAD9AAQAIQYgByAGIAj9TiAE/QAEAP26ASAGQQT9jQEgCP1OIAT9AAQQ/boB' +
  '/a4BIAZBCP2NASAI/U4gBP0ABCD9ugEgBkEM/Y0BIAT9AAQw/boB/a4B/a4B/a4BIQcgBEHAAGohBCAAQRBqIQAgACAFSQ0ACyADIAf9GwAgB/0b' +
  'AWogB/0bAiAH/RsDamo2AgAgA0EEaiEDIAFBAWshAQwACwsL';
/** Numbers that it takes at a time, in four portions of as many as it has lanes. */
const STEP = 32;
const LANES = 8;
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
const MOST_SUM = (2 ** 31 - 1) / 15;

interface Kernel {
  readonly bytes: Uint8Array;
  /** The same memory as numbers. */
  readonly floats: Float32Array;
  readonly query: Int16Array;
  readonly sums: Int32Array;
  readonly products: (rows: number, count: number, bytes: number, sums: number) => void;
  /** Whose numbers lie in its memory. */
  holds: Int4Query | undefined;
}

/**
 * A vector to compare with many int4 vectors, packed as `quantizeInto` does. It is rounded to 16 bits, which costs less than a
 * thousandth of what rounding the others to four did; products are then whole numbers, thirty-two at a time where the processor can.
 */
export class Int4Query {
  private readonly levels: Int16Array;
  private readonly scale: number;
  /** What is too much in a sum of products with levels that have 8 added. */
  private readonly excess: number;

  /** @param kernel for tests: undefined compares number by number. */
  constructor(
    readonly vector: Float32Array,
    private readonly kernel: Kernel | undefined = sharedKernel(),
  ) {
    let [largest, sum] = [0, 0];
    for (let at = 0; at < vector.length; at++) {
      const size = Math.abs(vector[at] as number);
      largest = Math.max(largest, size);
      sum += size;
    }
    if (!Number.isFinite(sum)) throw new LandmarkError('internal', 'A query has a vector that is not finite.');
    const steps = Math.min(32767, Math.floor((MOST_SUM / sum) * largest)) || 1;
    this.scale = largest / steps;
    this.levels = new Int16Array(vector.length);
    let levels = 0;
    for (let at = 0; largest > 0 && at < vector.length; at++) {
      levels += this.levels[at] = Math.round(((vector[at] as number) / largest) * steps);
    }
    this.excess = ZERO_LEVEL * levels;
  }

  get dimensions(): number {
    return this.levels.length;
  }

  /** Dot products with `count` packed vectors from number `first` of `vectors` on, written to `into` from `offset` on. */
  products(vectors: Uint8Array, first: number, count: number, into: Float32Array | Float64Array, offset = 0): void {
    const kernel = this.readyKernel();
    if (kernel === undefined) return this.oneByOne(vectors, first, count, into, offset);
    const width = packedBytes(this.dimensions);
    const portion = Math.min(MOST_ROWS, Math.floor(ROOM / width));
    for (let done = 0; done < count; done += portion) {
      const rows = Math.min(portion, count - done);
      const start = (first + done) * width;
      const bytes = rows * width;
      // A view takes longer to make than a few rows to copy.
      kernel.bytes.set(bytes === vectors.length ? vectors : vectors.subarray(start, start + bytes), ROWS_AT);
      kernel.products(ROWS_AT, rows, width, SUMS_AT);
      for (let row = 0; row < rows; row++) {
        into[offset + done + row] = ((kernel.sums[row] as number) - this.excess) * this.scale;
      }
    }
  }

  /**
   * Products with `count` vectors that have a scale each, in one packet: the scales as 32-bit numbers, then the packed vectors; it
   * begins at a multiple of four. NaN where a scale is 0. The packet is copied in one go: views of its parts take longer to make
   * than a file's vectors to multiply.
   */
  scaledProducts(packet: Uint8Array, count: number, into: Float32Array): void {
    const { dimensions, scale, excess } = this;
    const kernel = this.readyKernel();
    if (kernel === undefined || count > MOST_ROWS || packet.length > ROOM) {
      const scales = new Float32Array(packet.buffer, packet.byteOffset, count);
      this.products(packet.subarray(4 * count), 0, count, into);
      for (let row = 0; row < count; row++) into[row] = scaled(into[row] as number, scales[row] as number);
      return;
    }
    const { bytes, floats, sums } = kernel;
    bytes.set(packet, ROWS_AT);
    kernel.products(ROWS_AT + 4 * count, count, packedBytes(dimensions), SUMS_AT);
    for (let row = 0; row < count; row++) {
      const product = Math.fround(((sums[row] as number) - excess) * scale);
      into[row] = scaled(product, floats[ROWS_AT / 4 + row] as number);
    }
  }

  /** Undefined where it cannot multiply vectors of this length. */
  private readyKernel(): Kernel | undefined {
    const { kernel, dimensions, levels } = this;
    if (kernel === undefined || dimensions % STEP !== 0 || dimensions > MOST_DIMENSIONS) return undefined;
    if (kernel.holds !== this) {
      for (let at = 0; at < dimensions; at++) kernel.query[at] = levels[inKernelOrder(at)] as number;
      kernel.holds = this;
    }
    return kernel;
  }

  private oneByOne(
    vectors: Uint8Array,
    first: number,
    count: number,
    into: Float32Array | Float64Array,
    offset: number,
  ): void {
    const { levels, dimensions } = this;
    const width = packedBytes(dimensions);
    for (let row = 0; row < count; row++) {
      const start = (first + row) * width;
      let sum = 0;
      for (let at = 0; at < dimensions; at++) {
        const byte = vectors[start + (at >> 1)] as number;
        sum += (at % 2 === 0 ? byte & 15 : byte >> 4) * (levels[at] as number);
      }
      into[offset + row] = (sum - this.excess) * this.scale;
    }
  }
}

/** Which number of a query the module takes at this place: of every four of thirty-two the first, then the second, and so on. */
function inKernelOrder(at: number): number {
  const inStep = at % STEP;
  return at - inStep + (inStep % LANES) * (STEP / LANES) + Math.floor(inStep / LANES);
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
      bytes: new Uint8Array(buffer),
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
