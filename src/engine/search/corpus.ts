import { NumberTable } from '../../util/numberTable';
import { type FileClass, fileClassOf } from '../files/fileClass';
import { languageOf } from '../files/languages';
import { BodyIndex, type CloseLook } from '../lexical/bodyIndex';
import { NameIndex } from '../lexical/nameIndex';
import { Postings } from '../lexical/postings';
import type { QueryTerms } from '../lexical/queryTerms';
import type { Vocabulary } from '../lexical/vocabulary';
import type { ContentRow } from '../store/records';
import type { SnapshotSink, SnapshotSource } from '../store/snapshot';
import {
  ContentTable,
  type ContentWindows,
  type DefinedName,
  type SearchablePart,
  searchablePart,
} from './contentTable';
import type { ReadDraft, ReadDrafts } from './drafts';
import { isMarkedGenerated } from './generatedMark';
import { knownTerms, nameKey, nameTerms, pathTerms } from './nameTerms';

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

/** Length normalisation of names: a long base name is hardly a longer text. */
const NAME_PARAMETERS = { k1: 1.2, b: 0.3 };
const DEFINITION_PARAMETERS = { k1: 1.2, b: 0.75 };

/**
 * What can be searched of a folder: the lexical indexes over every indexed file and the contents they share. It follows the
 * catalogue; nothing is kept here that the catalogue cannot give again. What has not changed since a snapshot was written
 * rests in its file.
 */
export class Corpus {
  readonly body = new BodyIndex();
  readonly baseNames = new NameIndex(NAME_PARAMETERS);
  readonly folders = new NameIndex(NAME_PARAMETERS);
  readonly definitions = new NameIndex(DEFINITION_PARAMETERS);
  private readonly byDoc: (CorpusDocument | undefined)[] = [];
  private readonly byPath = new Map<string, CorpusDocument>();
  private readonly contents: ContentTable;
  private readonly free: number[] = [];
  /** Number of the content by document. */
  private readonly contentOf = new NumberTable();
  /** Documents by the key of a name that they define, see `nameKey`. */
  private readonly definers = new Postings();
  /** What is searched instead of a document's content, while drafts are asked for. */
  private readonly drafted = new Map<number, SearchablePart>();
  /** What terms are numbered by at the moment: while drafts are asked for, theirs are among them. */
  private asked: Vocabulary;

  /** @param readRow gives the row of a content again. */
  constructor(
    private readonly vocabulary: Vocabulary,
    readRow: (hash: string) => ContentRow | undefined = () => undefined,
  ) {
    this.contents = new ContentTable(readRow);
    this.asked = vocabulary;
  }

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
    return this.contents.limit;
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
    return this.contents.row(hash);
  }

  /** The windows of a content that some document has. */
  windowsOf(hash: string): ContentWindows | undefined {
    return this.contents.windowsOf(hash);
  }

  /** The number of a content that some document has. */
  contentNumber(hash: string): number | undefined {
    return this.contents.numberOf(hash);
  }

  /** The number of a document's content; -1 where there is no such document, or its text was never saved. */
  contentNumberOf(doc: number): number {
    return this.contentOf.get(doc);
  }

  /** Numbers of the documents that are files, ascending; texts that were never saved are not among them. */
  savedDocs(): Uint32Array {
    const docs = new Uint32Array(this.byDoc.length);
    let count = 0;
    for (let doc = 0; doc < this.byDoc.length; doc++) if (this.contentNumberOf(doc) >= 0) docs[count++] = doc;
    return docs.subarray(0, count);
  }

  /** Numbers of the documents that are searched as unsaved texts. */
  drafts(): Iterable<number> {
    return this.drafted.keys();
  }

  /** What can be searched of a document: its unsaved text where there is one. */
  rowOf(document: CorpusDocument): ContentRow | undefined {
    return document.draft?.row ?? this.content(document.hash);
  }

  /** Documents with this content. */
  docsOf(hash: string): readonly number[] {
    return this.contents.docsOf(hash);
  }

  /** The same by the content's number. */
  docsWith(content: number): Iterable<number> {
    return this.contents.docsWith(content);
  }

  hashes(): IterableIterator<string> {
    return this.contents.hashes();
  }

  /** Documents that define a name, whatever its case; each is looked at when it is asked for. */
  *definersOf(name: string): Generator<number> {
    for (const { doc } of this.definitionsOf(name)) yield doc;
  }

  /** The same with what they define under that name. */
  *definitionsOf(name: string): Generator<{ readonly doc: number; readonly names: readonly DefinedName[] }> {
    const lower = name.toLowerCase();
    const key = nameKey(knownTerms(name, this.asked));
    // Other names may have the same key; what rests must not be held while something else is read.
    for (const doc of this.definers.list(key).documents.slice()) {
      const names = this.namesOf(doc).filter(defined => defined.name.toLowerCase() === lower);
      if (names.length > 0) yield { doc, names };
    }
  }

  private namesOf(doc: number): readonly DefinedName[] {
    return this.drafted.get(doc)?.names ?? this.contents.namesOf(this.contentNumberOf(doc));
  }

  /** Looks for the query's terms inside the given documents, see `BodyIndex.closeLook`. */
  closeLook(docs: ArrayLike<number>, query: QueryTerms): CloseLook {
    return this.body.closeLook(docs, query, doc => {
      const content = this.contentNumberOf(doc);
      return this.drafted.get(doc)?.lines ?? (content < 0 ? undefined : this.contents.linesOf(content));
    });
  }

  /** Adds a file or replaces what was known of its path, which keeps its number; a new content never gets the old one's. */
  put(path: string, size: number, hash: string, row: ContentRow): void {
    const before = this.byPath.get(path);
    if (before?.hash === hash) return;
    const content = this.contents.add(hash, row);
    this.remove(path);
    const doc = this.free.pop() ?? this.byDoc.length;
    const fileClass = classOf(path, row, this.vocabulary);
    this.set(path, { doc, content, path, hash, size, fileClass, language: languageOf(path) });
    this.contents.link(content, doc);
    this.indexNames(doc, path, this.contents.partOf(content));
  }

  remove(path: string): void {
    const document = this.byPath.get(path);
    if (document === undefined) return;
    const { doc, content, hash } = document;
    this.forgetNames(doc, path, this.contents.partOf(content));
    this.byPath.delete(path);
    this.free.push(doc);
    this.clear(doc);
    this.contents.unlink(hash, doc);
  }

  /**
   * Asks as if the drafts were saved: words, names and places are theirs, vectors and history those of the saved files.
   * Nothing is left of them afterwards, so what is asked must not wait for anything.
   */
  withDrafts<T>({ drafts, vocabulary }: ReadDrafts, ask: () => T): T {
    const takeBack: (() => void)[] = [];
    this.asked = vocabulary;
    try {
      for (const draft of drafts) takeBack.push(this.lay(draft, vocabulary));
      return ask();
    } finally {
      for (const undo of takeBack.reverse()) undo();
      this.asked = this.vocabulary;
    }
  }

  async save(sink: SnapshotSink, name: string): Promise<void> {
    const { byDoc } = this;
    await sink.json(`${name}.documents`, {
      paths: byDoc.map(document => document?.path ?? null),
      sizes: byDoc.map(document => document?.size ?? 0),
      classes: byDoc.map(document => document?.fileClass ?? ''),
      contents: byDoc.map(document => document?.content ?? -1),
    } satisfies SavedDocuments);
    await this.contents.save(sink, `${name}.contents`);
    for (const [part, index] of this.indexes()) await index.save(sink, `${name}.${part}`);
  }

  /** Into a corpus that holds nothing yet. @throws LandmarkError `store-damaged`. */
  async restore(source: SnapshotSource, name: string): Promise<void> {
    const saved = (await source.json(`${name}.documents`)) as SavedDocuments;
    const links = saved.contents.flatMap((content, doc) => (content < 0 ? [] : [[doc, content] as const]));
    await this.contents.restore(source, `${name}.contents`, links);
    for (const [doc, path] of saved.paths.entries()) {
      const content = saved.contents[doc] ?? -1;
      const hash = this.contents.hashOf(content);
      if (path === null || hash === undefined) this.free.push(doc);
      else {
        const [size, fileClass] = [saved.sizes[doc] ?? 0, (saved.classes[doc] ?? 'source') as FileClass];
        this.set(path, { doc, content, path, hash, size, fileClass, language: languageOf(path) });
      }
    }
    for (const [part, index] of this.indexes()) await index.restore(source, `${name}.${part}`);
  }

  /** Gets ready to read from a snapshot what is as it was when that was written. @returns does it, at once. */
  async rest(source: SnapshotSource, name: string): Promise<() => void> {
    const apply = [await this.contents.rest(source, `${name}.contents`)];
    for (const [part, index] of this.indexes()) apply.push(await index.rest(source, `${name}.${part}`));
    return () => apply.forEach(one => one());
  }

  private indexes(): readonly (readonly [string, BodyIndex | NameIndex | Postings])[] {
    return [
      ['body', this.body],
      ['base', this.baseNames],
      ['folders', this.folders],
      ['definitions', this.definitions],
      ['definers', this.definers],
    ];
  }

  private clear(doc: number): void {
    this.byDoc[doc] = undefined;
    this.contentOf.set(doc, -1);
  }

  private lay(read: ReadDraft, vocabulary: Vocabulary): () => void {
    const { draft, row } = read;
    const saved = draft.isNew ? undefined : this.byPath.get(draft.path);
    const part = searchablePart(row);
    const size = draft.text.length;
    if (saved !== undefined) {
      const { doc, path, content } = saved;
      this.exchange(saved, this.contents.partOf(content), part, vocabulary);
      this.set(path, { ...saved, size, draft: read });
      this.drafted.set(doc, part);
      return () => {
        this.set(path, saved);
        this.drafted.delete(doc);
        this.exchange(saved, part, this.contents.partOf(content), vocabulary);
      };
    }
    // What the index leaves out stays left out.
    if (!draft.isNew) return () => {};
    const doc = this.free.pop() ?? this.byDoc.length;
    const { path } = draft;
    const [fileClass, language] = [fileClassOf(path), languageOf(path)];
    const key = `draft ${draft.id}`;
    this.set(key, { doc, content: -1, path, hash: '', size, fileClass, language, draft: read });
    this.drafted.set(doc, part);
    this.indexNames(doc, path, part, vocabulary);
    return () => {
      this.forgetNames(doc, path, part, vocabulary);
      this.drafted.delete(doc);
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
    this.body.replace(doc, Uint32Array.from(knownTerms(path, vocabulary)), before.lines, after.lines);
    this.forgetDefinitions(doc, before, vocabulary);
    this.addDefinitions(doc, after, vocabulary);
  }

  private set(path: string, document: CorpusDocument): void {
    const { doc, content } = document;
    this.byDoc[doc] = document;
    this.byPath.set(path, document);
    this.contentOf.set(doc, content);
  }

  private indexNames(doc: number, path: string, part: SearchablePart, vocabulary = this.vocabulary): void {
    const terms = pathTerms(path, vocabulary);
    this.body.add(doc, terms.all, part.lines);
    this.baseNames.add(doc, terms.base);
    this.folders.add(doc, terms.folders);
    this.addDefinitions(doc, part, vocabulary);
  }

  private forgetNames(doc: number, path: string, part: SearchablePart, vocabulary = this.vocabulary): void {
    const terms = pathTerms(path, vocabulary);
    this.body.remove(doc, terms.all, part.lines);
    this.baseNames.remove(doc, terms.base);
    this.folders.remove(doc, terms.folders);
    this.forgetDefinitions(doc, part, vocabulary);
  }

  private addDefinitions(doc: number, { names }: SearchablePart, vocabulary: Vocabulary): void {
    const { terms, keys } = nameTerms(names, vocabulary);
    this.definitions.add(doc, terms);
    for (const key of keys) this.definers.insert(key, doc, 1);
  }

  private forgetDefinitions(doc: number, { names }: SearchablePart, vocabulary: Vocabulary): void {
    const { terms, keys } = nameTerms(names, vocabulary);
    this.definitions.remove(doc, terms);
    for (const key of keys) this.definers.delete(key, doc);
  }
}

/** The documents by number, in columns. */
interface SavedDocuments {
  readonly paths: readonly (string | null)[];
  readonly sizes: readonly number[];
  readonly classes: readonly string[];
  readonly contents: readonly number[];
}

/** By the path, and for what that calls source by what its first lines say. */
function classOf(path: string, row: ContentRow, vocabulary: Vocabulary): FileClass {
  const byPath = fileClassOf(path);
  return byPath === 'source' && isMarkedGenerated(row, vocabulary) ? 'generated' : byPath;
}
