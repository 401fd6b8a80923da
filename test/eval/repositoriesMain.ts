/**
 * Asks cases of public repositories whose git directories are on this machine, and prints how well each arm and all
 * together answer them.
 *   npm run eval -- [--mirrors DIR] [--work DIR] [--only part-of-name] [--use history|questions] [--questions DIR] [--json FILE]
 * --mirrors    folder with git directories owner+name/repo or owner+name (else LANDMARK_EVAL_MIRRORS)
 * --work       where trees and indexes are made (default: below the evaluation's cache folder)
 * --use        only those whose commits are the cases, or only those asked by hand
 * --questions  hand-written cases owner__name.jsonl for the repositories whose commits are cases, asked besides
 */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { alignedTable } from '../../src/cli/alignedTable';
import { buildCaseSet } from '../../src/engine/evaluation/caseSet';
import { messageOf } from '../../src/util/errors';
import { type Figures, figuresOf, mean, readCases } from './figures';
import { measure } from './measure';
import { cacheFolder } from './registryArchive';
import { REPOSITORIES, type RepositorySource } from './sources';
import { writeCorpus } from './tree';

const OWN_QUESTIONS = join(process.cwd(), 'test/eval/questions');

interface Row {
  readonly name: string;
  readonly kind: 'commits' | 'questions';
  readonly files: number;
  readonly figures: Figures;
}

async function main(): Promise<void> {
  const text = { type: 'string' } as const;
  const options = { mirrors: text, work: text, only: text, use: text, questions: text, json: text };
  const { values } = parseArgs({ options });
  const mirrors = values.mirrors ?? process.env['LANDMARK_EVAL_MIRRORS'];
  if (mirrors === undefined) throw new Error('Name the folder with the git directories: --mirrors DIR.');
  const work = resolve(values.work ?? join(cacheFolder(), 'repositories'));
  const rows: Row[] = [];
  for (const source of REPOSITORIES) {
    if (values.only !== undefined && !source.repository.includes(values.only)) continue;
    if (values.use !== undefined && source.use !== values.use) continue;
    const gitDir = gitDirectoryOf(source, resolve(mirrors));
    if (gitDir === undefined) {
      console.log(`${source.repository} is left out: its git directory is not in ${mirrors}.`);
      continue;
    }
    for (const row of await rowsOf(source, gitDir, work, values.questions)) {
      rows.push(row);
      console.log(`${row.name} (${row.kind}): mrr@10 ${row.figures.mrr.toFixed(3)}`);
    }
  }
  for (const kind of ['commits', 'questions'] as const) {
    const some = rows.filter(row => row.kind === kind);
    if (some.length > 0) console.log(`\n${kind}\n${table(some)}`);
  }
  if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(rows, null, 2)}\n`);
}

function gitDirectoryOf({ repository }: RepositorySource, mirrors: string): string | undefined {
  const folder = join(mirrors, repository.replace('/', '+'));
  return [join(folder, 'repo'), folder].find(candidate => existsSync(join(candidate, 'HEAD')));
}

/** The repository's cases by kind, each measured over the same tree. */
async function rowsOf(
  source: RepositorySource,
  gitDir: string,
  work: string,
  moreQuestions: string | undefined,
): Promise<Row[]> {
  const fileName = `${source.repository.replace('/', '__')}.jsonl`;
  const folder = join(work, source.repository.replace('/', '__'));
  const tree = join(folder, 'tree');
  const set = await buildCaseSet(gitDir, source.snapshot, source.head, { roots: source.roots });
  writeCorpus(set.files, tree);
  mkdirSync(folder, { recursive: true });
  const fromCommits = join(folder, 'cases.jsonl');
  writeFileSync(fromCommits, set.cases.map(one => `${JSON.stringify(one)}\n`).join(''));
  const questions = source.use === 'questions' ? OWN_QUESTIONS : moreQuestions;
  const asked = [
    { kind: 'commits', path: fromCommits, isThere: source.use === 'history' },
    { kind: 'questions', path: join(questions ?? '', fileName), isThere: questions !== undefined },
  ] as const;
  return asked.flatMap(({ kind, path, isThere }) => {
    if (!isThere || !existsSync(path)) return [];
    const { report, files } = measure(tree, path, join(work, 'data'), { gitDir, at: set.snapshot });
    return [{ name: source.repository, kind, files, figures: figuresOf(report, readCases(path)) }];
  });
}

function table(rows: readonly Row[]): string {
  const arms = [...new Set(rows.flatMap(({ figures }) => Object.keys(figures.arms)))];
  const columns = ['all', 'first', 'in three', 'place@1', 'no name', 'first', ...arms];
  const numbers = rows.map(({ figures: { mrr, first, firstThree, place, withoutName, arms: alone } }) => [
    ...[mrr, first, firstThree, place, withoutName?.mrr, withoutName?.first],
    ...arms.map(arm => alone[arm]),
  ]);
  const decimal = (value: number | undefined): string => (value === undefined ? '-' : value.toFixed(3));
  const means = columns.map((_, at) => {
    const known = numbers.flatMap(values => values[at] ?? []);
    return decimal(known.length === 0 ? undefined : mean(known));
  });
  return alignedTable([
    ['repository', 'files', 'cases', ...columns],
    ...rows.map(({ name, files, figures }, at) => [
      name,
      String(files),
      String(figures.cases),
      ...(numbers[at] ?? []).map(decimal),
    ]),
    ['mean', '', '', ...means],
  ]);
}

main().catch((error: unknown) => {
  console.error(messageOf(error));
  process.exitCode = 1;
});
