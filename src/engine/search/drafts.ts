import { baseOf } from '../files/filePaths';
import { extensionOf } from '../files/languages';
import { tokenize } from '../lexical/identifiers';
import { lexicalContent } from '../lexical/lexicalContent';
import { Vocabulary } from '../lexical/vocabulary';
import { splitLines } from '../model/codeText';
import type { ContentRow } from '../store/records';
import type { Draft } from '../types';

/** An unsaved text, read for one search. Nothing of it is stored. */
export interface ReadDraft {
  readonly draft: Draft;
  /** The lexical part; there are no windows and no landmarks of a text that changes with every key. */
  readonly row: ContentRow;
  readonly lines: readonly string[];
}

export interface ReadDrafts {
  readonly drafts: readonly ReadDraft[];
  /** The index's own with the new words of the drafts besides. */
  readonly vocabulary: Vocabulary;
}

/** Reads unsaved texts; while neither they nor the vocabulary change, as during typing in the search box, once. */
export class DraftReader {
  private last:
    (ReadDrafts & { readonly of: readonly Draft[]; readonly base: Vocabulary; readonly size: number }) | undefined;

  /** The result is valid until the vocabulary grows: new words have the numbers that it would give out next. */
  read(of: readonly Draft[], base: Vocabulary): ReadDrafts {
    if (of.length === 0) return { drafts: [], vocabulary: base };
    const { last } = this;
    if (last !== undefined && last.base === base && last.size === base.size && sameDrafts(last.of, of)) return last;
    const vocabulary = new ExtendedVocabulary(base);
    const drafts = of.map(draft => readDraft(draft, vocabulary));
    this.last = { of, base, size: base.size, drafts, vocabulary };
    return this.last;
  }
}

function readDraft(draft: Draft, vocabulary: Vocabulary): ReadDraft {
  const lines = splitLines(draft.text);
  for (const term of tokenize(draft.path)) vocabulary.add(term);
  const row = {
    lineCount: lines.length,
    tokens: 0,
    windowKeys: new Uint8Array(),
    landmarkCounts: new Uint8Array(),
    spans: new Uint32Array(),
    ...lexicalContent(lines, extensionOf(baseOf(draft.path)), vocabulary),
  };
  return { draft, row, lines };
}

function sameDrafts(a: readonly Draft[], b: readonly Draft[]): boolean {
  return (
    a.length === b.length &&
    a.every(({ id, path, text }, at) => id === b[at]?.id && path === b[at].path && text === b[at].text)
  );
}

/** A vocabulary with further terms that the one below, which is stored, must not learn. */
class ExtendedVocabulary extends Vocabulary {
  private readonly firstOwn: number;

  constructor(private readonly base: Vocabulary) {
    super();
    this.firstOwn = base.size;
  }

  override idOf(term: string): number | undefined {
    const known = this.base.idOf(term);
    if (known !== undefined) return known;
    const own = super.idOf(term);
    return own === undefined ? undefined : this.firstOwn + own;
  }

  override add(term: string): number {
    return this.base.idOf(term) ?? this.firstOwn + super.add(term);
  }

  override termOf(id: number): string {
    return id < this.firstOwn ? this.base.termOf(id) : super.termOf(id - this.firstOwn);
  }
}
