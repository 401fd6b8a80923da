import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { Tokenizer } from '@huggingface/tokenizers';
import { messageOf, throwIfAborted } from '../../util/errors';
import { prepareLine, splitLines } from './codeText';
import { invalid, type LoadedModel, MANIFEST_FILE, readModelJson, TOKENIZER_FILE } from './modelManifest';
import { TokenList } from './tokenList';
import { textSections } from './textSections';
import { WordPieces } from './wordPieces';

/** The token ids of a text, without special tokens, and the 1-based line each comes from. */
export interface TokenisedText {
  readonly ids: Int32Array;
  readonly lines: Uint32Array;
  readonly lineCount: number;
}

/** How long tokenising may keep the event loop, in milliseconds. */
const SLICE_MS = 10;
/** Words remembered with their ids; a repository of 36 MB has fewer distinct ones. */
const MAX_REMEMBERED = 200_000;
const MAX_REMEMBERED_LENGTH = 48;

/**
 * White space at which BERT's rule ends a word. `\v`, `\f` and U+FEFF are white space to the preparation, but the
 * tokenizer drops them as control characters and joins what stands on both sides.
 */
const WORD = /[^\t\n\r \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+/g;
const ASCII_WORD = /^[A-Za-z0-9]+$/;
/**
 * Two things in which the library leaves the reference tokenizer: ideographs outside the basic plane stand alone (the
 * library reads their halves), and every letter is lower-cased by itself (JavaScript knows a final sigma).
 */
const RARE_IDEOGRAPH = /[\u{20000}-\u{2a6df}\u{2a700}-\u{2b81f}\u{2b920}-\u{2ceaf}\u{2f800}-\u{2fa1f}]/gu;
const asReference = (word: string): string => word.replace(RARE_IDEOGRAPH, ' $& ').replaceAll('Σ', 'σ');

/** Text to token ids by the model's own tokenizer and preparation. The only module that knows the tokenizer library. */
export class TextTokenizer {
  readonly clsId: number;
  readonly landmarkId: number;
  /** Every id is below this. */
  readonly vocabularySize: number;
  readonly #library: Tokenizer;
  /** Present where the ids of a line are those of its words one after the other, so that words can be remembered. */
  readonly #wordPieces: WordPieces | undefined;
  readonly #remembered = new Map<string, readonly number[]>();

  private constructor(library: Tokenizer, clsId: number, landmarkId: number, wordPieces: WordPieces | undefined) {
    this.#library = library;
    this.clsId = clsId;
    this.landmarkId = landmarkId;
    this.vocabularySize = 1 + largest(library.get_vocab().values());
    this.#wordPieces = wordPieces;
  }

  /**
   * Reads `tokenizer.json` only: what is not named in the manifest must not change an id.
   * @throws LandmarkError `model-invalid`, `cancelled`
   */
  static async load(model: LoadedModel, signal?: AbortSignal): Promise<TextTokenizer> {
    const path = join(model.directory, TOKENIZER_FILE);
    const json = await readModelJson(path, signal);
    throwIfAborted(signal);
    const stray = strayId(json);
    if (stray !== undefined)
      throw invalid(path, `expected the ids of the vocabulary to follow each other, got ${stray}`);
    let library: Tokenizer;
    try {
      library = new Tokenizer(json, {});
    } catch (error) {
      throw invalid(path, `expected a tokenizer, got: ${messageOf(error)}`, error);
    }
    const idOf = (field: 'clsToken' | 'landmarkToken'): number => {
      const token = model.manifest[field];
      const id = library.token_to_id(token);
      if (id === undefined) {
        throw invalid(
          join(model.directory, MANIFEST_FILE),
          `expected "${field}" to be in ${TOKENIZER_FILE}, got "${token}"`,
        );
      }
      return id;
    };
    const [clsId, landmarkId] = [idOf('clsToken'), idOf('landmarkToken')];
    for (const { content } of library.get_added_tokens_decoder().values()) {
      // Else that word in a source file would become a control token.
      if (prepareLine(content) === content)
        throw invalid(path, `expected no plain words among the added tokens, got "${content}"`);
    }
    return new TextTokenizer(library, clsId, landmarkId, wordPiecesOf(json, library));
  }

  /** Ids of one prepared line, without special tokens. */
  encodeLine(preparedLine: string): number[] {
    if (this.#wordPieces === undefined) return this.#encode(preparedLine);
    const ids: number[] = [];
    for (const [word] of preparedLine.matchAll(WORD))
      for (const id of this.#idsOfWord(word, this.#wordPieces)) ids.push(id);
    return ids;
  }

  /** Prepares and tokenises a whole text; nothing of it is left out. */
  encodeText(text: string): TokenisedText {
    const steps = this.#steps(text);
    for (;;) {
      const step = steps.next();
      if (step.done) return step.value;
    }
  }

  /** As `encodeText`, giving way to the event loop about every 10 ms. @throws LandmarkError `cancelled` */
  async encodeTextInSlices(text: string, signal?: AbortSignal): Promise<TokenisedText> {
    const steps = this.#steps(text);
    let started = performance.now();
    for (;;) {
      throwIfAborted(signal);
      const step = steps.next();
      if (step.done) return step.value;
      if (performance.now() - started > SLICE_MS) {
        await setImmediate();
        started = performance.now();
      }
    }
  }

  /** Tokenises a section of the text at every step. */
  *#steps(text: string): Generator<undefined, TokenisedText> {
    const tokens = new TokenList();
    let line = 1;
    if (this.#wordPieces === undefined) {
      for (const raw of splitLines(text)) {
        tokens.append(this.#encode(prepareLine(raw)), line++);
        yield;
      }
      return tokens.finish(line - 1);
    }
    for (const section of textSections(text)) {
      const lines = splitLines(section);
      // A section continues the line on which the one before it ended.
      line--;
      for (const raw of lines) {
        line++;
        for (const [word] of prepareLine(raw).matchAll(WORD))
          tokens.append(this.#idsOfWord(word, this.#wordPieces), line);
      }
      yield;
    }
    return tokens.finish(line);
  }

  #idsOfWord(word: string, wordPieces: WordPieces): readonly number[] {
    const known = this.#remembered.get(word);
    if (known !== undefined) return known;
    const ids = ASCII_WORD.test(word) ? wordPieces.encode(word.toLowerCase()) : this.#encode(asReference(word));
    if (word.length <= MAX_REMEMBERED_LENGTH) {
      if (this.#remembered.size >= MAX_REMEMBERED) this.#remembered.clear();
      this.#remembered.set(word, ids);
    }
    return ids;
  }

  #encode(text: string): number[] {
    return this.#library.encode(text, { add_special_tokens: false }).ids;
  }
}

/**
 * The word pieces of BERT's tokenizer: its normaliser and pre-tokeniser treat white space as a border, so that words can
 * be encoded alone. Undefined for any other tokenizer, which is then given whole lines.
 */
function wordPiecesOf(json: Readonly<Record<string, unknown>>, library: Tokenizer): WordPieces | undefined {
  const normalizer = asRecord(json['normalizer']);
  const model = asRecord(json['model']);
  const isBert =
    normalizer['type'] === 'BertNormalizer' &&
    normalizer['clean_text'] === true &&
    normalizer['handle_chinese_chars'] === true &&
    normalizer['lowercase'] === true &&
    asRecord(json['pre_tokenizer'])['type'] === 'BertPreTokenizer' &&
    model['type'] === 'WordPiece';
  const prefix = model['continuing_subword_prefix'];
  const maxWordLength = model['max_input_chars_per_word'];
  const unknownId = typeof model['unk_token'] === 'string' ? library.token_to_id(model['unk_token']) : undefined;
  if (!isBert || typeof prefix !== 'string' || typeof maxWordLength !== 'number' || unknownId === undefined)
    return undefined;
  return new WordPieces(library.get_vocab(), prefix, unknownId, maxWordLength);
}

/**
 * An entry of the vocabulary whose id is none, or lies far beyond their number: the library makes a list of the ids, in
 * which gaps are pieces without a text.
 */
function strayId(json: Readonly<Record<string, unknown>>): string | undefined {
  const vocabulary = asRecord(json['model'])['vocab'];
  if (Array.isArray(vocabulary)) return undefined;
  const entries = Object.entries(asRecord(vocabulary));
  const added = Array.isArray(json['added_tokens']) ? json['added_tokens'].length : 0;
  const ids = new Set<unknown>();
  for (const [piece, id] of entries) {
    const isRight =
      typeof id === 'number' && Number.isInteger(id) && id >= 0 && id < entries.length + added && !ids.has(id);
    if (!isRight) return `${JSON.stringify(piece)}: ${JSON.stringify(id)}`;
    ids.add(id);
  }
  return undefined;
}

function asRecord(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

function largest(values: Iterable<number>): number {
  let most = 0;
  for (const value of values) most = Math.max(most, value);
  return most;
}
