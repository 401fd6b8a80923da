/** The product's graph of vectors, filled, changed by half and asked, beside the exact answer. */
import { ExactIndex } from '../../../src/engine/vectors/exactIndex';
import { KeyedGraph } from '../../../src/engine/vectors/keyedGraph';
import { KEY_BYTES } from '../../../src/util/hashKeys';
import { nullLogger } from '../../../src/util/logger';
import { clusteredVectors, randomNumbers } from '../../support/vectors';
import { answerParent } from '../child';
import { median } from '../statistics';
import { recallOf } from './nearest';

export interface ChurnInput {
  readonly vectors: number;
  readonly dimensions: number;
  readonly queries: number;
}

export interface ChurnStage {
  readonly churn: number;
  readonly recall: number;
  /** Median of a search for ten. */
  readonly searchMs: number;
  /** For the changes that led here. */
  readonly seconds: number;
}

/** Of neighbours. */
const K = 10;
const VECTORS_A_CLUSTER = 100;

answerParent(async ({ vectors, dimensions, queries }: ChurnInput): Promise<ChurnStage[]> => {
  const make = clusteredVectors(dimensions, Math.ceil(vectors / VECTORS_A_CLUSTER), randomNumbers(20_260_101));
  const exact = new ExactIndex(dimensions);
  exact.reserve(vectors * 2);
  const added: Float32Array[] = [];
  const add = (count: number): Uint8Array[] =>
    Array.from({ length: count }, () => {
      const vector = make();
      exact.add(added.push(vector) - 1, vector);
      return keyOf(added.length - 1);
    });
  const remove = (from: number, count: number): Uint8Array[] =>
    Array.from({ length: count }, (_, at) => {
      exact.remove(from + at);
      return keyOf(from + at);
    });
  const asked = Array.from({ length: queries }, make);
  const records = { get: () => undefined, put: () => Promise.resolve(), remove: () => Promise.resolve() };
  const graph = await KeyedGraph.load('', 'bench', records, { dimensions, fingerprint: '', logger: nullLogger });
  const stages: ChurnStage[] = [];
  const change = async (churn: number, keys: readonly Uint8Array[], gone: readonly Uint8Array[]): Promise<void> => {
    const started = performance.now();
    await graph.update(keys, gone, key => added[numberOf(key)]);
    const seconds = (performance.now() - started) / 1000;
    const times: number[] = [];
    let recall = 0;
    for (const query of asked) {
      const before = performance.now();
      const found = graph.search(query, K).map(({ key }) => numberOf(key));
      times.push(performance.now() - before);
      const wanted = exact.search(query, K).map(({ label }) => label);
      recall += recallOf(found, wanted) / asked.length;
    }
    stages.push({ churn, recall, searchMs: median(times), seconds });
  };
  await change(0, add(vectors), []);
  const quarter = Math.floor(vectors / 4);
  await change(0.25, add(quarter), remove(0, quarter));
  await change(0.5, add(quarter), remove(quarter, quarter));
  await graph.close();
  return stages;
});

/** As evenly spread by its first bytes as a hash. */
function keyOf(number: number): Uint8Array {
  const key = Buffer.alloc(KEY_BYTES);
  key.writeUInt32LE(number);
  return key;
}

function numberOf(key: Uint8Array): number {
  return Buffer.from(key).readUInt32LE();
}
