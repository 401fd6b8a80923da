import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { LandmarkError, throwIfAborted } from '../../util/errors';
import type { EngineRuntime } from '../engineRuntime';
import type { EvaluationReport, PastReport } from '../folderEngine';
import { isWorkTreeTop } from '../history/gitProcess';
import { SemanticEngine } from '../semanticEngine';
import { dataLayout } from '../store/dataFolder';
import type { IndexProgress } from '../types';
import { type CaseSet, completeCaseSet, MOST_CASES } from './caseSet';
import { CommitReader } from './commitReader';
import { summaryOf, withoutNameOf } from './pastSummary';
import { chooseSnapshot } from './snapshotChoice';

/** Fewer cases say nothing about a repository. */
const LEAST_CASES = 20;
/** Of a larger repository a part is searched, the right files always among it: indexing all would take too long. */
const MOST_FILES = 3000;

/**
 * Asks a repository's own past: commits become questions, the files they changed the right answers, and the files as
 * they were before are searched, with no commit newer than that. What is indexed for it is deleted again; window
 * vectors stay in the store and are reused.
 * @param folder real path of the top of a git work tree; neither it nor its index is touched.
 * @throws LandmarkError `invalid-argument` for another folder; `not-found` where too few commits make a question;
 *   `cancelled`.
 */
export async function evaluatePast(
  folder: string,
  runtime: EngineRuntime,
  onProgress: (progress: IndexProgress) => void,
  signal?: AbortSignal,
): Promise<PastReport> {
  const set = await casesOf(folder, onProgress, signal);
  const date = await (await CommitReader.open(folder, signal)).date(set.snapshot);
  const files = searchedFiles(set, MOST_FILES);
  const report = await inTemporaryTree(files, async tree => {
    const history = { gitDir: folder, at: set.snapshot };
    const engine = await SemanticEngine.open(tree, { access: 'write', history }, runtime, () => {});
    try {
      await engine.sync({ rebuild: false }, onProgress, signal);
      return await askAll(engine, set, onProgress, signal);
    } finally {
      await engine.close();
      await rm(dataLayout(runtime.dataDir, engine.folder).workspace, { recursive: true, force: true });
    }
  });
  const found = report.queries.filter(({ rank }) => rank !== null && rank <= 3).length;
  const past = {
    ...report,
    snapshot: { id: set.snapshot, date },
    files: files.size,
    filesLeftOut: set.files.size - files.size,
    firstThree: found / report.queries.length,
    withoutName: withoutNameOf(report, set.cases),
  };
  return { ...past, summary: summaryOf(past) };
}

async function casesOf(
  folder: string,
  onProgress: (progress: IndexProgress) => void,
  signal: AbortSignal | undefined,
): Promise<CaseSet> {
  if (!(await isWorkTreeTop(folder))) {
    throw new LandmarkError(
      'invalid-argument',
      `${folder} is not the top of a git work tree, so it has no past commits to ask about: name the folder that holds .git.`,
    );
  }
  const tell = (done: number, total: number): void => onProgress({ phase: 'commits', done, total });
  tell(0, MOST_CASES);
  const reader = await CommitReader.open(folder, signal);
  const head = await reader.commitId('HEAD');
  const chosen = await chooseSnapshot(reader, head, count => tell(Math.min(count, MOST_CASES), MOST_CASES), signal);
  const count = chosen?.cases.length ?? 0;
  if (chosen === undefined || count < LEAST_CASES) {
    throw new LandmarkError(
      'not-found',
      `Only ${count} past commits of ${folder} make a question about one to four source files that were there before; ${LEAST_CASES} are needed to say how well search works.`,
    );
  }
  return completeCaseSet(chosen, {}, tell, signal);
}

/** All files of the snapshot, or as many as `most`: the right ones and, of the others, those with the smallest hash. */
export function searchedFiles({ files, cases }: Pick<CaseSet, 'files' | 'cases'>, most: number): CaseSet['files'] {
  if (files.size <= most) return files;
  const right = new Set(cases.flatMap(({ relevant }) => relevant));
  const hash = (path: string): string => createHash('sha1').update(path).digest('hex');
  const others = [...files.keys()].filter(path => !right.has(path)).map(path => ({ path, hash: hash(path) }));
  others.sort((a, b) => (a.hash < b.hash ? -1 : 1));
  const kept = new Set([...right, ...others.slice(0, Math.max(0, most - right.size)).map(({ path }) => path)]);
  return new Map([...files].filter(([path]) => kept.has(path)));
}

async function inTemporaryTree<T>(files: CaseSet['files'], work: (tree: string) => Promise<T>): Promise<T> {
  const tree = await realpath(await mkdtemp(join(tmpdir(), 'landmark-past-')));
  try {
    for (const [path, content] of files) {
      await mkdir(dirname(join(tree, path)), { recursive: true });
      await writeFile(join(tree, path), content);
    }
    return await work(tree);
  } finally {
    await rm(tree, { recursive: true, force: true });
  }
}

async function askAll(
  engine: SemanticEngine,
  { cases }: CaseSet,
  onProgress: (progress: IndexProgress) => void,
  signal: AbortSignal | undefined,
): Promise<EvaluationReport> {
  throwIfAborted(signal);
  const tell = (done: number): void => onProgress({ phase: 'questions', done, total: cases.length });
  tell(0);
  return engine.evaluate(cases, undefined, signal, tell);
}
