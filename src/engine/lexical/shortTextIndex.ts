import MiniSearch from 'minisearch';
import type { Bm25Parameters } from './bm25Index';
import { tokenize } from './identifiers';

/** Between the terms of a query on their way through the library; no term holds a space. */
const SEPARATOR = ' ';

interface ShortText {
  readonly id: number;
  readonly text: string;
}

/**
 * BM25 over one short text a document: a name, a folder, a subject. The library counts distinct terms as a text's
 * length, which is the same for short texts.
 */
export class ShortTextIndex {
  private readonly engine: MiniSearch<ShortText>;
  /** The library needs the text again to take it out. */
  private readonly texts = new Map<number, string>();

  constructor(parameters: Bm25Parameters) {
    this.engine = new MiniSearch<ShortText>({
      fields: ['text'],
      tokenize,
      processTerm: term => term,
      searchOptions: {
        tokenize: query => query.split(SEPARATOR),
        bm25: { k: parameters.k1, b: parameters.b, d: 0 },
      },
    });
  }

  get size(): number {
    return this.texts.size;
  }

  has(id: number): boolean {
    return this.texts.has(id);
  }

  /** Adds a text, or replaces the one of this number. */
  add(id: number, text: string): void {
    if (this.texts.get(id) === text) return;
    this.remove(id);
    this.engine.add({ id, text });
    this.texts.set(id, text);
  }

  /** Takes a text out; unknown numbers are ignored. */
  remove(id: number): void {
    const text = this.texts.get(id);
    if (text === undefined) return;
    this.engine.remove({ id, text });
    this.texts.delete(id);
  }

  /** BM25 of every text that holds one of the terms (see `tokenize`); repeated terms count once. */
  search(tokens: readonly string[]): Map<number, number> {
    const scores = new Map<number, number>();
    const distinct = [...new Set(tokens)].filter(token => token !== '');
    if (distinct.length === 0) return scores;
    this.engine.search(distinct.join(SEPARATOR), {
      // Taking the results here spares sorting them. The library multiplies a sum by its number of matched terms;
      // divided by that it is plain BM25 again.
      filter: result => {
        scores.set(Number(result.id), result.score / Math.max(1, result.queryTerms.length));
        return false;
      },
    });
    return scores;
  }
}
