import { failedFile } from '../../src/engine/files/fileFailure';
import { IgnoreRules } from '../../src/engine/files/ignoreRules';
import { classifyContent, classifyPath } from '../../src/engine/files/indexable';
import { inspectPath } from '../../src/engine/files/inspectPath';
import { realPathOf } from '../../src/engine/files/realPath';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { FolderEngine } from '../../src/engine/folderEngine';
import type {
  ExplainResponse,
  IndexProgress,
  IndexReport,
  IndexStats,
  Place,
  SearchHit,
  SearchRequest,
  SearchResponse,
  SimilarHit,
  SimilarResponse,
} from '../../src/engine/types';
import type { FolderStatus } from '../../src/host/protocol';
import { runSearchProcess } from '../../src/host/searchProcess';
import { LandmarkError } from '../../src/util/errors';
import { emptyReport, fakeEngine } from './fakeEngine';

/**
 * A real search process around a stand-in for the engine that counts words: with it the editor's part is tried in a
 * window without a model. `LANDMARK_FAKE_SECONDS` is how long it pretends to index, `LANDMARK_FAKE_OPENING` is a file
 * that it waits for before it opens a folder, `LANDMARK_FAKE_FILES` how many files it pretends to have, and
 * `LANDMARK_FAKE_FAILED` the path of a file that it pretends to fail on.
 */
const SECONDS = Number(process.env['LANDMARK_FAKE_SECONDS'] ?? 0);
const OPENING = process.env['LANDMARK_FAKE_OPENING'];
const FILES = Number(process.env['LANDMARK_FAKE_FILES'] ?? 0);
const FAILED = process.env['LANDMARK_FAKE_FAILED'];
const FAILURE = { kind: 'no-permission' } as const;
const TICK_MS = 50;

const wordsOf = (text: string): string[] => text.toLowerCase().match(/[a-z]{3,}/g) ?? [];

function filesBelow(folder: string, excluded: readonly string[], below = ''): string[] {
  return readdirSync(join(folder, below), { withFileTypes: true }).flatMap(entry => {
    const path = below === '' ? entry.name : `${below}/${entry.name}`;
    if (entry.name === '.git' || entry.name === 'node_modules') return [];
    if (excluded.some(rule => rule === `/${path}/` || rule === path)) return [];
    if (entry.isDirectory()) return filesBelow(folder, excluded, path);
    return entry.isFile() ? [path] : [];
  });
}

class WordEngine {
  readonly #folder: string;
  readonly #exclude: readonly string[];
  readonly #onStatus: (status: FolderStatus) => void;
  readonly #texts = new Map<string, string>();
  #paused = false;
  #share = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(folder: string, exclude: readonly string[], onStatus: (status: FolderStatus) => void) {
    this.#folder = folder;
    this.#exclude = exclude;
    this.#onStatus = onStatus;
  }

  methods(): Partial<FolderEngine> {
    return {
      sync: (_options, onProgress) => this.#sync(onProgress),
      update: paths => this.#update(paths),
      setPaused: paused => {
        this.#paused = paused;
        this.#tell();
      },
      search: request => Promise.resolve(this.#search(request)),
      similar: (file, limit) => Promise.resolve(this.#similar(file, limit)),
      explain: file => this.#explain(file),
      stats: () => Promise.resolve(this.#stats()),
      clear: () => {
        this.#texts.clear();
        return Promise.resolve();
      },
      close: () => Promise.resolve(clearInterval(this.#timer)),
    };
  }

  #tell(): void {
    const total = this.#texts.size;
    this.#onStatus({
      folder: this.#folder,
      state: this.#share < 1 ? (this.#paused ? 'paused' : 'indexing') : FAILED === undefined ? 'ready' : 'problems',
      done: Math.floor(total * this.#share),
      total,
      complete: this.#share,
      files: total,
      problems: FAILED === undefined ? 0 : 1,
      reason: '',
      vectors: true,
    });
  }

  async #sync(onProgress: (progress: IndexProgress) => void): Promise<IndexReport> {
    onProgress({ phase: 'walk', done: 0, total: 0 });
    this.#texts.clear();
    for (const path of filesBelow(this.#folder, this.#exclude)) this.#read(path);
    this.#share = SECONDS === 0 ? 1 : 0;
    this.#tell();
    const total = Math.max(FILES, this.#texts.size);
    onProgress({ phase: 'lexical', done: total, total });
    onProgress({ phase: 'embed', done: 0, total });
    clearInterval(this.#timer);
    await new Promise<void>(resolve => {
      if (this.#share >= 1) {
        resolve();
        return;
      }
      this.#timer = setInterval(() => {
        if (this.#paused) return;
        this.#share = Math.min(1, this.#share + TICK_MS / 1000 / SECONDS);
        this.#tell();
        if (this.#share < 1) return;
        clearInterval(this.#timer);
        resolve();
      }, TICK_MS);
    });
    const failed = FAILED === undefined ? [] : [failedFile(FAILED, FAILURE)];
    return { ...emptyReport, files: this.#texts.size, embedded: this.#texts.size - failed.length, failed };
  }

  async #explain(file: string): Promise<ExplainResponse> {
    if (file === FAILED) return { ...failedFile(file, FAILURE), state: 'failed' };
    const found = await inspectPath(await IgnoreRules.open(this.#folder, { excludes: this.#exclude }), file);
    if (found.state === 'absent') return { path: file, state: 'absent', reason: found.reason };
    if (found.state === 'folder') return { path: file, state: 'absent', reason: `${file} is a folder.` };
    if (found.state === 'ignored') return { path: file, state: 'ignored', ...found.verdict };
    const bytes = readFileSync(join(this.#folder, file));
    const verdict = classifyPath(file, bytes.length) ?? classifyContent(file, bytes);
    if (verdict.kind === 'skip') return { path: file, state: 'skipped', reason: verdict.detail, rule: verdict.reason };
    const known = this.#texts.has(file);
    const contentHash = 'c0ffee'.repeat(10);
    return known
      ? { path: file, state: 'indexed', reason: `${file} is indexed as it is on disk.`, contentHash, windows: 2 }
      : { path: file, state: 'queued', reason: `${file} waits.`, contentHash, waitsFor: 'read' };
  }

  #stats(): IndexStats {
    const texts = [...this.#texts.values()];
    const files = Math.max(FILES, texts.length);
    return {
      files,
      windows: files * 2,
      landmarks: files * 8,
      bytes: {
        source: files * 4000,
        windows: files * 3000,
        catalog: files * 900,
        windowGraph: 2000,
        snapshot: 3000,
      },
      model: { id: 'words', fingerprint: 'none' },
      complete: this.#share,
      queue: 0,
    };
  }

  #update(paths: readonly string[]): Promise<IndexReport> {
    for (const path of paths) {
      const full = join(this.#folder, path);
      for (const known of [...this.#texts.keys()]) {
        if (known === path || known.startsWith(`${path}/`)) this.#texts.delete(known);
      }
      if (!existsSync(full)) continue;
      if (statSync(full).isDirectory()) filesBelow(this.#folder, this.#exclude, path).forEach(file => this.#read(file));
      else this.#read(path);
    }
    this.#tell();
    return Promise.resolve({ ...emptyReport, files: paths.length, reused: paths.length });
  }

  #read(path: string): void {
    this.#texts.set(path, readFileSync(join(this.#folder, path), 'utf8'));
  }

  #search({ query, limit = 10, scope, files, sameLanguageAs }: SearchRequest): SearchResponse {
    if (query === 'fail once') throw new LandmarkError('internal', 'This question fails on purpose.');
    const wanted = new Set(wordsOf(query));
    const ending = sameLanguageAs?.slice(sameLanguageAs.lastIndexOf('.')) ?? '';
    const isIn = (path: string): boolean =>
      (scope === undefined || path.startsWith(`${scope}/`)) && (files?.includes(path) ?? true) && path.endsWith(ending);
    const hits = [...this.#texts]
      .filter(([path]) => isIn(path))
      .map(([path, text]) => this.#hit(path, text, wanted))
      .filter(hit => hit.score > 0)
      .sort((a, b) => b.score - a.score || (a.path < b.path ? -1 : 1));
    const isFirst = (path: string): boolean => hits.find(each => this.#isCopy(each.path, path))?.path === path;
    const results = hits
      .filter(({ path }) => isFirst(path))
      .map((hit): SearchHit => {
        const copies = hits.map(({ path }) => path).filter(path => path !== hit.path && this.#isCopy(path, hit.path));
        return { ...hit, ...(copies.length > 0 && { copies }) };
      });
    const quotes = [...query.matchAll(/"([^"]+)"/g)].flatMap(([, quote = '']) => quote);
    const notFound = quotes.filter(quote => ![...this.#texts.values()].some(text => text.includes(quote)));
    return {
      query,
      complete: this.#share,
      timing: { loadMs: 0, queryMs: 1 },
      results: results.slice(0, limit),
      ...(notFound.length > 0 && { notes: [{ kind: 'quotes-not-found', quotes: notFound } as const] }),
    };
  }

  #isCopy(path: string, of: string): boolean {
    return this.#texts.get(path) === this.#texts.get(of);
  }

  #hit(path: string, text: string, wanted: ReadonlySet<string>): SearchHit {
    const lines = text.split(/\r\n|\r|\n/);
    const counts = lines.map(line => new Set(wordsOf(line).filter(word => wanted.has(word))).size);
    const best = Math.max(0, ...counts);
    const score = wanted.size === 0 ? 0 : best / wanted.size;
    const order = counts
      .map((count, at) => ({ count, at }))
      .filter(({ count }) => count > 0)
      .sort((a, b) => b.count - a.count || a.at - b.at);
    const places = order.slice(0, 3).map(({ count, at }): Place => {
      const above = lines.slice(0, at + 1).reverse();
      const symbol = above.flatMap(line => /^function (\w+)/.exec(line)?.[1] ?? [])[0];
      return {
        startLine: Math.max(1, at),
        endLine: Math.min(lines.length, at + 2),
        score: count / Math.max(1, wanted.size),
        line: at + 1,
        lineText: lines[at] ?? '',
        ...(symbol === undefined ? {} : { symbol }),
      };
    });
    return { path, score, weak: score < 0.6, arms: { lexical: score }, places };
  }

  #similar(file: string, limit: number): SimilarResponse {
    const own = readFileSync(join(this.#folder, file), 'utf8');
    const wanted = new Set(wordsOf(own));
    const copies = [...this.#texts].filter(([path, text]) => path !== file && text === own).map(([path]) => path);
    const results = [...this.#texts]
      .filter(([path]) => path !== file && !copies.includes(path))
      .map(([path, text]): SimilarHit => {
        const words = new Set(wordsOf(text));
        const score =
          [...words].filter(word => wanted.has(word)).length / Math.max(1, new Set([...words, ...wanted]).size);
        return { path, score, copies: [], regions: [{ from: [1, 2], to: [2, 3], score }] };
      })
      .filter(hit => hit.score > 0)
      .sort((a, b) => b.score - a.score);
    const test = file.replace(/\.(\w+)$/, '.test.$1');
    const testPartners = results
      .filter(({ path }) => path === test)
      .map(hit => ({ ...hit, relation: 'test' as const }));
    return { file, complete: this.#share, results: results.slice(0, limit), copies, testPartners };
  }
}

async function untilThere(path: string): Promise<void> {
  while (!existsSync(path)) await new Promise(resolve => setTimeout(resolve, TICK_MS));
}

runSearchProcess(
  () => ({
    async open(folder, options, onStatus) {
      if (!existsSync(folder)) throw new LandmarkError('not-a-folder', `There is no folder ${folder}.`);
      if (OPENING !== undefined) await untilThere(OPENING);
      return fakeEngine(folder, new WordEngine(folder, options.exclude ?? [], onStatus).methods());
    },
    evaluatePast: () => Promise.reject(new Error('not expected')),
    data: () => Promise.reject(new Error('not expected here')),
    close: () => Promise.resolve(),
  }),
  realPathOf,
);
