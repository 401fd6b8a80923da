import { MultiMap } from '../../util/multiMap';
import { type FileClass, fileClassOf } from '../files/fileClass';
import { baseOf } from '../files/filePaths';
import { languageOf } from '../files/languages';
import { BodyIndex } from '../lexical/bodyIndex';
import { tokenize } from '../lexical/identifiers';
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

/** A content that at least one document has. Its number stands for it in the tables of vectors, and is given out again. */
interface Content {
  readonly number: number;
  readonly row: ContentRow;
  readonly docs: Set<number>;
}

/** Length normalisation of names: a long base name is hardly a longer text. */
const NAME_PARAMETERS = { k1: 1.2, b: 0.3 };
const DEFINITION_PARAMETERS = { k1: 1.2, b: 0.75 };

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
  /** Number of the content by document, -1 = none. */
  private contentOf = new Int32Array(1 << 10).fill(-1);
  /** Lower-case defined name to the documents that define it. */
  private readonly definers = new MultiMap<string, number>();

  constructor(private readonly vocabulary: Vocabulary) {}

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

  /** The row of a content that some document has. */
  content(hash: string): ContentRow | undefined {
    return this.contents.get(hash)?.row;
  }

  /** The number of a content that some document has. */
  contentNumber(hash: string): number | undefined {
    return this.contents.get(hash)?.number;
  }

  /** The number of a document's content; -1 where there is no such document, or its text was never saved. */
  contentNumberOf(doc: number): number {
    return this.contentOf[doc] ?? -1;
  }

  /** Numbers of the documents that are files, ascending; texts that were never saved are not among them. */
  savedDocs(): number[] {
    const docs: number[] = [];
    for (let doc = 0; doc < this.byDoc.length; doc++) if (this.contentNumberOf(doc) >= 0) docs.push(doc);
    return docs;
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
    this.indexNames(doc, path, content.row);
  }

  private addContent(hash: string, row: ContentRow): Content {
    const content = { number: this.freeContents.pop() ?? this.contents.size, row, docs: new Set<number>() };
    this.contents.set(hash, content);
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
    this.forgetNames(doc, content.row);
    content.docs.delete(doc);
    if (content.docs.size > 0) return;
    this.contents.delete(hash);
    this.freeContents.push(content.number);
  }

  private clear(doc: number): void {
    this.byDoc[doc] = undefined;
    this.contentOf[doc] = -1;
  }

  private indexNames(doc: number, path: string, row: ContentRow, vocabulary = this.vocabulary): void {
    this.body.add(doc, Uint32Array.from(knownTerms(path, vocabulary)), row);
    const name = baseOf(path);
    this.baseNames.add(doc, knownTerms(stemOf(name), vocabulary));
    this.folders.add(doc, knownTerms(path.slice(0, path.length - name.length), vocabulary));
    this.addDefinitions(doc, row, vocabulary);
  }

  private addDefinitions(doc: number, { definitions }: ContentRow, vocabulary: Vocabulary): void {
    this.definitions.add(
      doc,
      definitions.flatMap(({ name }) => knownTerms(name, vocabulary)),
    );
    for (const { name } of definitions) this.definers.add(name.toLowerCase(), doc);
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
    const savedRow = this.content(saved?.hash ?? '');
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
    if (saved !== undefined && savedRow !== undefined) {
      const { doc, path } = saved;
      this.set(path, unsaved(doc));
      this.exchange(saved, savedRow, row, vocabulary);
      return () => {
        this.set(path, saved);
        this.exchange(saved, row, savedRow, vocabulary);
      };
    }
    // What the index leaves out stays left out.
    if (!draft.isNew) return () => {};
    const doc = this.free.pop() ?? this.byDoc.length;
    const key = `draft ${draft.id}`;
    this.set(key, unsaved(doc));
    this.indexNames(doc, draft.path, row, vocabulary);
    return () => {
      this.forgetNames(doc, row);
      this.byPath.delete(key);
      this.clear(doc);
      this.free.push(doc);
    };
  }

  /** The names in its path stay. */
  private exchange({ doc, path }: CorpusDocument, before: ContentRow, after: ContentRow, vocabulary: Vocabulary): void {
    this.body.replace(doc, Uint32Array.from(knownTerms(path, vocabulary)), after);
    for (const { name } of before.definitions) this.definers.delete(name.toLowerCase(), doc);
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

  private forgetNames(doc: number, row: ContentRow): void {
    this.body.remove(doc);
    this.baseNames.remove(doc);
    this.folders.remove(doc);
    this.definitions.remove(doc);
    for (const { name } of row.definitions) this.definers.delete(name.toLowerCase(), doc);
  }
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
