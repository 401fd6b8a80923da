import { readFileSync } from 'node:fs';

/** One case of the reference: text → prepared lines → token ids and their lines → layout of one window → pooled vector. */
export interface GoldenCase {
  readonly name: string;
  readonly text: string;
  readonly prepared: readonly string[];
  readonly ids: readonly number[];
  readonly lines: readonly number[];
  readonly k?: number;
  readonly layout?: readonly number[];
  readonly landmarks?: readonly number[];
  readonly vector?: readonly number[];
}

export const MODEL_FOLDER = 'models/landmark-minilm-r2';

export function goldenCases(): GoldenCase[] {
  const lines = readFileSync('test/fixtures/golden.jsonl', 'utf8').trim().split('\n');
  return lines.map(line => JSON.parse(line) as GoldenCase);
}
