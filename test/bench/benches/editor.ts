import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Bench, type BenchOptions, say } from '../bench';
import type { Figure, Findings } from '../report';

/** The tests that measure, with what each of them measures. */
const TESTS = [
  {
    program: 'test/host/run.mjs',
    only: 'extension.test',
    figure: 'event-loop delay of the extension host while indexing, p99',
  },
  {
    program: 'test/e2e/run.mjs',
    only: 'product.test',
    figure: 'activation of the extension, least of the windows opened',
  },
];
const GOAL = { atMost: 50 };

export const editor: Bench = {
  name: 'editor',
  title: 'What the extension costs the editor',
  run,
};

/** The figures are those of the editor's own tests: this runs them and takes what they measured. */
function run({ prepare }: BenchOptions): Promise<Findings | undefined> {
  if (prepare) return Promise.resolve(undefined);
  const folder = mkdtempSync(join(tmpdir(), 'landmark-figures-'));
  const file = join(folder, 'figures.jsonl');
  try {
    const failed = TESTS.filter(({ program, only }) => {
      say(`  ${program} --only ${only}`);
      const env = { ...process.env, LANDMARK_FIGURES: file };
      // Their output is for people, and the figures stand on stdout.
      return spawnSync(process.execPath, [program, '--only', only], { env, stdio: ['ignore', 2, 2] }).status !== 0;
    });
    for (const { program } of failed) say(`  ${program} failed.`);
    return Promise.resolve({
      parameters: { tests: TESTS.map(({ only }) => only).join(', '), files: 2000 },
      figures: TESTS.map(({ figure }) => figureOf(figure, notesIn(file))),
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function notesIn(file: string): ReadonlyMap<string, number> {
  if (!existsSync(file)) return new Map();
  const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean);
  return new Map(
    lines.map(line => {
      const { name, value } = JSON.parse(line) as { readonly name: string; readonly value: number };
      return [name, value];
    }),
  );
}

function figureOf(name: string, notes: ReadonlyMap<string, number>): Figure {
  const value = notes.get(name);
  return value === undefined
    ? { name, value: null, unit: 'ms', goal: GOAL, note: 'the test could not run here, or failed before it measured' }
    : { name, value, unit: 'ms', goal: GOAL };
}
