import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { prepareLine } from '../../src/engine/model/codeText';
import type { LoadedModel } from '../../src/engine/model/modelManifest';
import { TextTokenizer } from '../../src/engine/model/textTokenizer';
import { cutWindows, windowCapacity, windowKey } from '../../src/engine/model/windows';
import ranking from '../../src/engine/search/ranking.json';
import type { SemanticEngine } from '../../src/engine/semanticEngine';
import type { WindowRecord } from '../../src/engine/store/records';
import { quantizeWindow } from '../../src/engine/vectors/quantization';
import { testModel } from './engineRuntime';
import type { Files } from './randomFiles';
import { asStored } from './vectors';
import { WordEmbedder } from './wordEmbedder';

/** What a number that is rounded to the other side may change of a cosine: the engine adds in another order. */
const TOLERANCE = 0.01;
/** As in the ranking: the similarity that says nothing is the median, or a usual one where files are few. */
const FEW = 8;
const USUAL_FLOOR = 0.15;
/** Landmarks of a file that speak for it, the nearest ones. */
const SPEAKING = 5;

interface TextVectors {
  readonly file: Float64Array;
  readonly landmarks: readonly Float64Array[];
}

/** Answers questions about a few files by looking at all of them: slow and plain, to compare with. */
export class ExactSearch {
  private readonly known = new Map<string, Promise<TextVectors>>();

  private constructor(
    private readonly model: LoadedModel,
    private readonly tokenizer: TextTokenizer,
    private readonly embedder: WordEmbedder,
  ) {}

  static async create(): Promise<ExactSearch> {
    const model = await testModel();
    const { dimensions, k } = model.manifest;
    return new ExactSearch(model, await TextTokenizer.load(model), new WordEmbedder(dimensions, k));
  }

  /** The token ids of a text's windows. */
  windows(text: string): Int32Array[] {
    const { ids, lines } = this.tokenizer.encodeText(text);
    const cuts = cutWindows(ids, lines, { capacity: windowCapacity(this.model.manifest) });
    return cuts.map(({ start, end }) => ids.slice(start, end));
  }

  pathWindow(path: string): Int32Array {
    return Int32Array.from(this.tokenizer.encodeLine(prepareLine(path)).slice(-24));
  }

  /** Keys, in hex, of the windows of texts. */
  contentKeys(texts: Iterable<string>): Set<string> {
    return new Set([...texts].flatMap(text => this.windows(text)).map(ids => hex(windowKey(ids))));
  }

  /** Keys of everything that has to be stored for these files. */
  keys(files: Files): Set<string> {
    const paths = [...files.keys()].map(path => hex(windowKey(this.pathWindow(path))));
    return new Set([...paths, ...this.contentKeys(files.values())]);
  }

  /** What the store must hold for a window. */
  async record(ids: Int32Array): Promise<WindowRecord> {
    const [rows = new Float32Array()] = await this.embedder.embed([ids]);
    const { dimensions, landmarkDimensions } = this.model.manifest;
    return quantizeWindow(rows, dimensions, landmarkDimensions);
  }

  holders(files: Files, word: string): string[] {
    return [...files].filter(([, text]) => new RegExp(`\\b${word}\\b`).test(text)).map(([path]) => path);
  }

  /** Cosine of each file with a query: of its vector, or the mean of its nearest landmarks, each with that of its path added. */
  async cosines(files: Files, query: string, arm: 'file' | 'landmark'): Promise<Map<string, number>> {
    const asked = await this.queryVector(query);
    const cosines = new Map<string, number>();
    for (const [path, text] of files) {
      const { file, landmarks } = await this.vectors(text);
      const beside = (await this.embed([this.pathWindow(path)])).file;
      const withPath = (vector: Float64Array): Float64Array =>
        unit(unit(vector).map((value, at) => value + ranking.pathBeside * beside[at]!));
      const nearest = landmarks
        .map(vector => dot(withPath(vector), asked))
        .sort((a, b) => b - a)
        .slice(0, SPEAKING);
      const best = nearest.reduce((sum, cosine) => sum + cosine, 0) / nearest.length;
      cosines.set(path, arm === 'file' ? dot(withPath(file), asked) : best);
    }
    return cosines;
  }

  private vectors(text: string): Promise<TextVectors> {
    const known = this.known.get(text);
    if (known !== undefined) return known;
    if (this.known.size > 2000) this.known.clear();
    const made = this.embed(this.windows(text));
    this.known.set(text, made);
    return made;
  }

  private async embed(windows: readonly Int32Array[]): Promise<TextVectors> {
    const landmarks = (await this.rows(windows)).map(row => Float64Array.from(asStored(row)));
    const mean = asStored(Float32Array.from(meanOf(landmarks)));
    return { file: unit(Float64Array.from(mean)), landmarks };
  }

  /** It is not stored, so not rounded. */
  private async queryVector(query: string): Promise<Float64Array> {
    return unit(meanOf((await this.rows(this.windows(query))).map(row => Float64Array.from(row))));
  }

  private async rows(windows: readonly Int32Array[]): Promise<Float32Array[]> {
    const { dimensions, landmarkDimensions } = this.model.manifest;
    return (await this.embedder.embed([...windows])).flatMap(rows =>
      Array.from({ length: rows.length / dimensions }, (_, at) =>
        rows.slice(at * dimensions, at * dimensions + landmarkDimensions),
      ),
    );
  }
}

/** What an engine answers is what looking at every file gives: by words and by vectors, for no file too many or too few. */
export async function assertExact(
  engine: SemanticEngine,
  exact: ExactSearch,
  files: Files,
  query: string,
  what: string,
): Promise<void> {
  const [word = ''] = query.split(' ');
  const byWord = await found(engine, word, 'lexical');
  const holders = [...byWord].flatMap(([path, { copies }]) => [path, ...copies]);
  assert.deepEqual(holders.sort(), exact.holders(files, word).sort(), `${what}: files with ${word}`);
  for (const arm of ['file', 'landmark'] as const) {
    const cosines = await exact.cosines(files, query, arm);
    const answers = await found(engine, query, arm);
    const sorted = [...cosines.values()].sort((a, b) => a - b);
    const median =
      sorted.length === 0 ? 0 : (at(sorted, (sorted.length - 1) >> 1) + at(sorted, sorted.length >> 1)) / 2;
    const floor = sorted.length < FEW ? Math.min(USUAL_FLOOR, median) : median;
    const range = Math.max(0, at(sorted, sorted.length - 1) - floor);
    // Copies are shown with the best of them; what the arm gave the others is not said, but it is not more.
    const copies = new Set([...answers.values()].flatMap(answer => answer.copies));
    for (const path of [...answers.keys(), ...copies]) assert.ok(files.has(path), `${what}: ${path} does not exist`);
    for (const [path, answer] of answers)
      for (const copy of answer.copies)
        assert.ok(
          (cosines.get(copy) ?? 1) <= (cosines.get(path) ?? 0) + TOLERANCE,
          `${what}: ${copy} is before ${path}`,
        );
    for (const [path, cosine] of cosines) {
      if (copies.has(path)) continue;
      const expected = Math.max(0, cosine - floor);
      const difference = Math.abs((answers.get(path)?.share ?? 0) * range - expected);
      assert.ok(difference <= TOLERANCE, `${what}: ${arm} of ${path} for "${query}" is ${difference} off`);
    }
  }
}

/** What one arm gave each file, and its copies. */
async function found(
  engine: SemanticEngine,
  query: string,
  arm: 'file' | 'landmark' | 'lexical',
): Promise<Map<string, { readonly share: number; readonly copies: readonly string[] }>> {
  const { results } = await engine.search({ query, limit: 1000, arms: [arm] });
  return new Map(results.map(({ path, arms, copies = [] }) => [path, { share: arms[arm] ?? 0, copies }]));
}

export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

export function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}

function at(numbers: readonly number[], index: number): number {
  return numbers[index] ?? 0;
}

function meanOf(vectors: readonly Float64Array[]): Float64Array {
  const mean = new Float64Array(vectors[0]?.length ?? 0);
  for (const vector of vectors) for (let i = 0; i < mean.length; i++) mean[i]! += vector[i]! / vectors.length;
  return mean;
}

function dot(a: Float64Array, b: Float64Array): number {
  return a.reduce((sum, value, index) => sum + value * (b[index] ?? 0), 0);
}

function unit(vector: Float64Array): Float64Array {
  const length = Math.sqrt(dot(vector, vector));
  return vector.map(value => value / length);
}
