import { halfCount, HALF, windowTotals } from './lineWindows';

/**
 * Stands in front of a number that does not fit into one unit: its low half follows, then its high half, counted down from below
 * this: as it is, it would look like one of the most common terms.
 */
export const LONG = 0xffff;
const LONG_UNITS = 3;

/**
 * In front of the units: numbers of lines and of terms, of windows of lines, the sum of those windows' lengths, and how many units
 * the lines' lengths take, in 32 bits each. Then for each half of a window the units and the terms up to its end.
 */
const HEAD = 5;

/**
 * The terms of a content line by line, packed in units of sixteen bits: for every line how many units its terms take, then the
 * terms of all lines. Half the room of plain numbers and line ends: common terms have small numbers. (Varints take a fifth less
 * and three times as long to read: their lengths are a surprise to the processor at every other term.) A query runs over the
 * terms' units without asking where numbers begin, and looks closer at those alone that may be of its own; see `Occurrences`.
 */
export class LineTerms {
  readonly units: Uint16Array;
  /** The terms' units begin here. */
  readonly firstUnit: number;
  readonly lineCount: number;
  readonly termCount: number;
  /** How many windows of lines there are, and the sum of their lengths in terms. */
  readonly windows: ReturnType<typeof windowTotals>;
  private readonly numbers: Uint32Array;

  private constructor(readonly bytes: Uint8Array) {
    const { buffer, byteOffset, length } = bytes;
    const lineCount = new Uint32Array(buffer, byteOffset, 1)[0] as number;
    const numbers = new Uint32Array(buffer, byteOffset, HEAD + 2 * halfCount(lineCount));
    this.numbers = numbers;
    this.units = new Uint16Array(buffer, byteOffset + numbers.byteLength, (length - numbers.byteLength) >>> 1);
    this.lineCount = lineCount;
    this.termCount = numbers[1] as number;
    this.windows = { count: numbers[2] as number, length: numbers[3] as number };
    this.firstUnit = numbers[4] as number;
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
    lengths.begin(lineEnds.length);
    units.begin(terms.length);
    const numbers = new Uint32Array(HEAD + 2 * halfCount(lineEnds.length));
    let at = 0;
    for (let line = 0; line < lineEnds.length; line++) {
      const before = units.used;
      for (const end = lineEnds[line] as number; at < end; at++) units.write(terms[at] as number);
      lengths.write(units.used - before);
      const half = HEAD + 2 * Math.floor(line / HALF);
      numbers[half] = units.used;
      numbers[half + 1] = at;
    }
    const windows = windowTotals(lineEnds);
    numbers.set([lineEnds.length, at, windows.count, windows.length, lengths.used]);
    const bytes = new Uint8Array(numbers.byteLength + lengths.bytes.length + units.bytes.length);
    bytes.set(new Uint8Array(numbers.buffer));
    bytes.set(lengths.bytes, numbers.byteLength);
    bytes.set(units.bytes, numbers.byteLength + lengths.bytes.length);
    return new LineTerms(bytes);
  }

  /** The index of the unit behind a half of a window. */
  endOfHalf(half: number): number {
    return this.firstUnit + (this.numbers[HEAD + 2 * half] as number);
  }

  /** The number of terms up to the end of a half of a window. */
  termsUpTo(half: number): number {
    return this.numbers[HEAD + 2 * half + 1] as number;
  }

  /** Visits every term in order. */
  each(visit: (term: number) => void): void {
    const { units } = this;
    for (let at = this.firstUnit; at < units.length; at = endOfNumber(units, at)) visit(numberAt(units, at));
  }
}

/** The number whose units begin at an index. */
export function numberAt(units: Uint16Array, at: number): number {
  const first = units[at] as number;
  if (first !== LONG) return first;
  return (units[at + 1] as number) + (LONG - 1 - (units[at + 2] as number)) * 0x10000;
}

/** The index of the unit behind it. */
export function endOfNumber(units: Uint16Array, at: number): number {
  return at + (units[at] === LONG ? LONG_UNITS : 1);
}

/** Whether a unit may be but a part of a number. */
export function mayBePart(units: Uint16Array, at: number): boolean {
  return units[at] === LONG || units[at - 1] === LONG || units[at - 2] === LONG;
}

/** A unit of a number that few others have. */
export function tellingUnit(number: number): number {
  return number & 0xffff;
}

class UnitWriter {
  used = 0;
  private units = new Uint16Array(1 << 12);

  get bytes(): Uint8Array {
    return new Uint8Array(this.units.buffer, 0, 2 * this.used);
  }

  /** Forgets what was written and makes room for so many numbers. */
  begin(numbers: number): void {
    this.used = 0;
    if (this.units.length < LONG_UNITS * numbers) this.units = new Uint16Array(2 * LONG_UNITS * numbers);
  }

  write(number: number): void {
    const { units } = this;
    if (number < LONG) {
      units[this.used++] = number;
      return;
    }
    units[this.used++] = LONG;
    units[this.used++] = number & 0xffff;
    units[this.used++] = LONG - 1 - (number >>> 16);
  }
}

/** Kept between calls; what is packed gets its own copy in the end. */
const lengths = new UnitWriter();
const units = new UnitWriter();
