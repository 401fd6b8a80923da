import { windowTotals } from './lineWindows';

/** Stands in front of a number that takes two units: its low half, then its high half. */
export const LONG = 0xffff;

/** In front of the units: numbers of lines and of terms, of windows of lines, and the sum of those windows' lengths, in 32 bits each. */
const HEAD = 4;

/**
 * The terms of a content line by line, packed: for every line how many terms it has, then those, in units of sixteen bits. Half
 * the room of plain numbers and line ends: common terms have small numbers. A query reads it from front to end. (Varints take
 * a fifth less and three times as long to read: their lengths are a surprise to the processor at every other term.)
 */
export class LineTerms {
  readonly units: Uint16Array;
  readonly lineCount: number;
  readonly termCount: number;
  /** How many windows of lines there are, and the sum of their lengths in terms. */
  readonly windows: ReturnType<typeof windowTotals>;

  private constructor(readonly bytes: Uint8Array) {
    const { buffer, byteOffset, length } = bytes;
    const head = new Uint32Array(buffer, byteOffset, HEAD);
    this.units = new Uint16Array(buffer, byteOffset + HEAD * 4, (length >>> 1) - HEAD * 2);
    this.lineCount = head[0] as number;
    this.termCount = head[1] as number;
    this.windows = { count: head[2] as number, length: head[3] as number };
  }

  /** Those whose `bytes` these are: a view, valid as long as they are (the numbers stay). They begin at a multiple of four. */
  static of(bytes: Uint8Array): LineTerms {
    return new LineTerms(bytes);
  }

  /**
   * @param terms numbers of the vocabulary, in order.
   * @param lineEnds for each line the number of terms up to and including it.
   */
  static pack(terms: Uint32Array, lineEnds: Uint32Array): LineTerms {
    const units = space(HEAD * 2 + 3 * (terms.length + lineEnds.length));
    let used = HEAD * 2;
    let at = 0;
    const write = (value: number): void => {
      if (value < LONG) {
        units[used++] = value;
        return;
      }
      units[used++] = LONG;
      units[used++] = value & 0xffff;
      units[used++] = value >>> 16;
    };
    for (let line = 0; line < lineEnds.length; line++) {
      const end = lineEnds[line] as number;
      write(end - at);
      for (; at < end; at++) write(terms[at] as number);
    }
    const windows = windowTotals(lineEnds);
    const { buffer } = units.slice(0, used);
    new Uint32Array(buffer, 0, HEAD).set([lineEnds.length, at, windows.count, windows.length]);
    return new LineTerms(new Uint8Array(buffer));
  }

  /** Visits every term in order. */
  each(visit: (term: number) => void): void {
    const { units, lineCount } = this;
    let at = 0;
    const read = (): number => {
      const unit = units[at++] as number;
      if (unit !== LONG) return unit;
      at += 2;
      return (units[at - 2] as number) + (units[at - 1] as number) * 0x10000;
    };
    for (let line = 0; line < lineCount; line++) for (let left = read(); left > 0; left--) visit(read());
  }
}

/** Kept between calls; what is packed gets its own copy in the end. */
let buffer = new Uint16Array(1 << 16);

function space(units: number): Uint16Array {
  if (buffer.length < units) buffer = new Uint16Array(units * 2);
  return buffer;
}
