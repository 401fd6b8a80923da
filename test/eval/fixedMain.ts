/**
 * Asks the fixed set of questions, over packages that any machine gets from its registries, and compares each rank with
 * the stored one: fails where search became worse.
 *   npm run eval:fixed [-- --accept] [--only name]
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { parseArgs } from 'node:util';
import { alignedTable } from '../../src/cli/alignedTable';
import { messageOf } from '../../src/util/errors';
import { type Figures, figuresOf, mean, type Rank, readCases, reciprocal } from './figures';
import { measure } from './measure';
import { pairedLoss } from './pairedLoss';
import { cacheFolder, packageArchive, unpackArchive } from './registryArchive';
import { PACKAGES, type PackageSource } from './sources';
import { copyCorpus } from './tree';

const RANKS = join(process.cwd(), 'test/eval/ranks.json');
/** A loss that is at least this large in all likelihood fails, and so does one that merely looks this large. */
const SURE_LOSS = 0.01;
const LARGE_LOSS = 0.03;
/** Fewer packages say too little; where they must be had, fewer fail. */
const LEAST_PACKAGES = 3;

type StoredRanks = Record<string, Record<string, Rank>>;

interface Result {
  readonly source: PackageSource;
  readonly files: number;
  readonly figures: Figures;
  readonly ranks: Readonly<Record<string, Rank>>;
}

async function main(): Promise<number> {
  const { values } = parseArgs({ options: { accept: { type: 'boolean' }, only: { type: 'string' } } });
  const started = performance.now();
  const results: Result[] = [];
  for (const source of PACKAGES) {
    if (values.only !== undefined && !source.name.includes(values.only)) continue;
    const tree = await packageTree(source);
    if (tree !== undefined) results.push(ask(source, tree));
  }
  const seconds = Math.round((performance.now() - started) / 1000);
  const stored = JSON.parse(readFileSync(RANKS, 'utf8')) as StoredRanks;
  console.log(`\n${table(results, stored)}\n\n${results.length} of ${PACKAGES.length} packages in ${seconds} s.`);
  if (values.accept === true) {
    accept(results, stored);
    return 0;
  }
  if (results.length < LEAST_PACKAGES && values.only === undefined) {
    console.log(`At least ${LEAST_PACKAGES} packages are needed to compare, so nothing was compared.`);
    return process.env['CI'] === 'true' ? 1 : 0;
  }
  return compare(results, stored);
}

/** The folder with the package's corpus; undefined, and said, where the package cannot be had. */
async function packageTree(source: PackageSource): Promise<string | undefined> {
  const cache = cacheFolder();
  try {
    const archive = await packageArchive(source, cache);
    const unpacked = unpackArchive(archive, join(cache, 'unpacked', source.name));
    const tree = join(cache, 'trees', source.name);
    copyCorpus(unpacked, tree, source.roots);
    return tree;
  } catch (error) {
    const reason = messageOf(error).split('\n')[0] ?? '';
    console.log(`${source.package} ${source.version} (${source.registry}) is left out: ${reason}.`);
    return undefined;
  }
}

function ask(source: PackageSource, tree: string): Result {
  const cases = join(process.cwd(), 'test/eval/fixed', `${source.name}.jsonl`);
  const { report, files } = measure(tree, cases, join(cacheFolder(), 'data'));
  const ranks = Object.fromEntries(report.queries.map(({ id, rank }) => [id, rank]));
  return { source, files, figures: figuresOf(report, readCases(cases)), ranks };
}

function table(results: readonly Result[], stored: StoredRanks): string {
  const decimal = (value: number | undefined): string => (value === undefined ? '-' : value.toFixed(3));
  const columns = results.map(({ source, figures }) => {
    const before = Object.values(stored[source.name] ?? {});
    const change = before.length === 0 ? undefined : figures.mrr - mean(before.map(reciprocal));
    return [figures.arms['bm25'], figures.mrr, change, figures.first, figures.firstThree, figures.place];
  });
  const means = columns[0]?.map((_, at) => {
    const known = columns.flatMap(values => values[at] ?? []);
    return known.length === 0 ? undefined : mean(known);
  });
  const rows = results.map(({ source, files, figures }, at) => [
    `${source.package} ${source.version}`,
    source.language,
    source.cases,
    String(files),
    String(figures.cases),
    ...(columns[at] ?? []).map(decimal),
  ]);
  const head = [
    'package',
    'language',
    'cases are',
    'files',
    'cases',
    'bm25',
    'mrr@10',
    'change',
    'first',
    'in three',
    'place@1',
  ];
  return alignedTable([head, ...rows, ['mean', '', '', '', '', ...(means ?? []).map(decimal)]]);
}

function accept(results: readonly Result[], stored: StoredRanks): void {
  const ranks = { ...stored, ...Object.fromEntries(results.map(({ source, ranks }) => [source.name, ranks])) };
  writeFileSync(RANKS, `${JSON.stringify(ranks, null, 2)}\n`);
  console.log('These ranks are stored.');
}

/** @returns the exit status. */
function compare(results: readonly Result[], stored: StoredRanks): number {
  for (const { source, ranks } of results) {
    const before = Object.keys(stored[source.name] ?? {});
    if (before.length === Object.keys(ranks).length && before.every(id => id in ranks)) continue;
    console.log(`The cases of ${source.name} are not those of the stored ranks: store new ones by --accept.`);
    return 1;
  }
  const sets = results.map(({ source, ranks }) => ({
    before: Object.values(stored[source.name] ?? {}).map(reciprocal),
    now: Object.keys(stored[source.name] ?? {}).map(id => reciprocal(ranks[id] ?? null)),
  }));
  const { loss, lower, upper } = pairedLoss(sets);
  const bounds = `between ${lower.toFixed(4)} and ${upper.toFixed(4)} with 95 % certainty`;
  console.log(`Loss of MRR@10 against the stored ranks: ${loss.toFixed(4)}, ${bounds}.`);
  if (lower <= SURE_LOSS && loss <= LARGE_LOSS) return 0;
  console.log(
    `Search became worse: more than ${SURE_LOSS} surely, or more than ${LARGE_LOSS}. --accept stores the new ranks.`,
  );
  return 1;
}

main().then(
  status => (process.exitCode = status),
  (error: unknown) => {
    console.error(messageOf(error));
    process.exitCode = 1;
  },
);
