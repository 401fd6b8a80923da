/** Seven bits of a number a byte, the eighth says that more follow: common terms have small numbers. */
const MORE = 0x80;

/**
 * The terms of a content line by line, packed: for every line how many terms it has, then those, as varints. About a byte and
 * a half a term, where numbers of 32 bits and the ends of the lines took five; a query reads it from front to end.
 */
export class LineTerms {
  private constructor(
    readonly bytes: Uint8Array,
    readonly lineCount: number,
    readonly termCount: number,
  ) {}

  /**
   * @param terms numbers of the vocabulary, in order.
   * @param lineEnds for each line the number of terms up to and including it.
   */
  static pack(terms: Uint32Array, lineEnds: Uint32Array): LineTerms {
    const bytes = space(5 * (terms.length + lineEnds.length));
    let used = 0;
    let at = 0;
    const write = (value: number): void => {
      let rest = value;
      for (; rest >= MORE; rest >>>= 7) bytes[used++] = (rest & (MORE - 1)) | MORE;
      bytes[used++] = rest;
    };
    for (let line = 0; line < lineEnds.length; line++) {
      const end = lineEnds[line] as number;
      write(end - at);
      for (; at < end; at++) write(terms[at] as number);
    }
    return new LineTerms(bytes.slice(0, used), lineEnds.length, at);
  }

  /** Visits every term in order, and every line end with the number of terms so far. */
  each(onTerm: (term: number) => void, onLineEnd: (terms: number) => void = () => {}): void {
    const { bytes, lineCount } = this;
    let at = 0;
    let count = 0;
    const read = (): number => {
      let value = bytes[at++] as number;
      if (value < MORE) return value;
      value &= MORE - 1;
      for (let shift = 7; ; shift += 7) {
        const byte = bytes[at++] as number;
        value |= (byte & (MORE - 1)) << shift;
        if (byte < MORE) return value >>> 0;
      }
    };
    for (let line = 0; line < lineCount; line++) {
      for (let left = read(); left > 0; left--, count++) onTerm(read());
      onLineEnd(count);
    }
  }

  /** For each line the number of terms up to and including it. */
  lineEnds(): Uint32Array {
    const ends = new Uint32Array(this.lineCount);
    let line = 0;
    this.each(
      () => {},
      terms => (ends[line++] = terms),
    );
    return ends;
  }
}

/** Kept between calls; what is packed gets its own copy in the end. */
let buffer = new Uint8Array(1 << 16);

function space(bytes: number): Uint8Array {
  if (buffer.length < bytes) buffer = new Uint8Array(bytes * 2);
  return buffer;
}
