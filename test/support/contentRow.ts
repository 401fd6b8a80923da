import { extensionOf } from '../../src/engine/files/languages';
import { tokenize } from '../../src/engine/lexical/identifiers';
import { lexicalContent } from '../../src/engine/lexical/lexicalContent';
import type { Vocabulary } from '../../src/engine/lexical/vocabulary';
import { splitLines } from '../../src/engine/model/codeText';
import type { ContentRow } from '../../src/engine/store/records';

/** A content's row as the index makes it, with one window whose landmarks are the given spans. */
export function contentRow(
  path: string,
  text: string,
  vocabulary: Vocabulary,
  spans: readonly (readonly [number, number])[] = [[1, 1]],
): ContentRow {
  const lines = splitLines(text);
  for (const term of tokenize(path)) vocabulary.add(term);
  return {
    lineCount: lines.length,
    tokens: text.length,
    windowKeys: new Uint8Array(32),
    landmarkCounts: Uint8Array.of(spans.length),
    spans: Uint32Array.from(spans.flat()),
    ...lexicalContent(lines, extensionOf(path), vocabulary),
  };
}
