import type { SkipReason } from '../types';
import { baseOf } from './filePaths';
import { isConfigurationName, isDataName, isLockName, isNonTextName, isRowsName } from './fileKinds';
import { extensionOf, languageOf } from './languages';
import { looksEncoded, looksMinified } from './lineStatistics';
import { notebookText } from './notebook';
import { isPrivateKeyText, isSecretName } from './secretFiles';
import { decodeText, type TextEncoding, utf16Encoding } from './textEncoding';

/** A file is left out: the reason for counting, the sentence for people. */
export interface SkipVerdict {
  readonly kind: 'skip';
  readonly reason: SkipReason;
  readonly detail: string;
}

export interface TextVerdict {
  readonly kind: 'text';
  readonly text: string;
  readonly encoding: TextEncoding;
  /** For notebooks: the first line of each cell in `text`, 1-based. */
  readonly cellStartLines?: readonly number[];
}

/** The default of the setting `landmark.maxFileSize`, bytes. */
export const DEFAULT_MAX_FILE_SIZE = 1024 * 1024;
/** Configuration and rows of data beyond this many bytes are data that nobody reads. */
const DATA_LIMIT = 100 * 1024;
/** A notebook's outputs count in its size but are not indexed. */
const NOTEBOOK_FACTOR = 20;

const skip = (reason: SkipReason, detail: string): SkipVerdict => ({ kind: 'skip', reason, detail });
const kilobytes = (bytes: number): string => `${Math.ceil(bytes / 1024).toLocaleString('en')} KB`;

/** The most bytes that `path` may have and still be read. */
export function sizeLimitOf(path: string, maxFileSize: number = DEFAULT_MAX_FILE_SIZE): number {
  if (languageOf(path) === 'notebook') return maxFileSize * NOTEBOOK_FACTOR;
  return isConfigurationName(path) || isRowsName(path) ? Math.min(DATA_LIMIT, maxFileSize) : maxFileSize;
}

/**
 * Decides by name and size alone, without reading. `path` is relative with forward slashes, sizes are bytes.
 * Undefined: the content has to decide (`classifyContent`).
 */
export function classifyPath(
  path: string,
  size: number,
  maxFileSize: number = DEFAULT_MAX_FILE_SIZE,
): SkipVerdict | undefined {
  const name = baseOf(path);
  if (isSecretName(path)) {
    return skip('secret', `${name} has a name that stands for keys or passwords, so it is never read.`);
  }
  if (isLockName(path)) return skip('lock-file', `${name} is a lock file, written by a package manager.`);
  if (isNonTextName(path))
    return skip('unknown-kind', `${name} is of a kind (.${extensionOf(path)}) that holds no text.`);
  if (isDataName(path)) return skip('generated-data', `${name} holds a drawing or a mapping written by a program.`);
  if (/[.-]min\.[a-z]+$/i.test(name)) return skip('minified', `${name} is called minified by its own name.`);
  if (size === 0) return skip('empty', `${name} is empty.`);
  const limit = sizeLimitOf(path, maxFileSize);
  if (size <= limit) return undefined;
  if (isRowsName(path)) {
    return skip(
      'generated-data',
      `${name} holds ${kilobytes(size)} of rows of data; the limit is ${kilobytes(limit)}.`,
    );
  }
  const what = isConfigurationName(path)
    ? ' for configuration'
    : ' (landmark.maxFileSize in the editor, --max-file-size on the command line)';
  return skip('too-large', `${name} has ${kilobytes(size)}; the limit${what} is ${kilobytes(limit)}.`);
}

/** The size of a block looked at for control characters; the first, the middle and the last one are. */
const BLOCK = 8_192;
/** Text has next to none; compressed and machine code has about 10 %. */
const CONTROL_SHARE = 0.03;

function controlShare(block: Uint8Array): number {
  let controls = 0;
  for (const byte of block) {
    // Tab, line feed, vertical tab, form feed, carriage return; backspace and escape occur in terminal text.
    if (byte < 32 ? byte < 8 || (byte > 13 && byte !== 27) : byte === 127) controls++;
  }
  return block.length === 0 ? 0 : controls / block.length;
}

function isBinary(bytes: Uint8Array): boolean {
  if (bytes.subarray(0, BLOCK).includes(0)) return true;
  const middle = Math.max(0, (bytes.length >> 1) - BLOCK / 2);
  const starts = [0, middle, Math.max(0, bytes.length - BLOCK)];
  return starts.some(start => controlShare(bytes.subarray(start, start + BLOCK)) > CONTROL_SHARE);
}

/**
 * Decides by the content of a file that `classifyPath` let through, and gives its text. `bytes` is the whole file; the
 * kind of a file without a known ending is judged here. Pure, never throws.
 */
export function classifyContent(
  path: string,
  bytes: Uint8Array,
  maxFileSize: number = DEFAULT_MAX_FILE_SIZE,
): TextVerdict | SkipVerdict {
  const name = baseOf(path);
  if (bytes.length === 0) return skip('empty', `${name} is empty.`);
  if (!utf16Encoding(bytes) && isBinary(bytes)) return skip('binary', `${name} holds binary data, not text.`);
  const decoded = decodeText(bytes);
  if (languageOf(path) !== 'notebook') return classifyText(name, decoded.text, decoded.encoding);

  const notebook = notebookText(decoded.text);
  if (!notebook) return skip('generated-data', `${name} is not a notebook that can be read: its JSON is damaged.`);
  if (notebook.text.length > maxFileSize) {
    return skip(
      'too-large',
      `${name} has ${kilobytes(notebook.text.length)} in its cells; the limit is ${kilobytes(maxFileSize)}.`,
    );
  }
  const verdict = classifyText(name, notebook.text, decoded.encoding);
  return verdict.kind === 'text' ? { ...verdict, cellStartLines: notebook.cellStartLines } : verdict;
}

function classifyText(name: string, text: string, encoding: TextEncoding): TextVerdict | SkipVerdict {
  if (!/[\p{L}\p{N}]/u.test(text)) return skip('empty', `${name} holds no words.`);
  if (isPrivateKeyText(text)) return skip('secret', `${name} holds a private key.`);
  if (looksEncoded(text))
    return skip('generated-data', `${name} consists for the most part of encoded data (base64 or hexadecimal).`);
  if (looksMinified(text)) return skip('minified', `${name} is minified: nearly all of it stands in a few huge lines.`);
  return { kind: 'text', text, encoding };
}
