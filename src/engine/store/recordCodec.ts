import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { LandmarkError } from '../../util/errors';
import { ByteReader, ByteWriter } from './byteStream';
import { type ContentRow, type Definition, DEFINITION_KINDS, type FileRow, type WindowRecord } from './records';
import { seal, unseal, versionOf } from './sealed';

/** Raised whenever the layout of a packed value changes; older values are then rebuilt, never guessed at. */
export const RECORD_FORMAT = 1;
/** The same for windows, which the catalogues of many folders share and which take a model to make again. */
export const WINDOW_FORMAT = 3;

const WINDOW_KEY = 32;
const FILE_STATES = ['indexed', 'skipped', 'failed'] as const;
const HEX_HASH = /^[0-9a-f]{64}$/;

export function packFile(key: Uint8Array, row: FileRow): Uint8Array {
  const out = new ByteWriter();
  const hashed = HEX_HASH.test(row.hash);
  out.byte(FILE_STATES.indexOf(row.state) * 2 + (hashed ? 1 : 0));
  if (hashed) out.raw(Buffer.from(row.hash, 'hex'));
  else out.text(row.hash);
  out.varint(row.size);
  out.float64(row.stamp);
  out.text(row.reason);
  return seal(RECORD_FORMAT, key, out.finish());
}

export function unpackFile(key: Uint8Array, value: Uint8Array): FileRow {
  return parse(key, value, reader => {
    const head = reader.byte();
    const hash = head % 2 === 1 ? Buffer.from(reader.raw(32)).toString('hex') : reader.text();
    const size = reader.varint();
    const stamp = reader.float64();
    return { hash, size, stamp, state: pick(FILE_STATES, head >> 1), reason: reader.text() };
  });
}

export function packContent(key: Uint8Array, row: ContentRow): Uint8Array {
  const out = new ByteWriter(1024 + row.windowKeys.length + row.terms.length * 2);
  out.varint(row.lineCount);
  out.varint(row.tokens);
  out.varint(row.landmarkCounts.length);
  out.varint(row.windowKeys.length);
  out.raw(row.landmarkCounts);
  writeDifferences(out, row.spans);
  writeDifferences(out, row.lineEnds);
  out.varint(row.terms.length);
  for (const term of row.terms) out.varint(term);
  writeDefinitions(out, row.definitions);
  // Window keys are hashes and do not shrink; everything else does, by about a third.
  const rest = deflateRawSync(out.finish(), { level: 1 });
  const packed = new ByteWriter(rest.length + row.windowKeys.length + 8);
  packed.varint(rest.length);
  packed.raw(rest);
  packed.raw(row.windowKeys);
  return seal(RECORD_FORMAT, key, packed.finish());
}

export function unpackContent(key: Uint8Array, value: Uint8Array): ContentRow {
  return parse(key, value, packed => {
    const reader = new ByteReader(inflateRawSync(packed.raw(packed.count())));
    const lineCount = reader.varint();
    const tokens = reader.varint();
    const windows = reader.count();
    const windowKeys = packed.raw(reader.varint());
    const landmarkCounts = reader.raw(windows);
    const spans = readDifferences(reader);
    const lineEnds = readDifferences(reader);
    const terms = new Uint32Array(reader.count());
    for (let at = 0; at < terms.length; at++) terms[at] = reader.varint();
    const definitions = readDefinitions(reader);
    reader.end();
    if (windowKeys.length !== windows * WINDOW_KEY) throw unreadable();
    return { lineCount, tokens, windowKeys, landmarkCounts, spans, terms, lineEnds, definitions };
  });
}

export function packWindow(key: Uint8Array, record: WindowRecord): Uint8Array {
  const out = new ByteWriter(64 + record.landmarks.length + record.scales.length * 4);
  out.varint(record.landmarks.length);
  out.varint(record.scales.length);
  out.raw(record.landmarks);
  for (const scale of record.scales) out.float32(scale);
  return seal(WINDOW_FORMAT, key, out.finish());
}

export function unpackWindow(key: Uint8Array, value: Uint8Array): WindowRecord {
  const read = (reader: ByteReader): WindowRecord => {
    const [numbers, rows] = [reader.count(), reader.count(4)];
    const landmarks = reader.raw(numbers);
    return { landmarks, scales: Float32Array.from({ length: rows }, () => reader.float32()) };
  };
  return parse(key, value, read, WINDOW_FORMAT);
}

/** Whether a value is the whole and undamaged window of another version of the program. */
export function isOtherWindowFormat(key: Uint8Array, value: Uint8Array): boolean {
  const format = versionOf(key, value);
  return format !== undefined && format !== WINDOW_FORMAT;
}

/** A list of texts, for the blocks of the vocabulary and other small tables. */
export function packTexts(key: Uint8Array, texts: readonly string[]): Uint8Array {
  const out = new ByteWriter(texts.length * 12 + 8);
  out.varint(texts.length);
  for (const text of texts) out.text(text);
  return seal(RECORD_FORMAT, key, out.finish());
}

/** The same as UTF-8 bytes, views into the value: they were text when they were packed. */
export function unpackTextBytes(key: Uint8Array, value: Uint8Array): Uint8Array[] {
  return parse(key, value, reader => Array.from({ length: reader.count() }, () => reader.borrowed(reader.varint())));
}

export function unpackTexts(key: Uint8Array, value: Uint8Array): string[] {
  return parse(key, value, reader => Array.from({ length: reader.count() }, () => reader.text()));
}

/** Checks the seal, reads the whole body with `read`, and turns whatever goes wrong into `store-damaged`. */
function parse<T>(
  key: Uint8Array,
  value: Uint8Array,
  read: (reader: ByteReader) => T,
  format: number = RECORD_FORMAT,
): T {
  const reader = new ByteReader(unseal(format, key, value));
  try {
    const row = read(reader);
    reader.end();
    return row;
  } catch (error) {
    throw error instanceof LandmarkError ? error : unreadable(error);
  }
}

function writeDifferences(out: ByteWriter, values: Uint32Array): void {
  out.varint(values.length);
  let last = 0;
  for (const value of values) {
    out.signed(value - last);
    last = value;
  }
}

function readDifferences(reader: ByteReader): Uint32Array {
  const values = new Uint32Array(reader.count());
  let last = 0;
  for (let at = 0; at < values.length; at++) {
    last += reader.signed();
    values[at] = last;
  }
  return values;
}

function writeDefinitions(out: ByteWriter, definitions: readonly Definition[]): void {
  out.varint(definitions.length);
  let line = 0;
  for (const definition of definitions) {
    out.text(definition.name);
    out.signed(definition.line - line);
    out.byte(DEFINITION_KINDS.indexOf(definition.kind));
    line = definition.line;
  }
}

function readDefinitions(reader: ByteReader): Definition[] {
  let line = 0;
  return Array.from({ length: reader.count(3) }, () => {
    const name = reader.text();
    line += reader.signed();
    return { name, line, kind: pick(DEFINITION_KINDS, reader.byte()) };
  });
}

function pick<T>(choices: readonly T[], index: number): T {
  const choice = choices[index];
  if (choice === undefined) throw unreadable();
  return choice;
}

function unreadable(cause?: unknown): LandmarkError {
  return new LandmarkError('store-damaged', 'A stored value cannot be read: the index is damaged.', { cause });
}
