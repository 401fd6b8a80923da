import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { bundledModelDir } from '../../../src/cli/bundledModel';
import { plainGitEnvironment } from '../../support/git';
import { CodeCorpus, commonWords, CORPUS_VERSION } from '../codeCorpus';

/** Commits by number of files, within bounds: some hundred for a usual folder. */
const FILES_PER_COMMIT = 10;
const COMMITS = { least: 200, most: 3000 };
/** 2020-01-01, in seconds since 1970. */
const FIRST_COMMIT = 1_577_836_800;

/** Below it appear the files that are indexed while something is measured. */
export const FRESH = 'fresh/';

export interface GeneratedFolder {
  readonly files: number;
  readonly tree: string;
  /** Of the index. */
  readonly data: string;
}

/** A folder of so many generated files with a history, made once and kept. */
export function generatedFolder(cache: string, files: number): GeneratedFolder {
  const base = join(cache, `code-${CORPUS_VERSION}-${files}`);
  const folder = { files, tree: join(base, 'tree'), data: join(base, 'data') };
  const done = join(base, 'tree.json');
  if (existsSync(done) && readFileSync(done, 'utf8') === String(files)) return folder;
  rmSync(base, { recursive: true, force: true });
  const corpus = generatedCorpus(files);
  for (let at = 0; at < files; at++) {
    const { path, text } = corpus.file(at);
    const full = join(folder.tree, path);
    mkdirSync(dirname(full), { recursive: true });
    writeFileSync(full, text);
  }
  writeHistory(folder.tree, corpus);
  writeFileSync(done, String(files));
  return folder;
}

export function generatedCorpus(files: number, seed = 1, root = ''): CodeCorpus {
  return new CodeCorpus(commonWords(join(bundledModelDir('models'), 'tokenizer.json')), files, seed, root);
}

/** Commits that name the files and hold next to nothing of them. */
function writeHistory(tree: string, corpus: CodeCorpus): void {
  const count = Math.min(COMMITS.most, Math.max(COMMITS.least, Math.round(corpus.size / FILES_PER_COMMIT)));
  const lines: string[] = [];
  for (let at = 0; at < count; at++) {
    const { subject, paths } = corpus.commit(at);
    const who = `Bench <bench@example.org> ${FIRST_COMMIT + at * 3600} +0000`;
    lines.push('commit refs/heads/main', `committer ${who}`, `data ${Buffer.byteLength(subject)}`, subject);
    for (const path of paths) {
      const content = `${at} ${path}`;
      lines.push(`M 100644 inline ${path}`, `data ${Buffer.byteLength(content)}`, content);
    }
  }
  const git = (args: readonly string[], input = ''): void => {
    execFileSync('git', ['-C', tree, ...args], { env: plainGitEnvironment, input, stdio: ['pipe', 'ignore', 'pipe'] });
  };
  git(['init', '--quiet', '--initial-branch=main']);
  git(['fast-import', '--quiet'], `${lines.join('\n')}\n`);
}
