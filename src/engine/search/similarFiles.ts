import type { BodyIndex } from '../lexical/bodyIndex';
import type { ContentRow } from '../store/records';
import type { SimilarHit, SimilarRegion, TestPartnerHit } from '../types';
import { Int4Query } from '../vectors/int4Products';
import { unpackAt, packedBytes } from '../vectors/quantization';
import { dot } from '../vectors/vectorMath';
import { bestDocs } from './bestDocs';
import type { Corpus, CorpusDocument } from './corpus';
import { normaliseByBest, normaliseSimilarities } from './fusion';
import ranking from './ranking.json';
import { testPartners } from './testPairs';
import type { VectorTable } from './vectorTable';

/** Rarest terms that stand for a file: the ones that say what it shares with few others. */
const TELLING_TERMS = 200;
const MAX_REGIONS = 3;
/** Landmarks of each file compared pairwise for regions, evenly spread over a longer one. */
const MAX_COMPARED = 200;

/** Files like a given one: by the rare terms they share, by their vectors, and a little by the folders they are in. */
export class SimilarFiles {
  constructor(
    private readonly corpus: Corpus,
    private readonly vectors: VectorTable,
  ) {}

  find(document: CorpusDocument, limit: number): SimilarHit[] {
    const row = this.corpus.content(document.hash);
    if (row === undefined) return [];
    const ranked = this.rank(document, row);
    const hits: SimilarHit[] = [];
    const seen = new Set([document.hash]);
    for (const { doc, score } of ranked) {
      if (hits.length >= limit) break;
      const other = this.corpus.document(doc);
      if (other === undefined || seen.has(other.hash)) continue;
      seen.add(other.hash);
      hits.push(this.hit(document, other, score));
    }
    return hits;
  }

  /** The tests of a file, or what it tests, by their names. Copies of one are one. */
  testPartners(document: CorpusDocument): TestPartnerHit[] {
    const row = this.corpus.content(document.hash);
    if (row === undefined) return [];
    const paths = [...this.corpus.documents()].map(({ path }) => path);
    const partners = testPartners(document.path, paths);
    if (partners.length === 0) return [];
    const scores = new Map(this.rank(document, row).map(({ doc, score }) => [doc, score]));
    const seen = new Set([document.hash]);
    return partners.flatMap(({ path, relation }) => {
      const other = this.corpus.at(path);
      if (other === undefined || seen.has(other.hash)) return [];
      seen.add(other.hash);
      return [{ ...this.hit(document, other, scores.get(other.doc) ?? 0), relation }];
    });
  }

  /** Other paths with the same content. */
  copiesOf(document: CorpusDocument): string[] {
    const paths = [...this.corpus.docsOf(document.hash)].map(doc => this.corpus.document(doc)?.path ?? '');
    return paths.filter(path => path !== document.path && path !== '').sort();
  }

  /** Every other document, nearest first; those with the same content, with score 1, before all. */
  rank(document: CorpusDocument, row: ContentRow): { doc: number; score: number }[] {
    const { corpus, vectors } = this;
    const lexical = new Float64Array(corpus.docLimit);
    const distinct = tellingTerms(row, corpus.body, corpus.size);
    corpus.body.addScores({ tokens: [], sequence: [], distinct }, { k1: 1.2, b: 0.75 }, lexical);
    const similar = new Float64Array(corpus.docLimit).fill(NaN);
    const own = vectors.files.get(document.content);
    if (own !== undefined) {
      const byContent = vectors.files.similarities(new Int4Query(own), new Float64Array(corpus.contentLimit));
      for (const { doc, content } of corpus.documents()) {
        if (content !== document.content) similar[doc] = byContent[content] ?? NaN;
      }
    }
    const copies = corpus.docsOf(document.hash);
    for (const doc of copies) lexical[doc] = 0;
    normaliseByBest(lexical);
    normaliseSimilarities(similar);
    const { words, vectors: meaning, folders } = ranking.similar;
    const sum = lexical.map((score, doc) => {
      const path = corpus.document(doc)?.path;
      if (path === undefined) return 0;
      const near = sharedFolders(document.path, path);
      return (words * score + meaning * (similar[doc] ?? 0) + folders * near) / (words + meaning + folders);
    });
    for (const doc of copies) sum[doc] = doc === document.doc ? 0 : 1;
    return bestDocs(sum, corpus.docLimit).map(doc => ({ doc, score: sum[doc] ?? 0 }));
  }

  private hit(from: CorpusDocument, to: CorpusDocument, score: number): SimilarHit {
    return { path: to.path, score, copies: this.copiesOf(to), regions: this.regions(from, to) };
  }

  /** The pairs of landmarks that are nearest, each landmark in one pair, best first. */
  private regions(from: CorpusDocument, to: CorpusDocument): SimilarRegion[] {
    const a = this.landmarks(from);
    const b = this.landmarks(to);
    const pairs = a.flatMap(x => b.map(y => ({ from: x.span, to: y.span, score: dot(x.vector, y.vector) })));
    pairs.sort((x, y) => y.score - x.score);
    const regions: SimilarRegion[] = [];
    for (const pair of pairs) {
      if (regions.length >= MAX_REGIONS) break;
      if (regions.every(other => other.from[0] !== pair.from[0] && other.to[0] !== pair.to[0])) regions.push(pair);
    }
    return regions;
  }

  private landmarks({ content, hash }: CorpusDocument): { vector: Float32Array; span: [number, number] }[] {
    const vectors = this.vectors.landmarksOf(content);
    const row = this.corpus.content(hash);
    if (vectors === undefined || row === undefined) return [];
    const dimensions = this.vectors.dimensions;
    const step = Math.max(1, vectors.scales.length / MAX_COMPARED);
    const landmarks: { vector: Float32Array; span: [number, number] }[] = [];
    for (let next = 0; next < vectors.scales.length; next += step) {
      const at = Math.floor(next);
      const scale = vectors.scales[at] ?? 0;
      if (scale === 0) continue;
      const vector = unpackAt(vectors.values, at * packedBytes(dimensions), dimensions, scale);
      landmarks.push({ vector, span: [row.spans[2 * at] ?? 1, row.spans[2 * at + 1] ?? 1] });
    }
    return landmarks;
  }
}

/** Share of the folders that two paths have in common from the top, of the deeper one's, in [0, 1]; 0 for files at the top. */
export function sharedFolders(a: string, b: string): number {
  const [own, other] = [a.split('/').slice(0, -1), b.split('/').slice(0, -1)];
  let common = 0;
  while (common < own.length && common < other.length && own[common] === other[common]) common++;
  return common / Math.max(1, own.length, other.length);
}

/** The rarest terms of a content that another document has too. */
function tellingTerms(row: ContentRow, body: BodyIndex, documents: number): number[] {
  const distinct = [...new Set(row.terms)];
  // A term of one document alone has the highest IDF there is.
  const alone = Math.log(1 + (documents - 0.5) / 1.5);
  const idf = new Map(distinct.map(term => [term, body.idf(term)]));
  return distinct
    .filter(term => (idf.get(term) ?? 0) < alone)
    .sort((a, b) => (idf.get(b) ?? 0) - (idf.get(a) ?? 0) || a - b)
    .slice(0, TELLING_TERMS);
}
