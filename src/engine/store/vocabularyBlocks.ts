import { LandmarkError } from '../../util/errors';
import { Vocabulary } from '../lexical/vocabulary';
import type { IndexStore, StoreWriter } from './indexStore';
import { packTexts, unpackTextBytes } from './recordCodec';

const TABLE = 'vocabulary';
/** Terms a stored block: few enough to rewrite the last one with every save, many enough to load them fast. */
const BLOCK = 2048;

/** The vocabulary as the store keeps it: in blocks, each under the number of its first term. */
export class VocabularyBlocks {
  private saved = 0;
  private current = new Vocabulary();

  constructor(private readonly store: IndexStore) {
    this.load();
  }

  /** Whoever owns the index adds to it; what was added is stored with the next transaction. */
  get vocabulary(): Vocabulary {
    return this.current;
  }

  /** Reads what another process has added since. */
  load(): void {
    // Terms of its own that a reader has added would stand where the stored ones belong.
    if (this.current.size !== this.saved) {
      this.current = new Vocabulary();
      this.saved = 0;
    }
    for (;;) {
      const start = this.saved - (this.saved % BLOCK);
      const key = blockKey(start);
      const value = this.store.get(TABLE, key);
      const known = this.saved - start;
      if (value) for (const term of unpackTextBytes(key, value).slice(known)) this.current.addBytes(term);
      if (this.current.size === this.saved) return;
      this.saved = this.current.size;
    }
  }

  /**
   * Writes the new terms inside a transaction.
   * @returns what to call when the transaction has been committed.
   * @throws LandmarkError `store-busy` when another process has added terms: numbers would stand for two terms.
   */
  write(writer: StoreWriter): () => void {
    if (storedCount(writer) !== this.saved) {
      throw new LandmarkError('store-busy', 'Another window has written this index: open it again to go on.');
    }
    const end = this.current.size;
    const first = this.saved - (this.saved % BLOCK);
    const terms = end > this.saved ? this.current.termsFrom(first) : [];
    for (let at = 0; at < terms.length; at += BLOCK) {
      const key = blockKey(first + at);
      writer.put(TABLE, key, packTexts(key, terms.slice(at, at + BLOCK)));
    }
    return () => (this.saved = end);
  }
}

function storedCount(writer: StoreWriter): number {
  const last = writer.last(TABLE);
  if (!last) return 0;
  return Buffer.from(last[0]).readUInt32BE(0) + unpackTextBytes(last[0], last[1]).length;
}

function blockKey(start: number): Uint8Array {
  const key = Buffer.alloc(4);
  key.writeUInt32BE(start);
  return key;
}
