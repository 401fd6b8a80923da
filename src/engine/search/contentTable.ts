import { KEY_BYTES } from '../../util/hashKeys';
import { MultiMap } from '../../util/multiMap';
import { LineTerms } from '../lexical/lineTerms';
import { BlobTable } from '../store/blobTable';
import { type ContentRow, type Definition, DEFINITION_KINDS } from '../store/records';
import { preparedRest, type SnapshotSink, type SnapshotSource } from '../store/snapshot';

/** The windows of a content: 32 bytes of key each, and how many landmarks each has. */
export type ContentWindows = Pick<ContentRow, 'windowKeys' | 'landmarkCounts'>;

/** What the lexical indexes need of a content, and need again to take it out. */
export interface SearchablePart {
  /** Valid until those of another content are asked for. */
  readonly lines: LineTerms;
  /** What it defines. */
  readonly names: readonly DefinedName[];
}

export type DefinedName = Pick<Definition, 'name' | 'kind'>;

/** Rows kept as they were read: those of the files in the last few answers. */
const REMEMBERED_ROWS = 64;
/** Stands in no name. */
const LINE_END = '\n';
/** Of a window: its key and its number of landmarks. */
const WINDOW_BYTES = KEY_BYTES + 1;

/**
 * The contents that at least one document has. Each has a number, which stands for it in tables of its own and of others and
 * is given out again. What the indexes need of it rests in the snapshot; the rest of its row is read when it is asked for.
 */
export class ContentTable {
  private readonly numbers = new Map<string, number>();
  private readonly hashesByNumber: (string | null)[] = [];
  private readonly free: number[] = [];
  private readonly docs = new MultiMap<number, number>();
  private readonly lines = new BlobTable();
  private readonly names = new BlobTable();
  private readonly windows = new BlobTable();
  private readonly rows = new Map<string, ContentRow>();

  /** @param readRow gives the row of a content again. */
  constructor(private readonly readRow: (hash: string) => ContentRow | undefined) {}

  /** Every number is below this. */
  get limit(): number {
    return this.numbers.size + this.free.length;
  }

  has(hash: string): boolean {
    return this.numbers.has(hash);
  }

  numberOf(hash: string): number | undefined {
    return this.numbers.get(hash);
  }

  hashOf(number: number): string | undefined {
    return this.hashesByNumber[number] ?? undefined;
  }

  hashes(): IterableIterator<string> {
    return this.numbers.keys();
  }

  docsOf(hash: string): number[] {
    return [...this.docs.get(this.numbers.get(hash) ?? -1)];
  }

  docsWith(number: number): Iterable<number> {
    return this.docs.get(number);
  }

  /** The row of a content; undefined also when it cannot be read again. */
  row(hash: string): ContentRow | undefined {
    if (!this.numbers.has(hash)) return undefined;
    const row = this.rows.get(hash) ?? this.readRow(hash);
    if (row !== undefined) this.remember(hash, row);
    return row;
  }

  /** @throws LandmarkError `store-damaged`, as do the other methods that read what rests in a snapshot. */
  windowsOf(hash: string): ContentWindows | undefined {
    const number = this.numbers.get(hash);
    if (number === undefined) return undefined;
    const packed = (this.windows.get(number) ?? new Uint8Array()).slice();
    const count = packed.length / WINDOW_BYTES;
    return { windowKeys: packed.subarray(0, count * KEY_BYTES), landmarkCounts: packed.subarray(count * KEY_BYTES) };
  }

  partOf(number: number): SearchablePart {
    return { lines: this.linesOf(number), names: this.namesOf(number) };
  }

  /** Valid until those of another content are asked for; without lines where there is no such content. */
  linesOf(number: number): LineTerms {
    const lines = this.lines.get(number);
    return lines === undefined ? LineTerms.pack(new Uint32Array(), new Uint32Array()) : LineTerms.of(lines);
  }

  namesOf(number: number): readonly DefinedName[] {
    const names = this.names.get(number);
    return names === undefined ? [] : Buffer.from(names).toString().split(LINE_END).map(unpackName);
  }

  /** Gives the number of a content, a new one if need be; it is to be linked then. */
  add(hash: string, row: ContentRow): number {
    const known = this.numbers.get(hash);
    if (known !== undefined) return known;
    const number = this.free.pop() ?? this.numbers.size;
    this.numbers.set(hash, number);
    this.hashesByNumber[number] = hash;
    const { lines, names } = searchablePart(row);
    this.lines.set(number, lines.bytes);
    if (names.length > 0) this.names.set(number, new TextEncoder().encode(names.map(packName).join(LINE_END)));
    if (row.landmarkCounts.length > 0) {
      const packed = new Uint8Array(row.landmarkCounts.length * WINDOW_BYTES);
      packed.set(row.windowKeys);
      packed.set(row.landmarkCounts, row.windowKeys.length);
      this.windows.set(number, packed);
    }
    this.remember(hash, row);
    return number;
  }

  /** A document has this content from now on. */
  link(number: number, doc: number): void {
    this.docs.add(number, doc);
  }

  /** A document has this content no more. */
  unlink(hash: string, doc: number): void {
    const number = this.numbers.get(hash);
    if (number === undefined) return;
    this.docs.delete(number, doc);
    if (this.docs.has(number)) return;
    this.numbers.delete(hash);
    this.hashesByNumber[number] = null;
    this.rows.delete(hash);
    for (const table of [this.lines, this.names, this.windows]) table.delete(number);
    this.free.push(number);
  }

  async save(sink: SnapshotSink, name: string): Promise<void> {
    await sink.json(`${name}.hashes`, this.hashesByNumber);
    for (const [part, table] of this.tables()) await sink.blobs(`${name}.${part}`, table);
  }

  /**
   * Into a table that holds nothing yet.
   * @param links every document with the number of its content.
   * @throws LandmarkError `store-damaged`.
   */
  async restore(
    source: SnapshotSource,
    name: string,
    links: Iterable<readonly [doc: number, content: number]>,
  ): Promise<void> {
    const hashes = (await source.json(`${name}.hashes`)) as (string | null)[];
    for (const [number, hash] of hashes.entries()) {
      this.hashesByNumber.push(hash);
      if (hash === null) this.free.push(number);
      else this.numbers.set(hash, number);
    }
    for (const [doc, content] of links) this.docs.add(content, doc);
    (await this.rest(source, name))();
  }

  /** Gets ready to read from a snapshot what is as it was when that was written. @returns does it, at once. */
  async rest(source: SnapshotSource, name: string): Promise<() => void> {
    const apply: (() => void)[] = [];
    for (const [part, table] of this.tables()) apply.push(await preparedRest(source, `${name}.${part}`, table));
    return () => apply.forEach(one => one());
  }

  private tables(): readonly (readonly [string, BlobTable])[] {
    return [
      ['lines', this.lines],
      ['names', this.names],
      ['windows', this.windows],
    ];
  }

  private remember(hash: string, row: ContentRow): void {
    this.rows.delete(hash);
    this.rows.set(hash, row);
    for (const oldest of this.rows.keys()) {
      if (this.rows.size <= REMEMBERED_ROWS) break;
      this.rows.delete(oldest);
    }
  }
}

export function searchablePart({ terms, lineEnds, definitions }: ContentRow): SearchablePart {
  return { lines: LineTerms.pack(terms, lineEnds), names: definitions };
}

/** The keys of windows, views of 32 bytes. */
export function windowKeysOf({ windowKeys, landmarkCounts }: ContentWindows): Uint8Array[] {
  return Array.from(landmarkCounts, (_, at) => windowKeys.subarray(KEY_BYTES * at, KEY_BYTES * (at + 1)));
}

/** A digit of its kind, then the name. */
function packName({ name, kind }: DefinedName): string {
  return `${DEFINITION_KINDS.indexOf(kind)}${name}`;
}

function unpackName(packed: string): DefinedName {
  return { name: packed.slice(1), kind: DEFINITION_KINDS[Number(packed.charAt(0))] ?? 'variable' };
}
