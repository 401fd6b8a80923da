import type { CommitHistory } from '../history/commitHistory';
import type { NameIndex } from '../lexical/nameIndex';
import { pastedShare } from '../lexical/neighbours';
import { distinctWords, type QueryTerms, UNKNOWN_TERM } from '../lexical/queryTerms';
import { leading } from '../model/landmarkPooling';
import type { ArmName } from '../types';
import type { Int4Query } from '../vectors/int4Products';
import type { KeyedGraph } from '../vectors/keyedGraph';
import { bestDocs } from './bestDocs';
import type { Corpus } from './corpus';
import {
  largest,
  normaliseByBest,
  normaliseSimilarities,
  type PartName,
  type Scores,
  similarityFloor,
  weightOfKnown,
} from './fusion';
import type { ScoreLease } from './scoreSpace';
import type { VectorTable } from './vectorTable';

/** Body BM25: repetition counts a little longer than usual, which measured better on long queries. */
const BODY_PARAMETERS = { k1: 2, b: 0.75 };
/** Of the indexes over names, see `Corpus`. */
const NAME_K1 = 1.2;
/** Documents of each stage that the vectors are asked about. */
const CANDIDATES = 200;
/**
 * Documents looked at for neighbouring words and windows, which need the text itself: the first of the body's, and of each
 * other stage. More change no answer to 800 questions about six repositories.
 */
const CLOSE_LOOK = { body: 100, others: 50 };
/** Landmarks compared for every document rather than for candidates only: some milliseconds' worth. */
const EXACT_LANDMARKS = 60_000;
/** So few documents are looked at one by one whatever the size of the index. */
const EXACT_DOCUMENTS = 2500;
/** Of the nearest files so many are looked at further, and of the nearest windows, which may be several of one file. */
const REACH = { files: 100, windows: 200 };
/** Documents that stand for all where the floor of a similarity has to be estimated. */
const SAMPLE = 512;

/** Instead of a similarity, which is never below -1 or is NaN. */
const NOT_COMPARED = -Infinity;

/** What a query is to the arms. */
export interface ScorableQuery {
  readonly terms: QueryTerms;
  /** L2-normalised, `[landmarkDimensions]`; undefined where the model cannot run or the query has no words. */
  readonly vector: Int4Query | undefined;
}

export interface ScorerParts {
  readonly corpus: Corpus;
  readonly vectors: VectorTable;
  readonly history: () => CommitHistory | undefined;
  readonly windowGraph: () => KeyedGraph | undefined;
  /** Numbers of the contents that hold a window, by its key. */
  readonly contentsOfWindow: (key: Uint8Array) => Iterable<number>;
}

/** Of a query with all documents, by their number; NaN where there is no vector. */
interface Similarities {
  readonly query: Int4Query;
  /** With the file's vector and its path's, see `VectorTable.fileWithPath`. */
  readonly byFile: Scores;
  readonly byPath: Scores;
}

/** Every part's normalised scores. */
export interface PartScores {
  readonly parts: ReadonlyMap<PartName, Scores>;
  /** What each stage in front of the vectors gives them to look at, in order: the first of a part, neighbours in a graph. */
  readonly stages: ReadonlyMap<string, readonly number[]>;
  /** By document how much of the query stands in one line word by word, in (0, 1]; without those that hold next to nothing. */
  readonly pasted: ReadonlyMap<number, number>;
}

/** Scores all documents of a corpus for a query, part by part. */
export class PartScorer {
  constructor(private readonly from: ScorerParts) {}

  /**
   * @param allowed documents in scope, 1 = in; undefined = all. The others score nothing, before any best is chosen.
   * @param arms the arms asked for; undefined = all.
   * @param space gives the arrays of the scores.
   */
  score(
    query: ScorableQuery,
    allowed: Uint8Array | undefined,
    arms: ReadonlySet<ArmName> | undefined,
    space: ScoreLease,
  ): PartScores {
    const asked = (arm: ArmName): boolean => arms?.has(arm) ?? true;
    const parts = new Map<PartName, Scores>();
    const stages = new Map<string, readonly number[]>();
    const put = (part: PartName, scores: Scores): void => {
      parts.set(part, normaliseByBest(masked(scores, allowed)));
    };
    const { body, baseNames, folders, definitions, docLimit } = this.from.corpus;
    const scored = (add: (sums: Scores) => void): Scores => {
      const sums = space.take(docLimit);
      add(sums);
      return sums;
    };
    const ideal = this.idealScore(query.terms);
    const words = distinctWords(query.terms).filter(term => term !== UNKNOWN_TERM);
    const putNames = (part: PartName, names: NameIndex): void => {
      const scores = masked(
        scored(sums => names.addScores(words, sums)),
        allowed,
      );
      const coverage = Math.min(1, largest(scores) / ideal);
      parts.set(part, scaled(normaliseByBest(scores), Math.sqrt(coverage)));
    };
    if (asked('lexical')) {
      put(
        'body',
        scored(sums => body.addScores(query.terms, BODY_PARAMETERS, sums)),
      );
      putNames('base', baseNames);
      putNames('folder', folders);
    }
    if (asked('definition')) putNames('definition', definitions);
    if (asked('history')) {
      const { scores, coverage } = this.historyScores(query.terms.tokens, space);
      parts.set('history', scaled(normaliseByBest(masked(scores, allowed)), coverage));
    }
    for (const [part, scores] of parts) stages.set(part, bestDocs(scores, CANDIDATES));

    const { vector } = query;
    const near = vector && this.similarities(vector, space);
    if (near !== undefined) this.reach(near, allowed, stages);
    const looked = lookedAtClosely(stages, parts.get('body'));
    const pasted = asked('lexical') ? this.closeLook(query.terms, looked, put, space) : [];
    if (near !== undefined) this.vectorParts(near, allowed, asked, stages, parts, space);
    return { parts, stages, pasted: new Map(pasted.filter(([doc]) => allowed?.[doc] !== 0)) };
  }

  /** Parts that need a document's text, for the documents that the others found. Gives those that hold much of the query in a row, see `PartScores.pasted`. */
  private closeLook(
    terms: QueryTerms,
    candidates: ReadonlySet<number>,
    put: (part: PartName, scores: Scores) => void,
    space: ScoreLease,
  ): (readonly [doc: number, share: number])[] {
    const docs = [...candidates];
    const { pairs, longest, windows } = this.from.corpus.closeLook(docs, terms);
    const phrase = space.take(this.from.corpus.docLimit);
    const window = space.take(this.from.corpus.docLimit);
    for (const [at, doc] of docs.entries()) {
      phrase[doc] = pairs[at] ?? 0;
      window[doc] = windows[at] ?? 0;
    }
    put('phrase', phrase);
    put('window', window);
    return docs.flatMap((doc, at) => {
      const share = pastedShare(longest[at] ?? 0, terms.sequence.length);
      return share > 0 ? [[doc, share] as const] : [];
    });
  }

  /** Documents near the query from the whole index: the nearest files, of which each was compared, and windows by their graph. */
  private reach(
    { query, byFile }: Similarities,
    allowed: Uint8Array | undefined,
    stages: Map<string, readonly number[]>,
  ): void {
    const { corpus } = this.from;
    const graph = this.from.windowGraph();
    const windows = graph?.search(leading(query.vector, graph.dimensions), REACH.windows) ?? [];
    const contents = new Set<number>();
    for (const { key } of windows) for (const content of this.from.contentsOfWindow(key)) contents.add(content);
    stages.set('nearestFiles', bestDocs(byFile, REACH.files, allowed && (doc => (allowed[doc] === 0 ? 0 : 1))));
    const holders: number[] = [];
    for (const content of contents)
      for (const doc of corpus.docsWith(content)) if (allowed?.[doc] !== 0) holders.push(doc);
    stages.set('windowGraph', holders);
  }

  private vectorParts(
    { query, byFile, byPath }: Similarities,
    allowed: Uint8Array | undefined,
    asked: (arm: ArmName) => boolean,
    stages: ReadonlyMap<string, readonly number[]>,
    parts: Map<PartName, Scores>,
    space: ScoreLease,
  ): void {
    const { corpus, vectors } = this.from;
    const saved = corpus.savedDocs();
    // The floor is that of the whole index: in a small scope the median would be an answer.
    const sample = evenly(saved, SAMPLE);
    // Their vectors are not there yet, or are those of the text before: their words speak for them in the vectors' place.
    const words = parts.get('body');
    const unread =
      words === undefined ? [] : [...nonesOf(byFile), ...corpus.drafts()].filter(doc => (words[doc] as number) > 0);

    /** @param similarities of the documents in scope, NaN = not looked at. @param sampled parallel to the sample. */
    const add = (part: PartName, similarities: Scores, sampled: Scores): void => {
      const normalised = normaliseSimilarities(similarities, similarityFloor(sampled));
      if (part !== 'path') {
        for (const doc of unread) normalised[doc] = Math.max(normalised[doc] as number, words?.[doc] as number);
      }
      parts.set(part, scaled(normalised, weightOfKnown(sampled)));
    };
    const addWhole = (part: PartName, similarities: Scores): void => {
      const sampled = scoresOf(sample, doc => similarities[doc] as number);
      add(part, masked(similarities, allowed, NaN), sampled);
    };
    if (asked('file')) addWhole('file', byFile);
    if (asked('landmark')) {
      const documents = allowed === undefined ? saved : saved.filter(doc => allowed[doc] !== 0);
      const near = vectors.landmarkCount <= EXACT_LANDMARKS || documents.length <= EXACT_DOCUMENTS;
      const nearness = this.nearnessTo(query, byPath, space);
      const candidates = (): number[] =>
        [...new Set([...stages.values()].flat())].filter(doc => corpus.contentNumberOf(doc) >= 0);
      const similarities = space.take(corpus.docLimit, NaN);
      for (const doc of near ? documents : candidates()) similarities[doc] = nearness(doc);
      add('landmark', similarities, scoresOf(sample, nearness));
    }
    // Last: it changes the similarities.
    if (asked('path')) addWhole('path', byPath);
  }

  private similarities(query: Int4Query, space: ScoreLease): Similarities {
    const { corpus, vectors } = this.from;
    const byContent = vectors.files.similarities(query, space.take(corpus.contentLimit));
    const byPath = vectors.paths.similarities(query, space.take(corpus.docLimit));
    const byFile = space.take(corpus.docLimit);
    for (let doc = 0; doc < byFile.length; doc++) {
      const content = corpus.contentNumberOf(doc);
      const similarity = byContent[content] ?? NaN;
      byFile[doc] = vectors.fileWithPath(content, similarity, doc, byPath[doc] as number);
    }
    return { query, byFile, byPath };
  }

  /** Compares a document's landmarks with a query, each document's once. */
  private nearnessTo(query: Int4Query, byPath: Scores, space: ScoreLease): (doc: number) => number {
    const { corpus, vectors } = this.from;
    const byDoc = space.take(corpus.docLimit, NOT_COMPARED);
    return doc => {
      const known = byDoc[doc] as number;
      if (known !== NOT_COMPARED) return known;
      const path = { doc, similarity: byPath[doc] as number };
      return (byDoc[doc] = vectors.nearness(corpus.contentNumberOf(doc), query, path));
    };
  }

  private historyScores(
    tokens: readonly string[],
    space: ScoreLease,
  ): { readonly scores: Scores; readonly coverage: number } {
    const scores = space.take(this.from.corpus.docLimit);
    const { corpus } = this.from;
    const found = this.from.history()?.score(tokens, path => corpus.at(path) !== undefined);
    for (const [path, score] of found?.scores ?? []) {
      const document = corpus.at(path);
      if (document !== undefined) scores[document.doc] = score;
    }
    return { scores, coverage: found?.coverage ?? 0 };
  }

  /**
   * About what a text would score that has every word of the query: names are short and match one word of many; how
   * much of the query the best of them covers says how much they have to say. Their arms count with its square root.
   */
  private idealScore(terms: QueryTerms): number {
    let sum = 0;
    for (const term of distinctWords(terms)) sum += this.from.corpus.body.idf(term);
    return Math.max(1e-9, sum * (NAME_K1 + 1));
  }
}

/** The first of every stage that hold a term of the query; the others have nothing to be found. */
function lookedAtClosely(stages: ReadonlyMap<string, readonly number[]>, body: Scores | undefined): Set<number> {
  return new Set(
    [...stages].flatMap(([stage, docs]) =>
      docs.slice(0, CLOSE_LOOK[stage === 'body' ? 'body' : 'others']).filter(doc => (body?.[doc] ?? 0) > 0),
    ),
  );
}

/** The documents that have no similarity. */
function nonesOf(similarities: Scores): number[] {
  const none: number[] = [];
  for (let doc = 0; doc < similarities.length; doc++) if (Number.isNaN(similarities[doc])) none.push(doc);
  return none;
}

/** At least so many of the documents, all where they are fewer, evenly spread. */
function evenly(docs: Uint32Array, count: number): Uint32Array {
  const step = Math.max(1, Math.floor(docs.length / count));
  const sample = new Uint32Array(Math.ceil(docs.length / step));
  for (let at = 0; at < sample.length; at++) sample[at] = docs[at * step] as number;
  return sample;
}

/** Parallel to the documents. */
function scoresOf(docs: Uint32Array, scoreOf: (doc: number) => number): Scores {
  const scores = new Float64Array(docs.length);
  for (let at = 0; at < docs.length; at++) scores[at] = scoreOf(docs[at] as number);
  return scores;
}

/** Multiplies in place. */
function scaled(scores: Scores, factor: number): Scores {
  if (factor !== 1) for (let at = 0; at < scores.length; at++) scores[at] = (scores[at] as number) * factor;
  return scores;
}

/** Gives documents out of scope a score that says nothing, in place. */
function masked(scores: Scores, allowed: Uint8Array | undefined, nothing = 0): Scores {
  if (allowed !== undefined)
    for (let doc = 0; doc < scores.length; doc++) if (allowed[doc] === 0) scores[doc] = nothing;
  return scores;
}
