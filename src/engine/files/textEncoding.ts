import { isUtf8 } from 'node:buffer';

/** The encodings that are told apart, by their WHATWG names. */
export type TextEncoding = 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252' | 'windows-1251' | 'shift_jis' | 'euc-jp';

export interface DecodedText {
  /** Without byte order mark; line ends as they are in the file. */
  readonly text: string;
  readonly encoding: TextEncoding;
}

/** Bytes looked at for the statistics of zero bytes. */
const SAMPLE = 8_192;
/** The least share of zero bytes in UTF-16: what spaces and line ends alone bring about. */
const LEAST_ZEROS = 0.05;

const decode = (encoding: TextEncoding, bytes: Uint8Array): string =>
  new TextDecoder(encoding, { ignoreBOM: false }).decode(bytes);

function decodesCleanly(encoding: TextEncoding, bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/**
 * UTF-16 by its byte order mark, or by where its zero bytes are: in text of any script, spaces and line ends have a zero
 * in one half, and few characters have one in the other.
 */
export function utf16Encoding(bytes: Uint8Array): 'utf-16le' | 'utf-16be' | undefined {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return bytes[2] === 0 && bytes[3] === 0 ? undefined : 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  const sample = bytes.subarray(0, Math.min(bytes.length, SAMPLE) & ~1);
  if (sample.length < 4 || bytes.length % 2 === 1) return undefined;
  const zeros = [0, 0];
  for (let i = 0; i < sample.length; i++) if (sample[i] === 0) zeros[i & 1]!++;
  const [even, odd] = zeros as [number, number];
  const most = Math.max(even, odd);
  if (most < LEAST_ZEROS * sample.length || Math.min(even, odd) > most / 3) return undefined;
  const encoding = odd > even ? 'utf-16le' : 'utf-16be';
  const text = decodesCleanly(encoding, trimHalfPair(sample, encoding));
  // Characters that no text has: numbers written as 16-bit words come out as these.
  return text === undefined || /[\p{Cn}\p{Co}]|(?![\t\n\v\f\r\u001b])\p{Cc}/u.test(text) ? undefined : encoding;
}

/** A sample may end between the halves of a surrogate pair. */
function trimHalfPair(sample: Uint8Array, encoding: 'utf-16le' | 'utf-16be'): Uint8Array {
  const high = sample[sample.length - (encoding === 'utf-16le' ? 1 : 2)] ?? 0;
  return high >= 0xd8 && high <= 0xdb ? sample.subarray(0, -2) : sample;
}

const count = (text: string, pattern: RegExp): number => text.match(pattern)?.length ?? 0;

/** Japanese text has kana in every sentence, and no other encoding's text turns into them. */
function isJapanese(text: string): boolean {
  const beyond = count(text, /\P{ASCII}/gu);
  // Half-width kana are what single accented letters turn into, so only the full-width ones count.
  return beyond >= 4 && count(text, /[\u3041-\u30fe]/g) >= 0.25 * beyond;
}

/** Cyrillic words are runs of high bytes; accented letters of western languages stand alone between plain ones. */
function isCyrillic(text: string): boolean {
  const beyond = count(text, /\P{ASCII}/gu);
  const inWords = (text.match(/[А-Яа-яЁё]{3,}/g) ?? []).reduce((sum, word) => sum + word.length, 0);
  const regular = (text.match(/(?<![А-Яа-яЁё])[А-ЯЁа-яё][а-яё]{2,}/g) ?? []).reduce(
    (sum, word) => sum + word.length,
    0,
  );
  return beyond >= 4 && inWords >= 0.6 * beyond && regular >= 0.5 * inWords;
}

/** What windows-1252 has at 0x80 to 0x9f; a blank stands for the five bytes that mean nothing. */
const WESTERN_80_TO_9F = '€ ‚ƒ„…†‡ˆ‰Š‹Œ Ž  ‘’“”•–—˜™š›œ žŸ';

/** By hand: TextDecoder reads windows-1252 as Latin-1 in some releases of Node. Undefined where a byte means nothing. */
function decodeWestern(bytes: Uint8Array): string | undefined {
  const latin = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
  if (/[\u0081\u008d\u008f\u0090\u009d]/.test(latin)) return undefined;
  return latin.replace(/[\u0080-\u009f]/g, character => WESTERN_80_TO_9F.charAt(character.charCodeAt(0) - 0x80));
}

/** Bytes that are not UTF-8: a damaged UTF-8 file, or one of the older encodings. */
function decodeLegacy(bytes: Uint8Array): DecodedText {
  const lossy = decode('utf-8', bytes);
  const damaged = count(lossy, /\ufffd/g);
  const wellFormed = count(lossy, /[^\p{ASCII}\ufffd]/gu);
  if (wellFormed > damaged) return { text: lossy, encoding: 'utf-8' };
  for (const encoding of ['shift_jis', 'euc-jp'] as const) {
    const text = decodesCleanly(encoding, bytes);
    if (text !== undefined && isJapanese(text)) return { text, encoding };
  }
  const cyrillic = decode('windows-1251', bytes);
  if (isCyrillic(cyrillic)) return { text: cyrillic, encoding: 'windows-1251' };
  const western = decodeWestern(bytes);
  // A file with a byte that means nothing in windows-1252 is UTF-8 with stray bytes.
  return western === undefined ? { text: lossy, encoding: 'utf-8' } : { text: western, encoding: 'windows-1252' };
}

/**
 * The text of a file's bytes: UTF-8, UTF-16 (with or without byte order mark) or, for bytes that are neither, the most
 * likely older encoding. Never fails: bytes that fit nothing become replacement characters.
 */
export function decodeText(bytes: Uint8Array): DecodedText {
  const wide = utf16Encoding(bytes);
  if (wide) return { text: decode(wide, bytes), encoding: wide };
  if (isUtf8(bytes)) return { text: decode('utf-8', bytes), encoding: 'utf-8' };
  return decodeLegacy(bytes);
}
