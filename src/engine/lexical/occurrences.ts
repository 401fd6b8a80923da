import { endOfNumber, type LineTerms, mayBePart, numberAt, tellingUnit } from './lineTerms';

const UNITS = 0x10000;

/** The terms that are looked for, and what they look like among the units of a content. */
export class WantedTerms {
  /** Slot by term, from 1 on; 0 = not looked for. */
  slots = new Uint8Array(1 << 10);
  /** By unit whether it may be one of them, or a part of one (1). */
  readonly telling = new Uint8Array(UNITS);

  /**
   * Runs `use` while the terms have their slots: 1 for the first and so on.
   * @param limit every term that a content may have is below this.
   */
  during(terms: readonly number[], limit: number, use: () => void): void {
    if (this.slots.length < limit) this.slots = new Uint8Array(limit);
    for (const [index, term] of terms.entries()) this.mark(term, index + 1);
    try {
      use();
    } finally {
      for (const term of terms) this.mark(term, 0);
    }
  }

  private mark(term: number, slot: number): void {
    this.slots[term] = slot;
    this.telling[tellingUnit(term)] = slot === 0 ? 0 : 1;
  }
}

/** Where the terms of a query stand in one content, in order. One object serves all contents of a query. */
export class Occurrences {
  /** How many there are: the arrays hold older ones behind. */
  count = 0;
  /** Index of the term's first unit in the content, of the unit behind the term, and of the one behind its line. */
  starts = new Uint32Array(1 << 10);
  ends = new Uint32Array(1 << 10);
  lineEnds = new Uint32Array(1 << 10);
  /** Slot of the term, from 1 on. */
  slots = new Uint8Array(1 << 10);

  find(content: LineTerms, { telling, slots }: WantedTerms): void {
    this.makeRoom(content.termCount);
    this.count = 0;
    const { units, firstUnit } = content;
    let nextLength = 0;
    let line = firstUnit;
    let lineEnd = firstUnit;
    for (let at = nextTelling(units, firstUnit, telling); at < units.length;) {
      while (lineEnd <= at) {
        line = lineEnd;
        lineEnd += numberAt(units, nextLength);
        nextLength = endOfNumber(units, nextLength);
      }
      const start = mayBePart(units, at) ? startOfNumber(units, line, at) : at;
      const end = endOfNumber(units, start);
      const slot = slots[numberAt(units, start)] as number;
      if (slot > 0) this.add(slot, start, end, lineEnd);
      at = nextTelling(units, end, telling);
    }
  }

  private add(slot: number, start: number, end: number, lineEnd: number): void {
    const at = this.count++;
    this.slots[at] = slot;
    this.starts[at] = start;
    this.ends[at] = end;
    this.lineEnds[at] = lineEnd;
  }

  private makeRoom(terms: number): void {
    if (terms <= this.slots.length) return;
    this.slots = new Uint8Array(terms * 2);
    this.starts = new Uint32Array(terms * 2);
    this.ends = new Uint32Array(terms * 2);
    this.lineEnds = new Uint32Array(terms * 2);
  }
}

/** The first index from `at` on whose unit tells of something; most do not, so that four are looked at together. */
function nextTelling(units: Uint16Array, at: number, telling: Uint8Array): number {
  const tells = (index: number): number => telling[units[index] as number] as number;
  let next = at;
  while (next + 4 <= units.length && (tells(next) | tells(next + 1) | tells(next + 2) | tells(next + 3)) === 0)
    next += 4;
  while (next < units.length && tells(next) === 0) next++;
  return next;
}

/** Where the number begins that the unit at an index is a part of, on a line that begins at another. */
function startOfNumber(units: Uint16Array, line: number, at: number): number {
  let start = line;
  for (let end = endOfNumber(units, start); end <= at; end = endOfNumber(units, start)) start = end;
  return start;
}
