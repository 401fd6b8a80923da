import { MultiMap } from '../../util/multiMap';
import { type FileClass, fileClassOf } from '../files/fileClass';
import { baseOf } from '../files/filePaths';
import { languageOf } from '../files/languages';
import { BodyIndex } from '../lexical/bodyIndex';
import { tokenize } from '../lexical/identifiers';
import { detached } from '../lexical/detached';
import { LineTerms } from '../lexical/lineTerms';
import { NameIndex } from '../lexical/nameIndex';
import type { Vocabulary } from '../lexical/vocabulary';
import type { ContentRow } from '../store/records';
import type { ReadDraft, ReadDrafts } from './drafts';
import { isMarkedGenerated } from './generatedMark';

/** One searchable file. `doc` is its number in all indexes; numbers of removed files are given out again. */
export interface CorpusDocument {
  readonly doc: number;
  /** Number of its content, which copies share; -1 for a text that was never saved. */
  readonly content: number;
  readonly path: string;
  readonly hash: string;
  readonly size: number;
  readonly fileClass: FileClass;
  readonly language: string | undefined;
  /** The unsaved text that stands in for the file, which `hash` still names; see `withDrafts`. */
  readonly draft?: ReadDraft;
}

/** What is kept in memory of a content that at least one document has; the rest of its row is read when it is asked for. */
interface Content extends ContentWindows {
  /** Stands for it in the tables of vectors, and is given out again. */
  readonly number: number;
  readonly docs: Set<number>;
  readonly lines: LineTerms;
  /** What it defines, a name a line. */
  readonly names: string;
}

/** The windows of a content: 32 bytes of key each, and how many landmarks each has. */
export type ContentWindows = Pick<ContentRow, 'windowKeys' | 'landmarkCounts'>;

/** Rows kept as they were read: those of the files in the last few answers. */
const REMEMBERED_ROWS = 64;

/** Length normalisation of names: a long base name is hardly a longer text. */
const NAME_PARAMETERS = { k1: 1.2, b: 0.3 };
const DEFINITION_PARAMETERS = { k1: 1.2, b: 0.75 };
/** Stands in no name. */
const LINE_END = '\n';

/**
 * What can be searched of a folder, in memory: the lexical indexes over every indexed file and the contents they share.
 * It follows the catalogue; nothing is kept here that the catalogue cannot give again.
 */
export class Corpus {
  readonly body = new BodyIndex();
  readonly baseNames = new NameIndex(NAME_PARAMETERS);
  readonly folders = new NameIndex(NAME_PARAMETERS);
  readonly definitions = new NameIndex(DEFINITION_PARAMETERS);
  private readonly byDoc: (CorpusDocument | undefined)[] = [];
  private readonly byPath = new Map<string, CorpusDocument>();
  private readonly contents = new Map<string, Content>();
  private readonly free: number[] = [];
  private readonly freeContents: number[] = [];
  /** Hash of a content by its number. */
  private readonly hashOf: (string | undefined)[] = [];
  /** Number of the content by document, -1 = none. */
  private contentOf = new Int32Array(1 << 10).fill(-1);
  /** Lower-case defined name to the documents that define it. */
  private readonly definers = new MultiMap<string, number>();

  private readonly rows = new Map<string, ContentRow>();

  /** @param readRow gives the row of a content again. */
  constructor(
    private readonly vocabulary: Vocabulary,
    private readonly readRow: (hash: string) => ContentRow | undefined = () => undefined,
  ) {}

  /** Number of searchable files. */
  get size(): number {
    return this.byPath.size;
  }

  /** Every document number is below this. */
  get docLimit(): number {
    return this.byDoc.length;
  }

  /** Every content number is below this. */
  get contentLimit(): number {
    return this.contents.size + this.freeContents.length;
  }

  documents(): IterableIterator<CorpusDocument> {
    return this.byPath.values();
  }

  document(doc: number): CorpusDocument | undefined {
    return this.byDoc[doc];
  }

  at(path: string): CorpusDocument | undefined {
    return this.byPath.get(path);
  }

  /** Whether some document has this content. */
  hasContent(hash: string): boolean {
    return this.contents.has(hash);
  }

  /** The row of a content that some document has; undefined also when it cannot be read again. */
  content(hash: string): ContentRow | undefined {
    if (!this.contents.has(hash)) return undefined;
    const row = this.rows.get(hash) ?? this.readRow(hash);
    if (row !== undefined) this.remember(hash, row);
    return row;
  }

  private remember(hash: string, row: ContentRow): void {
    this.rows.delete(hash);
    this.rows.set(hash, row);
    for (const oldest of this.rows.keys()) {
      if (this.rows.size <= REMEMBERED_ROWS) break;
      this.rows.delete(oldest);
    }
  }

  /** The windows of a content that some document has. */
  windowsOf(hash: string): ContentWindows | undefined {
    return this.contents.get(hash);
  }

  /** The number of a content that some document has. */
  contentNumber(hash: string): number | undefined {
    return this.contents.get(hash)?.number;
  }

  /** The hash of the content that has this number. */
  hashOfContent(content: number): string | undefined {
    return this.hashOf[content];
  }

  /** The number of a document's content; -1 where there is no such document, or its text was never saved. */
  contentNumberOf(doc: number): number {
    return this.contentOf[doc] ?? -1;
  }

  /** Numbers of the documents that are files, ascending; texts that were never saved are not among them. */
  savedDocs(): Uint32Array {
    const docs = new Uint32Array(this.byDoc.length);
    let count = 0;
    for (let doc = 0; doc < this.byDoc.length; doc++) if (this.contentNumberOf(doc) >= 0) docs[count++] = doc;
    return docs.subarray(0, count);
  }

  /** What can be searched of a document: its unsaved text where there is one. */
  rowOf(document: CorpusDocument): ContentRow | undefined {
    return document.draft?.row ?? this.content(document.hash);
  }

  /** Documents with this content. */
  docsOf(hash: string): ReadonlySet<number> {
    return this.contents.get(hash)?.docs ?? new Set();
  }

  hashes(): IterableIterator<string> {
    return this.contents.keys();
  }

  /** Documents that define a name, whatever its case. */
  definersOf(name: string): Iterable<number> {
    return this.definers.get(name.toLowerCase());
  }

  /** Adds a file or replaces what was known of its path, which keeps its number; a new content never gets the old one's. */
  put(path: string, size: number, hash: string, row: ContentRow): void {
    const before = this.byPath.get(path);
    if (before?.hash === hash) return;
    const content = this.contents.get(hash) ?? this.addContent(hash, row);
    this.remove(path);
    const doc = this.free.pop() ?? this.byDoc.length;
    const document: CorpusDocument = {
      doc,
      content: content.number,
      path,
      hash,
      size,
      fileClass: classOf(path, row, this.vocabulary),
      language: languageOf(path),
    };
    this.set(path, document);
    content.docs.add(doc);
    this.indexNames(doc, path, content);
  }

  private addContent(hash: string, row: ContentRow): Content {
    const { windowKeys, landmarkCounts } = row;
    const number = this.freeContents.pop() ?? this.contents.size;
    const content = { number, docs: new Set<number>(), windowKeys, landmarkCounts, ...searchablePart(row) };
    this.contents.set(hash, content);
    this.hashOf[number] = hash;
    this.remember(hash, row);
    return content;
  }

  remove(path: string): void {
    const document = this.byPath.get(path);
    if (document === undefined) return;
    const { doc, hash } = document;
    this.byPath.delete(path);
    this.free.push(doc);
    this.clear(doc);
    const content = this.contents.get(hash);
    if (content === undefined) return;
    this.forgetNames(doc, content);
    content.docs.delete(doc);
    if (content.docs.size > 0) return;
    this.contents.delete(hash);
    this.rows.delete(hash);
    this.hashOf[content.number] = undefined;
    this.freeContents.push(content.number);
  }

  private clear(doc: number): void {
    this.byDoc[doc] = undefined;
    this.contentOf[doc] = -1;
  }

  private indexNames(doc: number, path: string, part: SearchablePart, vocabulary = this.vocabulary): void {
    this.body.add(doc, Uint32Array.from(knownTerms(path, vocabulary)), part.lines);
    const name = baseOf(path);
    this.baseNames.add(doc, knownTerms(stemOf(name), vocabulary));
    this.folders.add(doc, knownTerms(path.slice(0, path.length - name.length), vocabulary));
    this.addDefinitions(doc, part, vocabulary);
  }

  private addDefinitions(doc: number, { names }: SearchablePart, vocabulary: Vocabulary): void {
    this.definitions.add(doc, knownTerms(names, vocabulary));
    for (const key of keysOf(names)) this.definers.add(key, doc);
  }

  /**
   * Asks as if the drafts were saved: words, names and places are theirs, vectors and history those of the saved files.
   * Nothing is left of them afterwards, so what is asked must not wait for anything.
   */
  withDrafts<T>({ drafts, vocabulary }: ReadDrafts, ask: () => T): T {
    const takeBack: (() => void)[] = [];
    try {
      for (const draft of drafts) takeBack.push(this.lay(draft, vocabulary));
      return ask();
    } finally {
      for (const undo of takeBack.reverse()) undo();
    }
  }

  private lay(read: ReadDraft, vocabulary: Vocabulary): () => void {
    const { draft, row } = read;
    const saved = draft.isNew ? undefined : this.byPath.get(draft.path);
    const savedPart = this.contents.get(saved?.hash ?? '');
    const part = searchablePart(row);
    const unsaved = (doc: number): CorpusDocument => ({
      ...(saved ?? {
        path: draft.path,
        content: -1,
        hash: '',
        fileClass: fileClassOf(draft.path),
        language: languageOf(draft.path),
      }),
      doc,
      size: draft.text.length,
      draft: read,
    });
    if (saved !== undefined && savedPart !== undefined) {
      const { doc, path } = saved;
      this.set(path, unsaved(doc));
      this.exchange(saved, savedPart, part, vocabulary);
      return () => {
        this.set(path, saved);
        this.exchange(saved, part, savedPart, vocabulary);
      };
    }
    // What the index leaves out stays left out.
    if (!draft.isNew) return () => {};
    const doc = this.free.pop() ?? this.byDoc.length;
    const key = `draft ${draft.id}`;
    this.set(key, unsaved(doc));
    this.indexNames(doc, draft.path, part, vocabulary);
    return () => {
      this.forgetNames(doc, part);
      this.byPath.delete(key);
      this.clear(doc);
      this.free.push(doc);
    };
  }

  /** The names in its path stay. */
  private exchange(
    { doc, path }: CorpusDocument,
    before: SearchablePart,
    after: SearchablePart,
    vocabulary: Vocabulary,
  ): void {
    this.body.replace(doc, Uint32Array.from(knownTerms(path, vocabulary)), after.lines);
    for (const key of keysOf(before.names)) this.definers.delete(key, doc);
    this.addDefinitions(doc, after, vocabulary);
  }

  private set(path: string, document: CorpusDocument): void {
    const { doc, content } = document;
    this.byDoc[doc] = document;
    this.byPath.set(path, document);
    if (doc >= this.contentOf.length) {
      const longer = new Int32Array(this.contentOf.length * 2).fill(-1);
      longer.set(this.contentOf);
      this.contentOf = longer;
    }
    this.contentOf[doc] = content;
  }

  private forgetNames(doc: number, { names }: SearchablePart): void {
    this.body.remove(doc);
    this.baseNames.remove(doc);
    this.folders.remove(doc);
    this.definitions.remove(doc);
    for (const key of keysOf(names)) this.definers.delete(key, doc);
  }
}

/** What the lexical indexes need of a content, and need again to take it out. */
type SearchablePart = Pick<Content, 'lines' | 'names'>;

function searchablePart({ terms, lineEnds, definitions }: ContentRow): SearchablePart {
  const names = definitions.map(({ name }) => name).join(LINE_END);
  return { lines: LineTerms.pack(terms, lineEnds), names: detached(names) };
}

/** Under what the definers of these names are found: each in lower case. */
function keysOf(names: string): string[] {
  return names === '' ? [] : names.toLowerCase().split(LINE_END).map(detached);
}

/** By the path, and for what that calls source by what its first lines say. */
function classOf(path: string, row: ContentRow, vocabulary: Vocabulary): FileClass {
  const byPath = fileClassOf(path);
  return byPath === 'source' && isMarkedGenerated(row, vocabulary) ? 'generated' : byPath;
}

/**
 * The vocabulary's numbers of the words in a path or a name. Whoever writes the catalogue has added those of a path with the
 * file's row (readers must not add terms), and a defined name stands in the content: none is missing.
 */
function knownTerms(text: string, vocabulary: Vocabulary): number[] {
  return tokenize(text).flatMap(term => vocabulary.idOf(term) ?? []);
}

/** `searchQuickPick.test.ts` → `searchQuickPick.test`: the last extension says the language, not the subject. */
function stemOf(name: string): string {
  const dot = name.lastIndexOf('.');
  return dot > 0 ? name.slice(0, dot) : name;
}
