/** What is lost by keeping vectors in fewer bits and dimensions, on real source with the model's own vectors. */
import { availableParallelism } from 'node:os';
import { bundledModelDir } from '../../../src/cli/bundledModel';
import { loadModel, type ModelManifest } from '../../../src/engine/model/modelManifest';
import { leading, meanOfRows, poolWindows } from '../../../src/engine/model/landmarkPooling';
import { OnnxEmbedder } from '../../../src/engine/model/onnxEmbedder';
import { embedQuery } from '../../../src/engine/model/queryEmbedding';
import { TextTokenizer } from '../../../src/engine/model/textTokenizer';
import { cutWindows, windowCapacity } from '../../../src/engine/model/windows';
import { meanOfLandmarks, quantizeWindow } from '../../../src/engine/vectors/quantization';
import { l2Normalize } from '../../../src/engine/vectors/vectorMath';
import { asStored } from '../../support/vectors';
import { answerParent } from '../child';
import { mean } from '../statistics';
import { pinnedSources } from '../sourceText';
import { nearestRows, recallOf, toHalf } from './nearest';

export interface LossInput {
  readonly lines: number;
  readonly queries: number;
}

/** Of the ten that full vectors give, how many are kept; and how often the file that the question was taken from is among the first ten. */
export interface Kept {
  readonly recall: number;
  readonly found: number;
}

export interface Loss {
  readonly files: number;
  readonly landmarks: number;
  readonly queries: number;
  readonly landmark: Readonly<Record<'all, fp32' | 'leading, fp32' | 'leading, int4', Kept>>;
  readonly file: Readonly<Record<'fp32' | 'fp16' | 'int4' | 'leading, fp32' | 'leading, int4 by landmark', Kept>>;
}

const K = 10;
/** A question: a comment of some words. */
const COMMENT = /^\s*(?:\/\/|\*|#)\s+([A-Z][a-z]+(?: [a-zA-Z`'-]+){5,12})[.,:]?\s*$/;

interface Source {
  readonly question: string | undefined;
  readonly windows: readonly Float32Array[];
}

type Rows = readonly ArrayLike<number>[];

answerParent(async ({ lines, queries }: LossInput): Promise<Loss> => {
  const model = await loadModel(bundledModelDir('models'));
  const { manifest } = model;
  const whole = { ...manifest, landmarkDimensions: manifest.dimensions };
  const tokenizer = await TextTokenizer.load(model);
  const embedder = await OnnxEmbedder.create(model, { threads: availableParallelism(), tokenIds: tokenizer });
  const sources: Source[] = [];
  for (const { text } of pinnedSources(lines)) {
    const tokens = tokenizer.encodeText(text);
    const cuts = cutWindows(tokens.ids, tokens.lines, { capacity: windowCapacity(manifest) });
    const windows = await embedder.embed(cuts.map(({ start, end }) => tokens.ids.slice(start, end)));
    const question = text.split('\n').flatMap(line => COMMENT.exec(line)?.[1] ?? [])[0];
    sources.push({ question, windows });
  }
  const asked: { readonly file: number; readonly vector: Float32Array }[] = [];
  for (const [file, { question }] of sources.entries()) {
    if (question === undefined || asked.length >= queries) continue;
    asked.push({ file, vector: await embedQuery(embedder, tokenizer, whole, question) });
  }
  await embedder.close();
  return { files: sources.length, queries: asked.length, ...lossOf(sources, asked, manifest) };
});

function lossOf(
  sources: readonly Source[],
  asked: readonly { readonly file: number; readonly vector: Float32Array }[],
  { dimensions, landmarkDimensions }: ModelManifest,
): Pick<Loss, 'landmarks' | 'landmark' | 'file'> {
  const landmarks = sources.flatMap(({ windows }, file) =>
    windows.flatMap(rows =>
      Array.from({ length: rows.length / dimensions }, (_, at) => ({
        file,
        row: l2Normalize(rows.slice(at * dimensions, (at + 1) * dimensions)),
      })),
    ),
  );
  const all = landmarks.map(({ row }) => row);
  const fronts = all.map(row => leading(row, landmarkDimensions));
  const vectors = asked.map(({ vector }) => vector);
  const short = vectors.map(vector => leading(vector, landmarkDimensions));
  const rightLandmarks = (at: number, found: readonly number[]): boolean =>
    found.some(row => landmarks[row]?.file === asked[at]?.file);
  const rightFiles = (at: number, found: readonly number[]): boolean => found.includes(asked[at]?.file ?? -1);
  const byLandmark = comparison(all, vectors, rightLandmarks);
  const files = sources.map(({ windows }) =>
    poolWindows(
      windows.map(rows => ({ mean: meanOfRows(rows, dimensions), landmarks: rows.length / dimensions })),
      dimensions,
    ),
  );
  const stored = sources.map(({ windows }) =>
    poolWindows(
      windows.map(rows => ({
        mean: meanOfLandmarks(quantizeWindow(rows, dimensions, landmarkDimensions)),
        landmarks: rows.length / dimensions,
      })),
      landmarkDimensions,
    ),
  );
  const byFile = comparison(files, vectors, rightFiles);
  return {
    landmarks: landmarks.length,
    landmark: {
      'all, fp32': byLandmark(all, vectors),
      'leading, fp32': byLandmark(fronts, short),
      'leading, int4': byLandmark(fronts.map(asStored), short),
    },
    file: {
      fp32: byFile(files, vectors),
      fp16: byFile(
        files.map(row => row.map(toHalf)),
        vectors,
      ),
      int4: byFile(files.map(asStored), vectors),
      'leading, fp32': byFile(
        files.map(row => leading(row, landmarkDimensions)),
        short,
      ),
      'leading, int4 by landmark': byFile(stored, short),
    },
  };
}

/** Compares what rows and queries find with what the full ones find. */
function comparison(
  full: Rows,
  queries: readonly Float32Array[],
  isRight: (query: number, found: readonly number[]) => boolean,
): (rows: Rows, short: readonly Float32Array[]) => Kept {
  const wanted = queries.map(query => nearestRows(full, query, K));
  return (rows, short) => {
    const found = short.map(query => nearestRows(rows, query, K));
    return {
      recall: mean(found.map((ten, at) => recallOf(ten, wanted[at] ?? []))),
      found: mean(found.map((ten, at) => (isRight(at, ten) ? 1 : 0))),
    };
  };
}
