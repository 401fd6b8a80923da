/** Recall, speed and building time of the graph library by its three numbers. */
import { HierarchicalNSW } from 'hnswlib-node';
import { clusteredVectors, randomNumbers } from '../../support/vectors';
import { answerParent } from '../child';
import { median } from '../statistics';
import { nearestRows, recallOf } from './nearest';

export interface SweepInput {
  readonly vectors: number;
  readonly dimensions: number;
  readonly queries: number;
  readonly links: readonly number[];
  readonly buildWidths: readonly number[];
  readonly searchWidths: readonly number[];
}

export interface SweepPoint {
  readonly links: number;
  readonly buildWidth: number;
  readonly searchWidth: number;
  readonly recall: number;
  readonly searchMs: number;
  readonly buildSeconds: number;
}

const K = 10;
const VECTORS_A_CLUSTER = 100;

answerParent(async (input: SweepInput): Promise<SweepPoint[]> => {
  const { vectors, dimensions, queries, links, buildWidths, searchWidths } = input;
  const make = clusteredVectors(dimensions, Math.ceil(vectors / VECTORS_A_CLUSTER), randomNumbers(20_260_102));
  const rows = Array.from({ length: vectors }, () => Array.from(make()));
  const asked = Array.from({ length: queries }, () => Array.from(make()));
  const wanted = asked.map(query => nearestRows(rows, query, K));
  const points: SweepPoint[] = [];
  for (const m of links) {
    for (const buildWidth of buildWidths) {
      const graph = new HierarchicalNSW('ip', dimensions);
      graph.initIndex(vectors, m, buildWidth, 100, false);
      const started = performance.now();
      rows.forEach((row, label) => graph.addPoint(row, label));
      const buildSeconds = (performance.now() - started) / 1000;
      for (const searchWidth of searchWidths) {
        graph.setEf(searchWidth);
        const times: number[] = [];
        let recall = 0;
        for (const [at, query] of asked.entries()) {
          const before = performance.now();
          const { neighbors } = graph.searchKnn(query, K);
          times.push(performance.now() - before);
          recall += recallOf(neighbors, wanted[at] ?? []) / queries;
        }
        points.push({ links: m, buildWidth, searchWidth, recall, searchMs: median(times), buildSeconds });
      }
    }
  }
  return points;
});
