import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Machine } from './machine';

export const REPORT_FOLDER = join(process.cwd(), 'test/bench/report');

export interface Goal {
  readonly atLeast?: number;
  readonly atMost?: number;
}

/** One measured number. */
export interface Figure {
  readonly name: string;
  /** Null where it was not measured: the note says why. */
  readonly value: number | null;
  /** `×` for a ratio within one run, `` for a count. */
  readonly unit: string;
  readonly goal?: Goal;
  readonly note?: string;
}

/** A line in a plot. */
export interface Series {
  readonly name: string;
  readonly points: readonly { readonly x: number; readonly y: number }[];
}

export interface Plot {
  /** Of the SVG file, without its ending. */
  readonly file: string;
  readonly title: string;
  readonly x: { readonly label: string; readonly log?: boolean };
  readonly y: { readonly label: string; readonly log?: boolean };
  readonly series: readonly Series[];
}

export type Parameters = Readonly<Record<string, string | number | boolean>>;

/** What a bench found. */
export interface Findings {
  /** What was run: sizes, repeats, what stands in for what. */
  readonly parameters: Parameters;
  readonly figures: readonly Figure[];
  readonly plots?: readonly Plot[];
}

export interface BenchRun extends Findings {
  /** ISO 8601. */
  readonly at: string;
  readonly commit: string;
  readonly command: string;
  readonly seconds: number;
  readonly machine: Machine;
}

/** What is kept of a bench: its first run, and its last one. */
export interface BenchRecord {
  readonly name: string;
  readonly title: string;
  readonly first: BenchRun;
  readonly last: BenchRun;
}

export function readRecord(name: string, folder = REPORT_FOLDER): BenchRecord | undefined {
  const file = join(folder, `${name}.json`);
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as BenchRecord) : undefined;
}

/** Stores a run. The first run stays what it was, but for figures that no run had measured. */
export function storeRun(name: string, title: string, run: BenchRun, folder = REPORT_FOLDER): BenchRecord {
  const known = readRecord(name, folder);
  const record = { name, title, first: known === undefined ? run : withNewFigures(known.first, run), last: run };
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${name}.json`), `${JSON.stringify(record, null, 2)}\n`);
  return record;
}

/** Whether the goal is reached; undefined without a goal or a value. */
export function isReached({ value, goal }: Figure): boolean | undefined {
  if (value === null || goal === undefined) return undefined;
  return value >= (goal.atLeast ?? -Infinity) && value <= (goal.atMost ?? Infinity);
}

function withNewFigures(first: BenchRun, run: BenchRun): BenchRun {
  const measured = new Set(first.figures.filter(({ value }) => value !== null).map(({ name }) => name));
  const added = run.figures.filter(({ name, value }) => value !== null && !measured.has(name));
  const names = new Set(added.map(({ name }) => name));
  return { ...first, figures: [...first.figures.filter(({ name }) => !names.has(name)), ...added] };
}
