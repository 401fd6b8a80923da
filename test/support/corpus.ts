import type { Vocabulary } from '../../src/engine/lexical/vocabulary';
import { Corpus } from '../../src/engine/search/corpus';
import { contentRow } from './contentRow';

/** A corpus of small files, texts by path; files of the same text are copies of each other. */
export function corpusOf(files: Readonly<Record<string, string>>, vocabulary: Vocabulary): Corpus {
  const corpus = new Corpus(vocabulary);
  for (const [path, text] of Object.entries(files))
    corpus.put(path, text.length, text, contentRow(path, text, vocabulary));
  return corpus;
}
