import type { Definition } from '../store/records';
import { definitionsIn } from './definitions';
import { eachIdentifier } from './identifiers';
import type { Vocabulary } from './vocabulary';

/** The lexical part of a `ContentRow`. */
export interface LexicalContent {
  /** The terms of the content in order, as vocabulary numbers. */
  readonly terms: Uint32Array;
  /** For line i (0-based) the number of terms up to and including it. */
  readonly lineEnds: Uint32Array;
  readonly definitions: readonly Definition[];
}

/** Terms of the content being read; kept between calls, a content gets its own copy in the end. */
let buffer = new Uint32Array(1 << 16);

/**
 * Reads a content for the lexical index. No line is cut or left out, time is linear in the text.
 * @param lines without their ends; lines end at `\n`, `\r\n` or `\r`.
 * @param extension of the file's name, lower case without the dot: which language's definitions to look for.
 */
export function lexicalContent(lines: readonly string[], extension: string, vocabulary: Vocabulary): LexicalContent {
  const lineEnds = new Uint32Array(lines.length);
  let count = 0;
  const append = (identifier: string): void => {
    const ids = vocabulary.addIdentifier(identifier);
    if (count + ids.length > buffer.length) buffer = grown(buffer, count + ids.length);
    for (const id of ids) buffer[count++] = id;
  };
  for (const [index, line] of lines.entries()) {
    eachIdentifier(line, append);
    lineEnds[index] = count;
  }
  const definitions = definitionsIn(lines, extension);
  // A name can be cut off, and then no term of the content is the last of its own. None may become known only later.
  for (const { name } of definitions) eachIdentifier(name, identifier => void vocabulary.addIdentifier(identifier));
  return { terms: buffer.slice(0, count), lineEnds, definitions };
}

function grown(array: Uint32Array<ArrayBuffer>, least: number): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(Math.max(least, array.length * 2));
  larger.set(array);
  return larger;
}
